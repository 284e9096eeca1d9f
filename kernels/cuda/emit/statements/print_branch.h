#pragma once

#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/cuda/emit/context/thread_group.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Prints a branch. All threads of the group take the same alternative.
void PrintBranch(PrintContext& context, const IfStatement& branch, ThreadGroup group);

}  // namespace acceld::kernels::cuda
