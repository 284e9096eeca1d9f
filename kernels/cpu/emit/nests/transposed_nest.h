#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "kernels/ir/build/nests.h"

namespace acceld::kernels::cpu {

// Parallel loops in which some loads go along memory with another loop than the last one, while
// stores go along it with the last one: a transpose, maybe amidst other work. Taken row by row,
// each of these loads would bring a whole cache line for one element of it. So the nest is cut into
// square blocks of these two loops' iterations; what such a load brings for a block is first copied
// to a small array, along memory, and then read from there.
struct TransposedNest {
  ParallelNest nest;
  size_t across = 0;  // the other loop, by its place in the nest
  // These loads, of the nest's body, and what their indices are computed by.
  std::vector<const Statement*> loads;
  absl::flat_hash_set<const Statement*> indices;

  int64_t side = 0;  // of a block, in iterations
  // What a thread takes at a time: so many blocks that are neighbours along the last loop.
  int64_t blocks_in_strip = 1;
  int64_t strips_of_last = 1;
  int64_t num_strips = 1;

  const ForStatement& last_loop() const { return *nest.loops.back(); }
  const ForStatement& across_loop() const { return *nest.loops[across]; }
  int64_t blocks_of_across() const { return (across_loop().extent + side - 1) / side; }
};

// Nullopt where that is no gain: `outermost` is no such nest, is small, or does more than to
// compute each element once.
absl::optional<TransposedNest> FindTransposedNest(const Kernel& kernel,
                                                  const ForStatement& outermost);

}  // namespace acceld::kernels::cpu
