#pragma once

#include <cmath>
#include <cstdint>

#include "common/status.h"
#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {

// Transforms along one dimension of an array: many sequences of `length` values, read from `from`
// and written to `to`. Element j of sequence s is at (s / inner * n + j) * inner + s % inner, where
// n is from_length or to_length. Complex values are stored as re, im. A side that has half of a
// Hermitian spectrum has length / 2 + 1 elements in a sequence.
template <typename T>
struct Axis {
  int64_t length;     // length of the transform
  int64_t sequences;  // number of sequences
  int64_t inner;      // distance of neighbouring elements of a sequence, in elements
  bool inverse;
  // The factor of all results.
  T scale;
  const T* from;
  // The number of elements of a sequence that are stored in `from`, and whether they are real.
  int64_t from_length;
  bool from_real;
  T* to;
  // The same for `to`.
  int64_t to_length;
  bool to_real;
};

// Returns the index of the first element of sequence s, on a side that stores `length` elements of
// each sequence.
template <typename T>
int64_t BeginOf(const Axis<T>& axis, int64_t s, int64_t length) {
  return s / axis.inner * length * axis.inner + s % axis.inner;
}

// Reads element j of the sequence that begins at index `begin`. Elements that half of a spectrum
// omits are the conjugates of others. The imaginary parts of elements 0 and length / 2 of a
// Hermitian spectrum are ignored and taken as 0.
template <typename T, typename Computed>
[[gnu::always_inline]] inline void Read(const Axis<T>& axis, int64_t begin, int64_t j, Computed& re,
                                        Computed& im) {
  if (axis.from_real) {
    re = axis.from[begin + j * axis.inner];
    im = 0;
    return;
  }
  const bool is_mirrored = j >= axis.from_length;
  const int64_t at = begin + (is_mirrored ? axis.length - j : j) * axis.inner;
  re = axis.from[2 * at];
  im = is_mirrored ? -axis.from[2 * at + 1] : axis.from[2 * at + 1];
  const bool is_hermitian = axis.from_length < axis.length || axis.to_real;
  if (is_hermitian && (j == 0 || 2 * j == axis.length)) im = 0;
}

// Writes element j of the sequence that begins at index `begin`, with axis.scale as a factor.
// Elements that half of a spectrum omits are not written.
template <typename T, typename Computed>
[[gnu::always_inline]] inline void Write(const Axis<T>& axis, int64_t begin, int64_t j, Computed re,
                                         Computed im) {
  if (j >= axis.to_length) return;
  const int64_t at = begin + j * axis.inner;
  const auto scale = static_cast<Computed>(axis.scale);
  if (axis.to_real) {
    axis.to[at] = static_cast<T>(re * scale);
  } else {
    axis.to[2 * at] = static_cast<T>(re * scale);
    axis.to[2 * at + 1] = static_cast<T>(im * scale);
  }
}

// Returns about how many operations a transform of `lanes` sequences takes.
inline double WorkOf(int64_t length, int64_t lanes) {
  return 5.0 * static_cast<double>(length * lanes) * (1 + std::log2(static_cast<double>(length)));
}

// Transforms sequences that are too long for the near caches. Their length must have no prime
// factor beyond 13. Uses the context's threads. Errors: CANCELLED, RESOURCE_EXHAUSTED;
// std::bad_alloc is thrown.
template <typename T>
absl::Status TransformByFourSteps(const RoutineRun& run, const Axis<T>& axis);

}  // namespace acceld::kernels::cpu
