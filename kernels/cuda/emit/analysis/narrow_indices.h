#pragma once

#include <vector>

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Which i64 values of a kernel (by Var) always fit 32 bits, in which a GPU computes several times
// as fast: most indices do.
std::vector<bool> FindNarrowIndices(const Kernel& kernel);

// Whether `op` on narrow operands, whose result is narrow or no i64, gives the same in 32 bits.
bool IsSameInFewerBits(ScalarOp op);

}  // namespace acceld::kernels::cuda
