#pragma once

#include "common/status.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Checks the internal consistency of a kernel: each value is defined once, before its uses and in a
// block that encloses them; operand types fit the operations; buffers exist and allow the access;
// extents, carried values and branch results are valid. Returns INTERNAL, with the kernel's name
// and the value or buffer at fault, if not.
absl::Status VerifyKernel(const Kernel& kernel);

}  // namespace acceld::kernels
