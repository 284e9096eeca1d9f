#pragma once

#include <cstdint>

// The innermost loops of thin products (thin_matmul.h): sums of products that stay in registers.
// The elements T of right operands are float, or the bits of bf16 as uint16_t.
namespace acceld::kernels::cpu {

// The rows of the left operand that a function takes at once. For fewer rows it gets zeros.
inline constexpr int64_t kThinRows[] = {1, 2, 4, 8};
inline constexpr int kThinRowChoices = 4;

template <typename T>
struct ThinTiles {
  static constexpr int64_t kMaxColumns = 128;
  static constexpr int64_t kMaxDotRows = 4;

  // Elements of a vector.
  int64_t lanes;
  // The columns of the widest tiles, for each choice of rows.
  int64_t widths[kThinRowChoices];

  // Adds to sums[i * kMaxColumns + j] the sum over k < depth of
  //   lhs[k * rows + i] * rhs[k * row_step + j]
  // for all rows of the choice and the tile's columns. `ahead` is the first row of what will be
  // read next, with the same steps: it is fetched into the cache meanwhile. There is a function for
  // each choice of rows and for the widest tiles, those of half as many columns, ... and of one
  // vector.
  using Columns = void (*)(int64_t depth, const float* lhs, const T* rhs, const T* ahead,
                           int64_t row_step, float* sums);
  Columns columns[kThinRowChoices][4];

  // Computes out[i * out_step + j] = sum over k < depth of lhs[i * lhs_step + k] *
  // rhs[j * column_step + k], for `rows` rows, at most kMaxDotRows, and `count` columns. With `add`
  // the sums are added to the output.
  void (*dots)(int64_t rows, int64_t depth, const float* lhs, int64_t lhs_step, const T* rhs,
               int64_t column_step, int64_t count, bool add, float* out, int64_t out_step);
};

// Returns the functions for the longest vectors that this CPU supports.
template <typename T>
const ThinTiles<T>& ThinTilesOfThisCpu();

}  // namespace acceld::kernels::cpu
