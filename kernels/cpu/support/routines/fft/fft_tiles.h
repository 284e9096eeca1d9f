#pragma once

#include <cstdint>

namespace acceld::kernels::cpu {

// Tiles of a matrix of complex values: rows of kFftLanes<T> neighbours, of which a transform wants
// the real and the imaginary parts apart, row after row without gaps. T is float or double.

// A cache line of parts.
template <typename T>
inline constexpr int64_t kFftLanes = 64 / static_cast<int64_t>(sizeof(T));

// Row j is at `from + 2 * j * step`, as re, im; it comes to element j * kFftLanes<T> of both parts.
template <typename T>
void ReadFftTile(const T* from, int64_t rows, int64_t step, T* re, T* im);

// The opposite, with all values times `scale`.
template <typename T>
void WriteFftTile(const T* re, const T* im, T scale, int64_t rows, int64_t step, T* to);

// Multiplies element q of row j, in place, by the product of the pair j of `firsts` and of the
// element q of row j of `lanes`, each row of which has kFftLanes<T> real and as many imaginary
// parts; by the product's conjugate for the inverse.
template <typename T>
void TurnFftTile(const T* firsts, const T* lanes, bool inverse, int64_t rows, T* re, T* im);

}  // namespace acceld::kernels::cpu
