#pragma once

#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// Returns whether the run-time support can compute this matrix product on this machine, by oneDNN
// or by loops of its own. The answer depends on the element types, sizes, strides and the epilogue
// (none is supported); the buffer locations of the operands are not inspected. The library
// primitives made for the check are cached by element types, so that further checks are cheap.
// Thread-safe.
bool CanMatmul(const MatmulStep& matmul);

// Returns whether generated loops are estimated to take less time for this matrix product than a
// library call.
bool LoopsAreFaster(const MatmulStep& matmul);

// Returns whether operands narrower than f32 are multiplied at least as fast as operands of f32.
bool IsMatmulFast(const MatmulStep& matmul);

}  // namespace acceld::kernels::cpu
