#pragma once

#include <cstdint>

#include "common/ceil_divide.h"

namespace acceld::kernels {

// What a kernel does in a sort of rows of keys by their lowest 8 bits, stably, beside the loops
// that say so: a target may have code of its own for it. Its buffers: keys, values if there are
// any, then the same in order, then `starts`: ui32[rows][256][tiles + 1].
struct DigitSort {
  enum class Part : uint8_t {
    kCount,  // starts[row][digit][tile] = how many keys of the tile have the digit
    kSum,    // = how many in tiles before; [tiles]: in all
    kMove,   // each key, rotated right by 8 bits, and its value to their place
  };
  // With one tile there is nothing to sum: kCount gives what kSum would.
  Part part = Part::kCount;
  int64_t rows = 0, length = 0;  // elements of a row: at most 2^31
  int64_t tile = 0;              // elements, a multiple of ir::kDigitSortTile; the last has fewer
  bool has_values = false;       // ui32

  int64_t tiles() const { return CeilDivide(length, tile); }
};

}  // namespace acceld::kernels
