#pragma once

#include "common/status.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {

// Checks that a kernel is well-formed: each value is defined once, before its uses and in a block
// that encloses them; operand types fit the operations; buffers exist and allow the access;
// extents, carried values and branch results are valid. Otherwise returns INTERNAL, with the
// kernel's name and the value or buffer at fault.
absl::Status VerifyKernel(const Kernel& kernel);

}  // namespace acceld::kernels
