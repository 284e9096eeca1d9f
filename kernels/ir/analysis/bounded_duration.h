#pragma once

#include "kernels/ir/plan.h"

namespace acceld::kernels {

// Whether the duration of a run hardly depends on the data: all steps are kernels, copies, matrix
// products, convolutions, attention, collectives, whose waits for other participants do not count,
// and calls, and no kernel has a while loop. (Kernels may still skip work for some data, so the
// durations of runs differ by a bounded factor.) The result is false for plans with other library
// routines, host callbacks, while loops or switches.
bool HasBoundedDuration(const Plan& plan);

// Whether the plan has collectives, so that its run waits for other participants.
bool HasCollectives(const Plan& plan);

}  // namespace acceld::kernels
