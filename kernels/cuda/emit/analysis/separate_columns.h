#pragma once

#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Returns the kernel with the columns of tiles separated. For processors with caches, lowerings
// make parallel loop nests in which each iteration loops repeatedly over a tile of adjacent
// columns, and keeps the accumulators of each column in scratch, at the column's number. This pass
// makes each column a separate iteration of a new innermost parallel loop of the nest, and its
// accumulators scalar values. So adjacent threads compute adjacent columns, and the kernel needs no
// scratch. Loop nests of another form are kept as they are.
Kernel SeparateColumns(const Kernel& kernel);

}  // namespace acceld::kernels::cuda
