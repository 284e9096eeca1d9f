#pragma once

#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// Whether the CPU's library runs this convolution on this machine. The places of its operands are
// not looked at. Thread-safe.
bool CanConvolve(const ConvolutionStep& convolution);

}  // namespace acceld::kernels::cpu
