#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernels/cuda/emit/context/print_context.h"
#include "kernels/ir/kernel.h"

// Loops with one counter, which stands for all iterations of a loop nest, numbered in row-major
// order. Threads share such a loop: each begins with its own number and adds their number.
namespace acceld::kernels::cuda {

// The type of such a counter: 32 bits if it can hold the number of iterations and one stride more,
// because GPUs divide 64-bit integers very slowly.
absl::string_view FlatIndexType(int64_t iterations);

// Begins a loop, with the counter `flat`, whose iterations are distributed among all threads. Each
// iteration executes `body` once. The caller closes the brace.
void OpenGridLoop(PrintContext& context, int64_t iterations, const Block& body);

// Begins a loop, with the counter `name`, whose iterations are distributed among thread blocks. The
// caller closes the brace.
void OpenBlockLoop(PrintContext& context, int64_t iterations, const Block& body,
                   absl::string_view name = "flat");

// Defines the induction variables of `loops` from the counter `flat`, which is below the product of
// their extents, `iterations`. With a width, each value of `flat` stands for that many iterations
// of the last loop, and the last induction variable is the first of these.
void DefineInductions(PrintContext& context, const std::vector<const ForStatement*>& loops,
                      int64_t iterations, int64_t width = 1);

}  // namespace acceld::kernels::cuda
