#pragma once

#include <cstdint>

#include "kernels/cuda/emit/analysis/team_work.h"
#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Whether the iterations of a nest reduce columns: neighbours in memory are along the nest's last
// loop, not along the reduction's. Then neighbouring threads belong on neighbouring iterations, and
// a row of its own for each block would read memory piece by piece.
bool IsOfColumns(const Kernel& kernel, const Constants& constants, const TeamWork& team_work,
                 const ParallelNest& nest);

// The same of a nest that scans: neighbouring threads then belong on neighbouring lines, each of
// which one thread goes through, unless there are too few to be neighbours.
bool ScansColumns(const Kernel& kernel, const Constants& constants, const TeamWork& team_work,
                  const ParallelNest& nest);

// How many threads share the reductions of one column of such a nest: a power of two, up to 32; 1
// when there are columns enough or the columns are short; 0 when there is more in the body than
// threads on different columns can go through together.
int ThreadsForColumn(const Kernel& kernel, const TeamWork& team_work, const ParallelNest& nest,
                     const Sharing& sharing);

}  // namespace acceld::kernels::cuda
