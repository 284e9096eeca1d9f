#pragma once

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "kernels/cuda/emit/analysis/team_work.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Of a tile's side, in iterations.
inline constexpr int64_t kTileSide = 32;

// How a block of threads takes a tile of a nest's iterations, along its last loop and another one:
// of some loads, neighbours in memory are neighbours along the other loop, and all stores go along
// the last. So the block first loads what the tile needs along the one, keeps it in shared memory,
// and then goes along the other: a transpose.
struct Tiles {
  const ForStatement* across = nullptr;  // the other loop; null when there is nothing to gain
  // Loads of the nest's body (never of blocks inside) that go through shared memory.
  absl::flat_hash_set<const Statement*> loads;
  // What their indices are computed by, themselves not included.
  absl::flat_hash_set<const Statement*> indices;
  int64_t bytes = 0;  // of shared memory
};

// Both loops have `min_extent` iterations at least; tiles have `max_bytes` together. A body with
// loops has no tiles.
Tiles FindTiles(const Kernel& kernel, const Constants& constants, const ParallelNest& nest,
                int64_t min_extent, int64_t max_bytes);

}  // namespace acceld::kernels::cuda
