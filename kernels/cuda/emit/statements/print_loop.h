#pragma once

#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/cuda/emit/context/thread_group.h"
#include "kernels/ir/kernel.h"

// Loops of which every thread of a group executes all iterations, in their order.
namespace acceld::kernels::cuda {

// Prints a loop with a known number of iterations. One thread compensates long float sums for
// rounding errors (PrintReductionAlone).
void PrintLoop(PrintContext& context, const ForStatement& loop, ThreadGroup group);

// Prints a loop that ends when its condition is false or the kernel is cancelled. Its blocks are
// printed for one thread: if several execute it, it stores nothing (CooperativeWork), so each of
// them can execute all of it.
void PrintWhile(PrintContext& context, const WhileStatement& loop);

// Prints the head of a for loop of one thread over the loop's induction variable, and its poll for
// cancellation. The caller prints the body and closes the brace.
void OpenLoop(PrintContext& context, const ForStatement& loop, ThreadGroup group);

}  // namespace acceld::kernels::cuda
