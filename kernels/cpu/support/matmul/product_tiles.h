#pragma once

#include <cstdint>

#include "absl/types/span.h"

namespace acceld::kernels::cpu {

// One of the nested loops of a sum: the steps of both operands in elements.
struct SumLoop {
  int64_t count, lhs_step, rhs_step;
};

// A tile of a product of matrices that stays in registers. Its left operand is read where it lies:
// rows begin anywhere, and the loops of the sum step through all of them alike.
struct ProductTile {
  static constexpr int64_t kMaxRows = 8;
  static constexpr int kLoops = 3;

  int64_t rows, columns;
  // The first `count` rows of the tile, by the sum over kLoops loops, the outermost first:
  //   out[i][column + j] = sum of lhs[i][offset + l] * rhs[r + j]
  // or added to what is there.
  void (*run)(const SumLoop* loops, const float* const* lhs, int64_t offset, const float* rhs,
              int64_t count, bool add, float* const* out, int64_t column);
};

// The tiles that this CPU's vectors allow, of several, two and one vector, and a sum of arrays.
// Immutable; all functions are pure and run on the calling thread.
struct ProductTiles {
  ProductTile tiles[3];
  // to[j] += from[j]
  void (*add)(int64_t count, const float* from, float* to);

  int64_t lanes() const { return tiles[2].columns; }
};

// Products of fewer columns have no tile.
inline constexpr int64_t kMinTileColumns = 4;

// Those that this CPU runs, with the longest vectors first; the last ones have kMinTileColumns
// lanes.
absl::Span<const ProductTiles* const> AllProductTiles();

// Those with the longest vectors that `columns` fill; at least kMinTileColumns.
const ProductTiles& ProductTilesOf(int64_t columns);

// Products that are added up in a row; sums of so many are then added to each other. What a sum is
// off by grows with the number of additions in a row.
inline constexpr int64_t kLongestSum = 56;

// out[i][j] = sum over all loops of lhs[i][l] * rhs[r + j] for j < columns, or added to what is
// there. At least as many columns as the tiles have lanes.
void RunProduct(const ProductTiles& tiles, absl::Span<const SumLoop> loops,
                absl::Span<const float* const> lhs, const float* rhs, int64_t columns, bool add,
                float* const* out, int64_t longest_sum = kLongestSum);

}  // namespace acceld::kernels::cpu
