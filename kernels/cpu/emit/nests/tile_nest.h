#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// How nested parallel loops are divided into tiles, the pieces of work that threads take. A tile is
// one iteration of each outer loop with `tile_extent` consecutive iterations of the last one. Tiles
// depend on the kernel alone, never on the number of threads, so that the results do not either:
// LLVM may compute the last iterations of a tile differently from the others.
struct TileNest {
  std::vector<const ForStatement*> loops;  // outermost first
  int64_t tile_extent = 1;                 // iterations of the last loop in a tile
  // The number of tiles that the last loop is divided into, and the number of all tiles.
  int64_t tiles_of_last = 1;
  int64_t num_tiles = 1;
};

// Finds the tiles of `outermost`, a parallel loop, and of the parallel loops in it. Returns nullopt
// if the work is too small for several threads, or if there would be only one tile.
absl::optional<TileNest> FindTileNest(const Kernel& kernel, const ForStatement& outermost);

// Returns the values that the loop or block uses but does not define, in the order of their first
// use.
std::vector<Var> FreeVars(const Kernel& kernel, const ForStatement& loop);
std::vector<Var> FreeVars(const Kernel& kernel, const Block& block);

}  // namespace acceld::kernels::cpu
