#pragma once

#include <vector>

#include "common/status.h"
#include "kernels/ir/plan.h"

// What the places of buffers in a plan promise to the code of its kernels.
namespace acceld::kernels::cpu {

struct BufferFacts {
  // No other buffer of any launch shares bytes with this one, unless nobody writes either.
  bool no_alias = true;
  bool aligned = true;  // to kBufferAlignment, in every launch
};

struct PlanFacts {
  // By kernel and buffer; empty for a kernel that is never launched.
  std::vector<std::vector<BufferFacts>> kernels;
};

// `plan` must have passed CheckPlan.
PlanFacts FindPlanFacts(const Plan& plan);

// Refuses, with INTERNAL and the place, plans that the printers cannot follow: numbers out of
// range, kernels given the wrong number of buffers, recursive calls, steps nested too deep.
absl::Status CheckPlan(const Plan& plan);

}  // namespace acceld::kernels::cpu
