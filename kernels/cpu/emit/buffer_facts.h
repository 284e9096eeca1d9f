#pragma once

#include <vector>

#include "common/status.h"
#include "kernels/ir/plan.h"

// What the code generator may assume about a kernel's buffers, given the memory that the plan's
// launches pass to it.
namespace acceld::kernels::cpu {

struct BufferFacts {
  // In every launch, no other buffer shares bytes with this one, except where both are only read.
  bool no_alias = true;
  bool aligned = true;  // in every launch the address is a multiple of kBufferAlignment
};

struct PlanFacts {
  // Facts by kernel and, within a kernel, by buffer. The inner list is empty for a kernel that is
  // never launched.
  std::vector<std::vector<BufferFacts>> kernels;
};

// Finds the facts of all kernels of `plan`, which must have passed CheckPlan.
PlanFacts FindPlanFacts(const Plan& plan);

// Checks a plan before code is generated from it. Returns INTERNAL, with the name of the plan
// function, for malformed plans (indices out of range, slices beyond the end of their space, the
// wrong number of buffers for a kernel, recursive calls, too deeply nested steps) and for steps
// that the CPU does not support (attention, matrix products with an epilogue).
absl::Status CheckPlan(const Plan& plan);

}  // namespace acceld::kernels::cpu
