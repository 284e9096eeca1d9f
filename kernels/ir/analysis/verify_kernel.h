#pragma once

#include "common/status.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// An internal consistency check, run on every lowered kernel in tests and when a plan is dumped:
// values are defined once, before their uses and in a block that encloses them; operand types fit
// their operations; buffer numbers, accesses and loop shapes are right. INTERNAL on failure, naming
// the kernel and the statement.
absl::Status VerifyKernel(const Kernel& kernel);

}  // namespace acceld::kernels
