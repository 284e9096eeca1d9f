#pragma once

#include "kernels/cuda/emit/analysis/cooperative_work.h"
#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/cuda/emit/context/thread_group.h"
#include "kernels/ir/kernel.h"

// Loop nests that reduce their iterations to one value, or a few. Each thread accumulates some of
// the iterations in variables of its own, the partial results. Long sums of floats are compensated
// for rounding errors (device/sums.cuh).
namespace acceld::kernels::cuda {

// Prints a reduction whose iterations the threads of a block or of a column share; then they
// combine their partial results.
void PrintReduction(PrintContext& context, const SharedReduction& reduction, ThreadGroup group);

// Prints a reduction that one thread executes.
void PrintReductionAlone(PrintContext& context, const SharedReduction& reduction);

// Whether any value of the reduction is a sum that is compensated.
bool HasCompensatedSums(const Kernel& kernel, const SharedReduction& reduction);

}  // namespace acceld::kernels::cuda
