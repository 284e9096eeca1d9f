#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// How parallel loops nested in each other are cut into tiles, the pieces that threads take: the
// outer loops are run through completely, one iteration of each per tile; the last one in runs of
// `tile_extent` iterations. Depends on the kernel alone, never on the number of threads, so that
// results do not either (LLVM may compute the end of a run differently from its middle).
struct TileNest {
  std::vector<const ForStatement*> loops;  // from the outside
  int64_t tile_extent = 1;                 // iterations of the last loop
  int64_t tiles_of_last = 1;
  int64_t num_tiles = 1;
};

// nullopt when the work is too small for several threads, or cannot be cut in two.
absl::optional<TileNest> FindTileNest(const Kernel& kernel, const ForStatement& outermost);

// Values that the loop or block uses and defines nowhere inside itself, in order of first use.
std::vector<Var> FreeVars(const Kernel& kernel, const ForStatement& loop);
std::vector<Var> FreeVars(const Kernel& kernel, const Block& block);

}  // namespace acceld::kernels::cpu
