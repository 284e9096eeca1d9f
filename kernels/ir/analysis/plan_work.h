#pragma once

#include "common/status.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels {

// Returns a lower bound for the work of one run of the plan's entry function, in steps: iterations
// of innermost loops, multiplications of matrix products, bytes copied. While loops count as one
// evaluation of their condition, and branches as the cheapest alternative.
double CountWork(const Plan& plan);

// The limit for CountWork, in steps; the fastest device would take more than a year for so many. A
// short program can exceed it with a chain of functions, each of which calls the next one twice.
inline constexpr double kMaxWorkSteps = 1e23;

// Returns INVALID_ARGUMENT if the plan takes more than kMaxWorkSteps steps.
absl::Status CheckWork(const Plan& plan);

}  // namespace acceld::kernels
