#pragma once

#include <cstdint>

#include "kernels/cuda/emit/analysis/cooperative_work.h"
#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Whether the reductions in the body of a parallel loop nest read columns: adjacent iterations of
// the nest's last loop, rather than adjacent iterations of the reduction, access adjacent memory.
// Then adjacent threads should execute adjacent iterations of the nest; a thread block for each
// iteration would access memory with large strides.
bool ReducesColumns(const Kernel& kernel, const Constants& constants,
                    const CooperativeWork& cooperative_work, const ParallelNest& nest);

// The same for the scans in the body of a parallel loop nest: whether adjacent iterations of the
// nest's last loop access adjacent memory, so that one thread should execute each scan. False if
// the last loop has only a few iterations.
bool ScansColumns(const Kernel& kernel, const Constants& constants,
                  const CooperativeWork& cooperative_work, const ParallelNest& nest);

// The number of threads that should share the reductions of one iteration (column) of a nest for
// which ReducesColumns is true: a power of two up to 32. It is 1 if there are enough columns or the
// columns are short, and 0 if threads of different columns cannot execute the nest's body together.
int ThreadsForColumn(const Kernel& kernel, const CooperativeWork& cooperative_work,
                     const ParallelNest& nest, const WorkDivision& work_division);

}  // namespace acceld::kernels::cuda
