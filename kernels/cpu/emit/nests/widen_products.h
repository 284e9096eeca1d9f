#pragma once

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// The kernel with its products over loops computed in f64 where they are of f32. Each of their
// multiplications rounds, whatever the order, so that the error of a product grows with its length;
// no blocks help, as they do with sums. Running products of scans are among them.
Kernel WidenProducts(Kernel kernel);

}  // namespace acceld::kernels::cpu
