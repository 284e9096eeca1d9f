#pragma once

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// Returns `kernel` with its f32 products over loops, including the running products of scans,
// computed in f64. Each multiplication rounds, in whatever order, so that the error of a product
// grows with its length; blocks, which help with sums (sum_in_blocks.h), do not help with products.
Kernel WidenProducts(Kernel kernel);

}  // namespace acceld::kernels::cpu
