#pragma once

#include <vector>

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Finds the i64 values of a kernel that always fit a signed 32-bit integer, as most indices do;
// GPUs compute with 32 bits several times as fast. The result is indexed by Var.
std::vector<bool> FindNarrowIndices(const Kernel& kernel);

// Whether `op` may be computed in 32 bits if its i64 operands, and its result if that is an i64,
// are such values.
bool IsExactIn32Bits(ScalarOp op);

}  // namespace acceld::kernels::cuda
