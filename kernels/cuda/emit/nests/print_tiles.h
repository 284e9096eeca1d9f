#pragma once

#include "kernels/cuda/emit/analysis/tiles.h"
#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/ir/build/loop_nests.h"

namespace acceld::kernels::cuda {

// Prints a parallel loop nest that transposes: each thread block executes tiles of the nest's
// iterations by way of shared memory (FindTiles). It stores the elements that are to be transposed
// in shared memory along the other loop, and reads them from there along the nest's last loop.
void PrintTiles(PrintContext& context, const ParallelNest& nest, const Tiles& tiles);

}  // namespace acceld::kernels::cuda
