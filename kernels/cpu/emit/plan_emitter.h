#pragma once

#include "kernels/cpu/emit/code_context.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// Prints a whole plan into the module of `code`: one function per kernel and per plan function, and
// the exported entry. `plan` must have passed CheckPlan.
void EmitPlan(CodeContext& code, const Plan& plan);

}  // namespace acceld::kernels::cpu
