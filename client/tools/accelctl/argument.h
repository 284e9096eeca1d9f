#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

namespace acceld::tools {

// Reads or generates the value of one --arg of `accelctl run`:
//   FILE.npy               the array in the file
//   DTYPE[D,D..]=random    random values: floats are uniform in [-1, 1), integers uniform in
//                          [0, 100), booleans true or false with equal probability
//   DTYPE[D,D..]=zeros     zeros
//   DTYPE[D,D..]=iota      0, 1, 2, ... in row-major order; integers wrap at their width
//   DTYPE[D,D..]=VALUE     the value in every element
// A scalar is DTYPE[]=... or DTYPE=.... Random values depend only on `argument_number`, the
// position of the argument, and are the same on every machine. INVALID_ARGUMENT for another text;
// the errors of client::ReadNpy.
absl::StatusOr<ir::Literal> ParseArgument(absl::string_view text, uint32_t argument_number);

// Whether such an argument names a file.
bool IsArgumentFile(absl::string_view text);

// Returns the type of such an argument that is no file, without generating its value, for commands
// that compile and do not run: there the type alone is enough, DTYPE[D,D..]. INVALID_ARGUMENT for
// another text.
absl::StatusOr<ir::TensorType> ParseArgumentType(absl::string_view text);

}  // namespace acceld::tools
