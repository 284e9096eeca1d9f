#pragma once

#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/cuda/emit/context/thread_group.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Prints a loop in the way in which the group executes it: the threads share its iterations, each
// thread executes all of them, or one thread does.
void PrintFor(PrintContext& context, const ForStatement& loop, ThreadGroup group);

}  // namespace acceld::kernels::cuda
