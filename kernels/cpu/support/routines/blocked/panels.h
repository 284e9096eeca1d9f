#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/support/routines/blocked/micro_kernels.h"
#include "kernels/cpu/support/routines/for_each_in_blocks.h"
#include "kernels/cpu/support/scratchpad.h"

// Packs the operands of MicroKernels.
namespace acceld::kernels::cpu {

// A view of a matrix with arbitrary distances between rows and between columns: a transposed view
// has the steps exchanged, and one that begins at the end has negative steps.
template <typename T>
struct MatrixView {
  T* data;
  int64_t row_step, column_step;

  T* At(int64_t row, int64_t column) const { return data + row * row_step + column * column_step; }
  // Returns the view of the matrix from this element on.
  MatrixView From(int64_t row, int64_t column) const {
    return {At(row, column), row_step, column_step};
  }
  MatrixView Transposed() const { return {data, column_step, row_step}; }
};

// `rows` x `columns` elements of `from`, at most `width` columns, as rows of `width` elements with
// zeros behind.
template <typename T>
void LoadPanel(MatrixView<const T> from, int64_t rows, int64_t columns, int64_t width, T* to) {
  if (from.column_step == 1) {
    for (int64_t r = 0; r < rows; ++r) std::copy_n(from.At(r, 0), columns, to + r * width);
  } else {
    ForEachInBlocks(columns, rows,
                    [&](int64_t c, int64_t r) { to[r * width + c] = *from.At(r, c); });
  }
  for (int64_t r = 0; columns < width && r < rows; ++r) {
    std::fill(to + r * width + columns, to + (r + 1) * width, T(0));
  }
}

// Copies a panel with rows of `width` elements back to `rows` x `columns` elements of `to`.
template <typename T>
void StorePanel(const T* from, int64_t rows, int64_t columns, int64_t width, MatrixView<T> to) {
  if (to.column_step == 1) {
    for (int64_t r = 0; r < rows; ++r) std::copy_n(from + r * width, columns, to.At(r, 0));
  } else {
    ForEachInBlocks(columns, rows,
                    [&](int64_t c, int64_t r) { *to.At(r, c) = from[r * width + c]; });
  }
}

// Returns where strip `index` of a packed lower triangle begins. For the number of strips as
// `index`, this is the size of the packed triangle.
inline int64_t StripOffset(int64_t index, int64_t strip_rows) {
  return index * (index + 1) / 2 * strip_rows * strip_rows;
}

// Packs one strip of the lower triangle of an n x n matrix for solve_strip. Rows after the last one
// are filled with those of the identity matrix.
template <typename T>
void PackStrip(MatrixView<const T> lower, int64_t n, int64_t index, int64_t strip_rows, T* to) {
  const int64_t first = index * strip_rows, rows = std::min(strip_rows, n - first);
  const MatrixView<const T> from = lower.From(first, 0);
  for (int64_t k = 0; k < first; ++k) {
    for (int64_t i = 0; i < rows; ++i) to[k * strip_rows + i] = *from.At(i, k);
    for (int64_t i = rows; i < strip_rows; ++i) to[k * strip_rows + i] = T(0);
  }
  to += first * strip_rows;
  for (int64_t k = 0; k < strip_rows; ++k) {
    for (int64_t i = 0; i < strip_rows; ++i) {
      to[k * strip_rows + i] = i < rows && k <= i ? *from.At(i, first + k) : T(i == k);
    }
  }
}

// The columns [begin, end) of a row of a tile; none if `end` is not greater than `begin`.
struct ColumnRange {
  int64_t begin, end;
};

// Executes subtract_product for a part of a tile, for tiles that extend beyond a matrix or a
// triangle. Only the columns that `columns_of(i)` returns are changed in row i of the tile.
template <typename T, typename ColumnsOf>
void SubtractPartOfProduct(const MicroKernels<T>& kernels, int64_t depth, const T* a,
                           int64_t a_step, const T* b, T* c, int64_t c_step, ColumnsOf columns_of) {
  alignas(64) T tile[MicroKernels<T>::kMaxRows * MicroKernels<T>::kMaxColumns] = {};
  for (int64_t i = 0; i < kernels.rows; ++i) {
    const ColumnRange range = columns_of(i);
    if (range.begin < range.end) {
      std::copy(c + i * c_step + range.begin, c + i * c_step + range.end,
                tile + i * kernels.columns + range.begin);
    }
  }
  kernels.subtract_product(depth, a, a_step, b, tile, kernels.columns);
  for (int64_t i = 0; i < kernels.rows; ++i) {
    const ColumnRange range = columns_of(i);
    if (range.begin < range.end) {
      std::copy(tile + i * kernels.columns + range.begin, tile + i * kernels.columns + range.end,
                c + i * c_step + range.begin);
    }
  }
}

}  // namespace acceld::kernels::cpu
