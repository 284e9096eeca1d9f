#pragma once

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "kernels/cuda/emit/analysis/cooperative_work.h"
#include "kernels/ir/analysis/patterns.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// How one thread executes several adjacent iterations of the last loop of a parallel loop nest, its
// lanes, and loads and stores their elements by vector accesses. Buffers are aligned to 64 bytes.
struct Lanes {
  int64_t width = 1;  // the number of lanes, a power of two; 1 if each thread has one iteration
  // The statements directly in the nest's body that load or store adjacent elements for the lanes.
  // Every other load gives all lanes the same value.
  absl::flat_hash_set<const Statement*> together;
  // The statements that compute the indices of `together`.
  absl::flat_hash_set<const Statement*> indices;
};

// Finds the widest vector accesses with which at least `enough_threads` threads have work. The
// width is 1 if there are none: if the body has loops, computes much between loads and stores, or
// has a load or store that the lanes cannot do together.
Lanes FindLanes(const Kernel& kernel, const Constants& constants, const ParallelNest& nest,
                int64_t enough_threads);

}  // namespace acceld::kernels::cuda
