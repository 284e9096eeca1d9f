#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

namespace acceld::tools {

// One --arg of `accelctl run`:
//   FILE.npy             the array in the file
//   DTYPE[D,D..]=random  floats uniform in [-1, 1), integers uniform in [0, 100), booleans fair;
//   fixed by
//                        the argument's number, the same on every machine
//   DTYPE[D,D..]=zeros | iota | VALUE
// iota counts 0, 1, 2, ... in row-major order and wraps at the width of an integer type. A scalar
// is DTYPE[]=... or DTYPE=....
absl::StatusOr<ir::Literal> ParseArgument(absl::string_view text, uint32_t argument_number);

// DTYPE[D,D..] or DTYPE, for a scalar. INVALID_ARGUMENT otherwise.
absl::StatusOr<ir::TensorType> ParseArgumentType(absl::string_view text);

}  // namespace acceld::tools
