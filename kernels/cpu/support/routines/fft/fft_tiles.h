#pragma once

#include <cstdint>

namespace acceld::kernels::cpu {

// Tiles of a matrix of complex values: kFftLanes<T> neighbouring columns. Transforms need the real
// and the imaginary parts of a tile in separate arrays, row after row without gaps. T is float or
// double.

// The number of columns of a tile: the real parts of a row fill a cache line.
template <typename T>
inline constexpr int64_t kFftLanes = 64 / static_cast<int64_t>(sizeof(T));

// Copies a tile from a matrix of complex values, stored as re, im, to separate real and imaginary
// parts. Row j is at `from + 2 * j * step`; it is copied to the elements from j * kFftLanes<T> on
// of both parts.
template <typename T>
void ReadFftTile(const T* from, int64_t rows, int64_t step, T* re, T* im);

// Copies a tile from separate parts back to a matrix, with `scale` as a factor.
template <typename T>
void WriteFftTile(const T* re, const T* im, T scale, int64_t rows, int64_t step, T* to);

// Multiplies element q of row j of a tile, in place, by a product of two factors, or by its
// conjugate for the inverse: pair j of `firsts`, and element q of row j of `lanes`. Each row of
// `lanes` has kFftLanes<T> real parts, then as many imaginary parts.
template <typename T>
void ApplyTwiddlesToFftTile(const T* firsts, const T* lanes, bool inverse, int64_t rows, T* re,
                            T* im);

}  // namespace acceld::kernels::cpu
