#pragma once

#include <cstdint>

#include "common/status.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels {

// The limit for the nesting of WhileSteps and SwitchSteps in the result of InlineCalls. Code that
// walks the steps is recursive, and inlining a call adds the callee's nesting to the caller's.
inline constexpr int kMaxStepDepth = 256;

// Returns the steps of the plan's entry function, with each CallStep replaced by the steps of the
// function that it calls; for targets that cannot run calls. Returns RESOURCE_EXHAUSTED if the
// result would have more than `max_steps` steps or nest deeper than kMaxStepDepth.
absl::StatusOr<Steps> InlineCalls(const Plan& plan, int64_t max_steps);

}  // namespace acceld::kernels
