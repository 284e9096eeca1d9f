#pragma once

#include <string>

#include "common/ir/types/type.h"
#include "common/status.h"

namespace acceld::ir {

// The raw bytes of MLIR's dense<...> as the elements of a literal of `type` (dtypes.def). They are
// little-endian, those of all elements or of one that stands for all; i1 also comes as eight
// elements to a byte, lowest bit first, or as any byte but 0 for a true that stands for more than
// eight. INVALID_ARGUMENT names both sizes when they fit no form; the type must be static and
// valid.
absl::StatusOr<std::string> ElementsFromDense(const TensorType& type, std::string bytes);

}  // namespace acceld::ir
