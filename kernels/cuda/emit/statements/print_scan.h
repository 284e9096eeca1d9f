#pragma once

#include "kernels/cuda/emit/analysis/shared_scan.h"
#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/cuda/emit/context/thread_group.h"

namespace acceld::kernels::cuda {

// Prints a scan that a thread block executes together, or one thread. Each thread executes several
// iterations (items) at a time: it computes their elements, combines them, and stores the outcomes.
// One thread executes a scan that is too short for that, or whose body is too large, as a loop.
void PrintScan(PrintContext& context, const SharedScan& scan, ThreadGroup group);

}  // namespace acceld::kernels::cuda
