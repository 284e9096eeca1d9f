#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "kernels/ir/kernel.h"

// What loops and blocks of a kernel are made of.
namespace acceld::kernels {

// Parallel loops that directly contain each other, outermost first, as one space of iterations.
struct ParallelNest {
  std::vector<const ForStatement*> loops;
  int64_t iterations = 1;

  const Block& body() const { return loops.back()->body; }
};
// `loop` is parallel.
ParallelNest NestOf(const ForStatement& loop);

// The loop that is all there is in `block`; null if there is none.
const ForStatement* OnlyLoop(const Block& block);

// The statements of `block` and of all blocks inside.
size_t CountStatements(const Block& block);

// The statements of `block` itself from which these values come; values from outside are left out.
absl::flat_hash_set<const Statement*> SliceOf(const Block& block, absl::flat_hash_set<Var> values);

}  // namespace acceld::kernels
