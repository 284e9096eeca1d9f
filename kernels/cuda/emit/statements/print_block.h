#pragma once

#include "absl/container/flat_hash_set.h"
#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/cuda/emit/context/thread_group.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Prints the statements of a block for a group of threads that executes them together, with
// barriers where a statement must wait for earlier ones (Barriers).
void PrintBlock(PrintContext& context, const Block& block, ThreadGroup group);

// Prints one statement for a group of threads, without a barrier before it.
void PrintStatement(PrintContext& context, const Statement& statement, ThreadGroup group);

// Prints, for one thread, those statements directly in `block` that are in `statements`. They
// must not be loops or branches.
void PrintSlice(PrintContext& context, const Block& block,
                const absl::flat_hash_set<const Statement*>& statements);

}  // namespace acceld::kernels::cuda
