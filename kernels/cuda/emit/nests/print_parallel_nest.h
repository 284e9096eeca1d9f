#pragma once

#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/cuda/emit/context/thread_group.h"
#include "kernels/ir/build/loop_nests.h"

namespace acceld::kernels::cuda {

// Prints a parallel loop nest whose iterations the threads of the group share. For all threads of
// the launch, chooses among these ways:
// - rows: each thread block executes an iteration together;
// - columns: each thread block executes adjacent iterations, and a few threads share each of them
//   (print_columns.h);
// - elements: each thread executes iterations by itself; possibly several adjacent ones at a time
//   (print_lanes.h), or with the other threads of its block by way of shared memory
//   (print_tiles.h).
// Other groups have their iterations executed by one thread each.
void PrintParallelNest(PrintContext& context, const ParallelNest& nest, ThreadGroup group);

}  // namespace acceld::kernels::cuda
