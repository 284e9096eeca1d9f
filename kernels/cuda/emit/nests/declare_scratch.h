#pragma once

#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/cuda/emit/context/thread_group.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Declares the scratch arrays that `block` uses. A thread block has them in shared memory; one
// thread has its own, which the compiler keeps in registers or in the thread's local memory.
void DeclareScratch(PrintContext& context, const Block& block, ThreadGroup group);

}  // namespace acceld::kernels::cuda
