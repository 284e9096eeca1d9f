#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that replaces every op of OpFamily::kDerived (batch normalization, map, einsum, random
// numbers) by more basic ops, so that no later pass has to handle them. It runs after inlining,
// because a call in the region of a map prevents the elementwise form of the map, and before the
// passes that simplify.
//
// The numbers that `rng` draws are a function of the program, the position of the op in the
// program, and the iteration numbers of the enclosing loops. So within one execution every op and
// every iteration draws from a stream of its own, and repeated executions draw the same numbers.
//
// Errors: UNIMPLEMENTED for an rng within the region of a reduction, a sort or the like;
// RESOURCE_EXHAUSTED and INVALID_ARGUMENT when the replacement exceeds a limit of the IR, such as
// the size of a tensor or the number of ops.
absl::StatusOr<ir::Module> Decompose(const ir::Module& module);

}  // namespace acceld::compiler
