#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ir/kernel.h"

// What several threads can do of a kernel together.
namespace acceld::kernels::cuda {

// Parallel loops that directly contain each other, outermost first, as one space of iterations.
struct ParallelNest {
  std::vector<const ForStatement*> loops;
  int64_t iterations = 1;

  const Block& body() const { return loops.back()->body; }
};
// `loop` is parallel.
ParallelNest NestOf(const ForStatement& loop);

// Reduction loops that directly contain each other and combine each carried value by one operation
// that has an identity, so that each thread can take a part of the iterations.
struct SharedReduction {
  std::vector<const ForStatement*> loops;  // outermost first
  std::vector<ScalarOp> combine;           // of each carried value
  int64_t iterations = 1;

  const Block& body() const { return loops.back()->body; }
};
// Of no loops when `loop` is no such reduction.
SharedReduction SharedReductionOf(const ForStatement& loop);
// The bits of the identity of a combining operation.
uint64_t IdentityOf(ScalarOp combine, DType dtype);

// The most iterations that a block of threads could share at a time somewhere in `block`, where all
// of them are; 1 when there is nothing to share.
int64_t WorkForTeam(const Block& block);

// Whether all threads of a team can go through `block` together: what only one of them may do,
// because it stores, gives the others no value.
bool SuitsTeam(const Block& block);

}  // namespace acceld::kernels::cuda
