#pragma once

#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/ir/build/loop_nests.h"

namespace acceld::kernels::cuda {

// Prints a parallel loop nest of which each thread block executes 32 adjacent iterations, its
// columns, with `threads` threads for each of them (ThreadsForColumn). Adjacent threads have
// adjacent columns.
void PrintColumns(PrintContext& context, const ParallelNest& nest, int threads);

}  // namespace acceld::kernels::cuda
