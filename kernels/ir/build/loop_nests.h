#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "kernels/ir/kernel.h"

// Queries about the structure of a kernel's loops and blocks.
namespace acceld::kernels {

// A perfect nest of parallel loops: the body of each loop but the innermost consists of the next
// loop alone. The pointers are to loops of the kernel, which must outlive the nest.
struct ParallelNest {
  std::vector<const ForStatement*> loops;  // outermost first
  int64_t iterations = 1;                  // the product of the extents

  const Block& body() const { return loops.back()->body; }
};
// The largest such loop nest that begins with `loop`, which must be parallel.
ParallelNest NestOf(const ForStatement& loop);

// Returns the loop if `block` consists of one ForStatement, else nullptr.
const ForStatement* OnlyLoop(const Block& block);

// The number of statements in `block` and, recursively, in the blocks of its statements.
size_t CountStatements(const Block& block);

// The backward slice of `values`: the constants, scalar operations and loads that are directly in
// `block` and on which the values depend. Values that other statements define are ignored.
absl::flat_hash_set<const Statement*> SliceOf(const Block& block, absl::flat_hash_set<Var> values);

}  // namespace acceld::kernels
