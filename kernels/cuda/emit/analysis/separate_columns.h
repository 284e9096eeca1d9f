#pragma once

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// The kernel with columns taken apart. For processors with caches, each iteration of a nest often
// walks a tile of neighbouring columns again and again and keeps what belongs to each in scratch,
// at the column's number. Here each column becomes an iteration of its own, the last loop of the
// nest, and what it kept in scratch becomes values. So neighbouring threads take neighbouring
// columns, and nothing stands in memory. Nests of which this can't be said stay as they are.
Kernel SeparateColumns(const Kernel& kernel);

}  // namespace acceld::kernels::cuda
