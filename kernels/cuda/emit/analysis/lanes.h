#pragma once

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "kernels/cuda/emit/analysis/team_work.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// How one thread takes several neighbouring iterations of a nest's last loop, its lanes, and loads
// and stores their elements together. Buffers begin at multiples of 64 bytes.
struct Lanes {
  int64_t width = 1;  // a power of two; 1 when each thread takes one iteration
  // Statements of the nest's body (never of blocks inside) that load or store neighbours. All other
  // loads give each lane the same.
  absl::flat_hash_set<const Statement*> together;
  // What their indices are computed by, themselves not included.
  absl::flat_hash_set<const Statement*> indices;
};

// At least `enough_threads` have something to do, or the width is 1. So it is where the body has
// loops, does much else than to load and store, or has a load or store that is no neighbours'.
Lanes FindLanes(const Kernel& kernel, const Constants& constants, const ParallelNest& nest,
                int64_t enough_threads);

}  // namespace acceld::kernels::cuda
