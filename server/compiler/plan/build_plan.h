#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/ir/plan.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Makes the plan of a specialized and optimized module, of which the first function is the entry.
// Every op becomes steps on buffers, which this function assigns: buffers are reused according to
// liveness, an op overwrites an operand that is not needed afterwards where it can, results of the
// function are computed directly in the result buffers where possible, and each loop-carried value
// has one buffer. A module of several processes is one of one process, for which module.grid says
// which others there are: all of them run the same plan. Returns UNIMPLEMENTED, with a message that
// names the op or the custom call's target, for an op without a lowering and for an unknown custom
// call.
absl::StatusOr<kernels::Plan> BuildPlan(const ir::Module& module, const codegen::Target& generator);

}  // namespace acceld::compiler
