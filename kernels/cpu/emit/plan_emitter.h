#pragma once

#include <memory>

#include "absl/types/span.h"
#include "kernels/cpu/emit/code_context.h"
#include "kernels/cpu/emit/plan_split.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// Prints a whole plan into the modules of `parts`, one for each of `split`: a function for each
// kernel that does more than launch loops, for each loop that threads share, and for each rare
// branch that has a part of its own; and, into the first, one for each plan function, of which the
// first is the exported entry. `plan` must have passed CheckPlan.
void EmitPlan(absl::Span<const std::unique_ptr<CodeContext>> parts, const PlanSplit& split,
              const Plan& plan);

}  // namespace acceld::kernels::cpu
