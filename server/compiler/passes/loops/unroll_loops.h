#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that unrolls a while loop that counts from one constant to another, if it has few
// iterations and a short elementwise body, like the rounds of a random number generator. Instead of
// reading and writing every carried array in each iteration, the unrolled ops are fused with each
// other and with the ops around the loop. It runs before constant folding, which evaluates the
// constants of each iteration.
absl::StatusOr<ir::Module> UnrollLoops(const ir::Module& module);

}  // namespace acceld::compiler
