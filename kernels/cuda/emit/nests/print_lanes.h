#pragma once

#include "kernels/cuda/emit/analysis/lanes.h"
#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/ir/build/loop_nests.h"

namespace acceld::kernels::cuda {

// Prints a parallel loop nest of which each thread executes several adjacent iterations at a time,
// with vector accesses (FindLanes): it loads the elements of all lanes, computes one lane after the
// other, and stores the elements of all lanes.
void PrintLanes(PrintContext& context, const ParallelNest& nest, const Lanes& lanes);

}  // namespace acceld::kernels::cuda
