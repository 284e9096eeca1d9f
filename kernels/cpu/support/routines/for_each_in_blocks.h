#pragma once

#include <algorithm>
#include <cstdint>

namespace acceld::kernels::cpu {

// Calls `body(row, column)` for all elements of a matrix, block by block. A transposition in this
// order accesses whole cache lines on both sides.
template <typename Body>
void ForEachInBlocks(int64_t rows, int64_t columns, Body body) {
  constexpr int64_t kBlock = 16;
  for (int64_t r0 = 0; r0 < rows; r0 += kBlock) {
    const int64_t r1 = std::min(rows, r0 + kBlock);
    for (int64_t c0 = 0; c0 < columns; c0 += kBlock) {
      const int64_t c1 = std::min(columns, c0 + kBlock);
      for (int64_t r = r0; r < r1; ++r) {
        for (int64_t c = c0; c < c1; ++c) body(r, c);
      }
    }
  }
}

}  // namespace acceld::kernels::cpu
