#pragma once

#include "common/status.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels {

// How many innermost iterations and products a run of the plan's entry takes at least: loops whose
// end the data decide count as one iteration, branches as the shortest of them.
double CountWork(const Plan& plan);

// So much work takes the fastest of devices more than a year. A program of a few lines can ask for
// it, by functions that each call the one before twice.
inline constexpr double kMostWork = 1e23;

// INVALID_ARGUMENT for a plan that takes more than kMostWork: it would never end.
absl::Status CheckWork(const Plan& plan);

}  // namespace acceld::kernels
