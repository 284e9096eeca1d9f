#pragma once

#include "kernels/ir/plan.h"

namespace acceld::kernels {

// Whether every run of the plan takes about as long as any other: it consists of kernels, copies,
// matrix products, convolutions and attention alone, and no loop goes on for as long as the data
// say. (A kernel may still skip work, so runs differ by a factor, but not without bound.) A plan
// that calls another routine of a library is not steady.
bool IsSteady(const Plan& plan);

}  // namespace acceld::kernels
