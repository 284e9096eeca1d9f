#pragma once

#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// Returns whether oneDNN, the CPU's library, can compute this convolution on this machine. The
// answer depends on the element types and the shape; the buffer locations of the operands are not
// inspected. Thread-safe.
bool CanConvolve(const ConvolutionStep& convolution);

}  // namespace acceld::kernels::cpu
