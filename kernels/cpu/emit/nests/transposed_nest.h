#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "kernels/ir/build/loop_nests.h"

namespace acceld::kernels::cpu {

// Nested parallel loops that transpose, possibly amid other work: the stores access consecutive
// elements along the last loop, but some loads access consecutive elements along another loop.
// Executed in the order of the loops, each of these loads would fetch a whole cache line for one
// element of it. Therefore the iterations of these two loops are divided into square blocks. The
// elements that such a load accesses in a block are first copied, in the order of memory, to a
// small array, and then read from that.
struct TransposedNest {
  ParallelNest nest;
  size_t across = 0;  // the index of the other loop in nest.loops
  // These loads, and the statements that compute their indices. All are statements of the innermost
  // body.
  std::vector<const Statement*> loads;
  absl::flat_hash_set<const Statement*> indices;

  int64_t side = 0;  // iterations of each of the two loops in a block
  // The blocks in a strip, the piece of work that a thread takes. They are neighbours along the
  // last loop.
  int64_t blocks_in_strip = 1;
  // The number of strips along the last loop, and the number of all strips.
  int64_t strips_of_last = 1;
  int64_t num_strips = 1;

  const ForStatement& last_loop() const { return *nest.loops.back(); }
  const ForStatement& across_loop() const { return *nest.loops[across]; }
  int64_t blocks_of_across() const { return (across_loop().extent + side - 1) / side; }
};

// Finds the blocks of `outermost`, a parallel loop, and of the parallel loops in it. Returns
// nullopt if they do not transpose, if the arrays or the work are too small for blocks to pay, or
// if the kernel has scratch or the innermost body contains loops or branches.
absl::optional<TransposedNest> FindTransposedNest(const Kernel& kernel,
                                                  const ForStatement& outermost);

}  // namespace acceld::kernels::cpu
