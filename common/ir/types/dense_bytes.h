#pragma once

#include <string>

#include "common/ir/types/type.h"
#include "common/status.h"

namespace acceld::ir {

// Converts the raw bytes of MLIR's dense<...> to the elements of a literal of `type` (dtypes.def).
// The bytes are little-endian, those of all elements or of one element for all (a splat). i1 may
// also have eight elements to a byte, the first in the lowest bit; a splat of more than eight i1 is
// true for any byte but 0. INVALID_ARGUMENT, with both sizes, if they fit none of these forms. The
// type must be static and valid.
absl::StatusOr<std::string> ElementsFromDense(const TensorType& type, std::string bytes);

}  // namespace acceld::ir
