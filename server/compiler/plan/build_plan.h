#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/ir/plan.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// The plan of a specialized and optimized module: its first function is the entry. Every op becomes
// steps over buffers that are assigned here: reused by liveness, written in place where an operand
// dies, results directly in the result buffers, loop-carried values in fixed places. UNIMPLEMENTED
// names an op without a lowering and the target of an unknown custom call.
absl::StatusOr<kernels::Plan> BuildPlan(const ir::Module& module, const codegen::Target& generator);

}  // namespace acceld::compiler
