#pragma once

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "kernels/cuda/emit/analysis/cooperative_work.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// The length of a tile's side, in iterations.
inline constexpr int64_t kTileSide = 32;

// How a thread block executes square tiles of the iterations of a parallel loop nest, along the
// nest's last loop and another one, if the nest transposes: all stores access adjacent memory along
// the last loop, but some loads do so along the other loop. The block first loads the elements of a
// tile along the other loop into shared memory, and then executes the tile's iterations along the
// last loop.
struct Tiles {
  const ForStatement* across = nullptr;  // the other loop; nullptr if the nest needs no tiles
  // The loads directly in the nest's body that go through shared memory.
  absl::flat_hash_set<const Statement*> loads;
  // The statements that compute the indices of `loads`.
  absl::flat_hash_set<const Statement*> indices;
  int64_t bytes = 0;  // of shared memory, for all loads
};

// Finds tiles for a nest. Both loops must have at least `min_extent` iterations, and the tiles must
// fit `max_bytes` of shared memory. There are none if the nest's body has loops.
Tiles FindTiles(const Kernel& kernel, const Constants& constants, const ParallelNest& nest,
                int64_t min_extent, int64_t max_bytes);

}  // namespace acceld::kernels::cuda
