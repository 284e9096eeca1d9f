#pragma once

#include <cstdint>

#include "common/status.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels {

// The steps of the plan's entry with those of the functions it calls in place of CallSteps: for
// targets whose runs know no calls. RESOURCE_EXHAUSTED when that are more than `max_steps`.
absl::StatusOr<Steps> InlineCalls(const Plan& plan, int64_t max_steps);

}  // namespace acceld::kernels
