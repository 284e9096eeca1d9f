#pragma once

#include "absl/strings/string_view.h"
#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/cuda/emit/context/thread_group.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Prints a poll for cancellation that leaves the loop, if the kernel has so much work that the loop
// must poll (CancellationPolls). The loop has `num_iterations` iterations, numbered from 0 by the
// C++ expression `iteration`, and each executes `body` once. The threads of a block leave the loop
// together, because they synchronize inside it.
void PrintPoll(PrintContext& context, absl::string_view iteration, double num_iterations,
               const Block& body, ThreadGroup group);

}  // namespace acceld::kernels::cuda
