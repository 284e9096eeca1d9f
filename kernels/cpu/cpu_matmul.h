#pragma once

#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// Whether the CPU's library runs this matrix product on this machine: its element types, sizes and
// strides. The places of its operands are not looked at. Thread-safe; remembers the answer for each
// pair of element types.
bool CanMatmul(const MatmulStep& matmul);

// Whether generated loops take less time for it than a call of the library.
bool LoopsAreFaster(const MatmulStep& matmul);

}  // namespace acceld::kernels::cpu
