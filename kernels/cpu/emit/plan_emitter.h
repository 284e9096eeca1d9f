#pragma once

#include <memory>

#include "absl/types/span.h"
#include "kernels/cpu/emit/code_context.h"
#include "kernels/cpu/emit/plan_split.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// Generates the LLVM IR of a whole plan, which must have passed CheckPlan. `parts` has a module for
// each part of `split`. The first module gets a function for each plan function, of which the first
// is the exported entry. The modules that `split` names get a function for each kernel that does
// more than launch parallel loops, for each outlined parallel loop, and for each rare branch whose
// part is not the kernel's.
void EmitPlan(absl::Span<const std::unique_ptr<CodeContext>> parts, const PlanSplit& split,
              const Plan& plan);

}  // namespace acceld::kernels::cpu
