#pragma once

#include <cstdint>

#include "common/status.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels {

// How deep the steps of a plan without calls may be in loops and branches. With calls they may be
// deeper, by as much as calls are; what walks such steps does so by recursion.
inline constexpr int kMaxStepDepth = 256;

// The steps of the plan's entry with those of the functions it calls in place of CallSteps: for
// targets whose runs know no calls. RESOURCE_EXHAUSTED when that are more than `max_steps`, or when
// they are deeper than kMaxStepDepth.
absl::StatusOr<Steps> InlineCalls(const Plan& plan, int64_t max_steps);

}  // namespace acceld::kernels
