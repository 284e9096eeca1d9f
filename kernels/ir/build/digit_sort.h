#pragma once

#include <cstdint>

#include "common/ceil_divide.h"

namespace acceld::kernels {

// Describes the part of a digit sort that a kernel computes, so that a target can replace the
// kernel's loops by specialized code. A digit sort sorts each row of keys stably by the lowest 8
// bits of the keys, the digit: it is one pass of a least-significant-digit radix sort. The kernel's
// buffers are the keys, the values (if any), the sorted keys, the sorted values (if any), and
// `starts`, of type ui32[rows][256][tiles + 1].
struct DigitSort {
  enum class Part : uint8_t {
    // Stores in starts[row][digit][tile] the number of keys of the tile that have the digit. With
    // a single tile there is no kSum kernel, and this part stores what kSum would store.
    kCount,
    // Replaces starts[row][digit][tile] by the number of keys with the digit in all earlier tiles
    // of the row, and stores in starts[row][digit][tiles] the number in the whole row.
    kSum,
    // Moves each key, rotated right by 8 bits, and its value to its position in the sorted row.
    kMove,
  };
  Part part = Part::kCount;
  int64_t rows = 0, length = 0;  // number of rows; keys in a row, at most 2^31
  int64_t tile = 0;  // keys in a tile, a multiple of ir::kDigitSortTile; the last may have fewer
  bool has_values = false;  // whether each key has a value, of type ui32

  int64_t tiles() const { return CeilDivide(length, tile); }
};

}  // namespace acceld::kernels
