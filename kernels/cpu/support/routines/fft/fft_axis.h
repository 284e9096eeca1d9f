#pragma once

#include <cmath>
#include <cstdint>

#include "common/status.h"
#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {

// Transforms along one dimension: sequence s, element j is at (s / inner * length + j) * inner +
// s % inner of both sides, complex values as re, im. A side that is real, or half of a spectrum,
// says so by its length.
template <typename T>
struct Axis {
  int64_t length;     // of the transform
  int64_t sequences;  // all together
  int64_t inner;      // elements between neighbours of a sequence
  bool inverse;
  T scale;
  const T* from;
  int64_t from_length;
  bool from_real;
  T* to;
  int64_t to_length;
  bool to_real;
};

// Where sequence s begins on a side that has `length` elements of each.
template <typename T>
int64_t BeginOf(const Axis<T>& axis, int64_t s, int64_t length) {
  return s / axis.inner * length * axis.inner + s % axis.inner;
}

// Element j of the sequence that begins there. What a half spectrum leaves out is the conjugate of
// what it has; the imaginary parts of the first and, of even lengths, the last are not read.
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

// Leaves out what half a spectrum does.
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

// About how many operations a transform of `lanes` sequences is.
inline double WorkOf(int64_t length, int64_t lanes) {
  return 5.0 * static_cast<double>(length * lanes) * (1 + std::log2(static_cast<double>(length)));
}

// Transforms of sequences that no near cache holds, of lengths without a prime factor beyond 13.
template <typename T>
absl::Status TransformLong(const RoutineRun& run, const Axis<T>& axis);

}  // namespace acceld::kernels::cpu
