#include "kernels/cpu/support/matmul/product_tiles.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"

namespace acceld::kernels::cpu {
namespace {

#define ACCELD_INLINE [[gnu::always_inline]] static inline

// A tile of kRows rows of kVectors vectors of kBytes bytes: as many accumulators as hide the
// latency of a fused multiply-add, and no more rows than there are registers for their addresses.
// The functions use the instruction set of the callers that they are inlined into.
template <int kBytes, int64_t kRows, int64_t kVectors>
struct Tile {
  // Elements of a vector need only a float's alignment in memory.
  typedef float Vector __attribute__((vector_size(kBytes), aligned(alignof(float)), may_alias));
  static constexpr int64_t kLanes = kBytes / static_cast<int64_t>(sizeof(float));

  ACCELD_INLINE Vector& At(float* p) { return *reinterpret_cast<Vector*>(p); }
  ACCELD_INLINE const Vector& At(const float* p) { return *reinterpret_cast<const Vector*>(p); }

  ACCELD_INLINE void Run(const SumLoop* loops, const float* const* lhs, int64_t offset,
                         const float* rhs, int64_t count, bool add, float* const* out,
                         int64_t column) {
    // Rows after the last one repeat its computation.
    const float* rows[kRows];
    Vector sum[kRows][kVectors];
#pragma GCC unroll 8
    for (int64_t i = 0; i < kRows; ++i) {
      rows[i] = lhs[i < count ? i : count - 1];
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) sum[i][v] = Vector{};
    }
    const SumLoop outer = loops[0], middle = loops[1], inner = loops[2];
    for (int64_t x = 0; x < outer.count; ++x) {
      for (int64_t y = 0; y < middle.count; ++y) {
        int64_t l = offset + x * outer.lhs_step + y * middle.lhs_step;
        const float* r = rhs + x * outer.rhs_step + y * middle.rhs_step;
        for (int64_t k = 0; k < inner.count; ++k, l += inner.lhs_step, r += inner.rhs_step) {
          Vector right[kVectors];
#pragma GCC unroll 4
          for (int64_t v = 0; v < kVectors; ++v) right[v] = At(r + v * kLanes);
#pragma GCC unroll 8
          for (int64_t i = 0; i < kRows; ++i) {
            const float left = rows[i][l];
#pragma GCC unroll 4
            for (int64_t v = 0; v < kVectors; ++v) sum[i][v] += left * right[v];
          }
        }
      }
    }
#pragma GCC unroll 8
    for (int64_t i = 0; i < kRows; ++i) {
      if (i >= count) return;
      float* const to = out[i] + column;
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) {
        At(to + v * kLanes) = add ? At(to + v * kLanes) + sum[i][v] : sum[i][v];
      }
    }
  }

  ACCELD_INLINE void Add(int64_t count, const float* from, float* to) {
    int64_t j = 0;
    for (; j + kLanes <= count; j += kLanes) At(to + j) += At(from + j);
    for (; j < count; ++j) to[j] += from[j];
  }
};

#undef ACCELD_INLINE

// Defines the tiles of many, two and one vectors, compiled for the instruction set `target`.
#define ACCELD_PRODUCT_TILES(Name, target, kBytes, kManyRows, kMany, kRowsOfTwo, kRowsOfOne)    \
  template <int64_t kRows, int64_t kVectors>                                                    \
  target void Name##Run(const SumLoop* loops, const float* const* lhs, int64_t offset,          \
                        const float* rhs, int64_t count, bool add, float* const* out,           \
                        int64_t column) {                                                       \
    Tile<kBytes, kRows, kVectors>::Run(loops, lhs, offset, rhs, count, add, out, column);       \
  }                                                                                             \
  target void Name##Add(int64_t count, const float* from, float* to) {                          \
    Tile<kBytes, 1, 1>::Add(count, from, to);                                                   \
  }                                                                                             \
  constexpr ProductTiles k##Name{{{kManyRows, kMany * kBytes / 4, Name##Run<kManyRows, kMany>}, \
                                  {kRowsOfTwo, 2 * kBytes / 4, Name##Run<kRowsOfTwo, 2>},       \
                                  {kRowsOfOne, kBytes / 4, Name##Run<kRowsOfOne, 1>}},          \
                                 Name##Add};                                                    \
  static_assert(std::max({kManyRows, kRowsOfTwo, kRowsOfOne}) <= ProductTile::kMaxRows);

#if defined(__x86_64__)
ACCELD_PRODUCT_TILES(Avx512, [[gnu::target("avx512f,avx512vl,avx512dq,fma")]], 64, 6, 4, 8, 8)
ACCELD_PRODUCT_TILES(Avx2, [[gnu::target("avx2,fma")]], 32, 4, 3, 6, 8)
#endif
ACCELD_PRODUCT_TILES(Baseline, , 16, 4, 3, 6, 8)
#undef ACCELD_PRODUCT_TILES

struct TilesOfThisCpu {
  const ProductTiles* tiles[3];
  size_t count = 0;

  TilesOfThisCpu() {
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
      tiles[count++] = &kAvx512;
    }
    if (has_avx2) tiles[count++] = &kAvx2;
#endif
    tiles[count++] = &kBaseline;
  }
};

// A part of a sum.
struct Segment {
  SumLoop loops[ProductTile::kLoops];
  int64_t lhs_offset, rhs_offset;
};
using Segments = absl::InlinedVector<Segment, 16>;

// Appends the parts of a sum to `segments`. The loops before number `level` are at one iteration.
void AddSegments(Segment sum, int level, int64_t longest_sum, Segments& segments) {
  int64_t inside = 1;
  for (int l = level + 1; l < ProductTile::kLoops; ++l) inside *= sum.loops[l].count;
  const SumLoop loop = sum.loops[level];
  if (inside >= longest_sum && level + 1 < ProductTile::kLoops) {
    sum.loops[level].count = 1;
    for (int64_t i = 0; i < loop.count; ++i) {
      AddSegments(sum, level + 1, longest_sum, segments);
      sum.lhs_offset += loop.lhs_step;
      sum.rhs_offset += loop.rhs_step;
    }
    return;
  }
  // The parts have nearly the same length.
  const int64_t parts = (loop.count * inside + longest_sum - 1) / longest_sum;
  for (int64_t part = 0, first = 0; part < parts; ++part) {
    const int64_t end = (part + 1) * loop.count / parts;
    sum.loops[level].count = end - first;
    if (end > first) segments.push_back(sum);
    sum.lhs_offset += (end - first) * loop.lhs_step;
    sum.rhs_offset += (end - first) * loop.rhs_step;
    first = end;
  }
}

// Computes the columns [column, column + tile.columns) of all rows.
void RunColumns(const ProductTile& tile, const Segments& segments,
                absl::Span<const float* const> lhs, const float* rhs, int64_t column, bool add,
                float* const* out) {
  const auto num_rows = static_cast<int64_t>(lhs.size());
  for (int64_t row = 0; row < num_rows; row += tile.rows) {
    bool adds = add;
    for (const Segment& segment : segments) {
      tile.run(segment.loops, lhs.data() + row, segment.lhs_offset,
               rhs + segment.rhs_offset + column, std::min(tile.rows, num_rows - row), adds,
               out + row, column);
      adds = true;
    }
  }
}

// Computes the columns [column, columns) of all rows, fewer than `tile` has. The tile begins at an
// earlier column and ends at `columns`; only the columns from `column` on are stored.
void RunLastColumns(const ProductTile& tile, const Segments& segments,
                    absl::Span<const float* const> lhs, const float* rhs, int64_t column,
                    int64_t columns, bool add, float* const* out) {
  constexpr int64_t kMaxColumns = 16;
  const int64_t first = columns - tile.columns;
  alignas(64) float aside[ProductTile::kMaxRows * kMaxColumns];
  float* targets[ProductTile::kMaxRows];
  for (int64_t i = 0; i < tile.rows; ++i) targets[i] = aside + i * kMaxColumns;
  const auto num_rows = static_cast<int64_t>(lhs.size());
  for (int64_t row = 0; row < num_rows; row += tile.rows) {
    const int64_t count = std::min(tile.rows, num_rows - row);
    bool adds = false;
    for (const Segment& segment : segments) {
      tile.run(segment.loops, lhs.data() + row, segment.lhs_offset,
               rhs + segment.rhs_offset + first, count, adds, targets, 0);
      adds = true;
    }
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = column; j < columns; ++j) {
        float& to = out[row + i][j];
        to = add ? to + targets[i][j - first] : targets[i][j - first];
      }
    }
  }
}

// Computes all columns, tile by tile.
void RunSegments(const ProductTiles& tiles, const Segments& segments,
                 absl::Span<const float* const> lhs, const float* rhs, int64_t columns, bool add,
                 float* const* out) {
  int64_t column = 0;
  for (const ProductTile& tile : tiles.tiles) {
    for (; column + tile.columns <= columns; column += tile.columns) {
      RunColumns(tile, segments, lhs, rhs, column, add, out);
    }
  }
  if (column < columns) {
    RunLastColumns(tiles.tiles[2], segments, lhs, rhs, column, columns, add, out);
  }
}

}  // namespace

absl::Span<const ProductTiles* const> AllProductTiles() {
  static const TilesOfThisCpu all;
  return absl::MakeConstSpan(all.tiles, all.count);
}

const ProductTiles& ProductTilesOf(int64_t columns) {
  const auto all = AllProductTiles();
  size_t i = 0;
  while (i + 1 < all.size() && all[i]->lanes() > columns) ++i;
  return *all[i];
}

void RunProduct(const ProductTiles& tiles, absl::Span<const SumLoop> loops,
                absl::Span<const float* const> lhs, const float* rhs, int64_t columns, bool add,
                float* const* out, int64_t longest_sum) {
  constexpr size_t kInner = ProductTile::kLoops;
  Segment sum{{{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}, 0, 0};
  const size_t num_inner = std::min(kInner, loops.size());
  const absl::Span<const SumLoop> outer = loops.first(loops.size() - num_inner);
  std::copy(loops.end() - num_inner, loops.end(), sum.loops + kInner - num_inner);
  int64_t times = 1;
  for (const SumLoop& loop : outer) times *= loop.count;
  for (int64_t i = 0; i < times; ++i) {
    sum.lhs_offset = sum.rhs_offset = 0;
    int64_t rest = i;
    for (size_t l = outer.size(); l-- > 0; rest /= outer[l].count) {
      sum.lhs_offset += rest % outer[l].count * outer[l].lhs_step;
      sum.rhs_offset += rest % outer[l].count * outer[l].rhs_step;
    }
    Segments segments;
    AddSegments(sum, 0, longest_sum, segments);
    RunSegments(tiles, segments, lhs, rhs, columns, add || i > 0, out);
  }
}

}  // namespace acceld::kernels::cpu
