#pragma once

#include <cstdint>

#include "absl/types/span.h"

namespace acceld::kernels::cpu {

// One of the nested loops over the products of a sum. The steps are the distances, in elements,
// from one iteration's operands to the next one's.
struct SumLoop {
  int64_t count, lhs_step, rhs_step;
};

// A function that computes a tile of a matrix product, whose sums stay in registers. The rows of
// the left operand may begin at any addresses; the loops of the sum advance by the same steps in
// all rows.
struct ProductTile {
  static constexpr int64_t kMaxRows = 8;
  static constexpr int kLoops = 3;

  int64_t rows, columns;
  // Computes the first `count` rows of the tile. The sum goes over kLoops nested loops, the
  // outermost first:
  //   out[i][column + j] = sum of lhs[i][offset + l] * rhs[r + j]
  // where l and r are the positions that the loops give in the operands. With `add` the sums are
  // added to the output.
  void (*run)(const SumLoop* loops, const float* const* lhs, int64_t offset, const float* rhs,
              int64_t count, bool add, float* const* out, int64_t column);
};

// The functions for one size of vectors: tiles whose columns are several vectors, two vectors and
// one vector, and the addition of arrays. Immutable; all functions are pure and run on the calling
// thread.
struct ProductTiles {
  ProductTile tiles[3];
  // to[j] += from[j]
  void (*add)(int64_t count, const float* from, float* to);

  // The number of elements in a vector.
  int64_t lanes() const { return tiles[2].columns; }
};

// The least number of columns that a product by tiles must have.
inline constexpr int64_t kMinTileColumns = 4;

// Returns the ProductTiles that this CPU supports, those with the longest vectors first. The
// vectors of the last ones have kMinTileColumns elements.
absl::Span<const ProductTiles* const> AllProductTiles();

// Returns the ProductTiles of this CPU that have the longest vectors of at most `columns` elements.
// `columns` is at least kMinTileColumns.
const ProductTiles& ProductTilesOf(int64_t columns);

// The most products that are added up one after the other. Longer sums are made of several such
// sums, as the error of a sum grows with the number of consecutive additions.
inline constexpr int64_t kLongestSum = 56;

// Computes out[i][j] = sum over all loops of lhs[i][l] * rhs[r + j] for j < columns, where l and r
// are the positions that the loops give; with `add` the sums are added to the output. There must be
// at least as many columns as the tiles have lanes.
void RunProduct(const ProductTiles& tiles, absl::Span<const SumLoop> loops,
                absl::Span<const float* const> lhs, const float* rhs, int64_t columns, bool add,
                float* const* out, int64_t longest_sum = kLongestSum);

}  // namespace acceld::kernels::cpu
