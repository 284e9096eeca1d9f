#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "kernels/cpu/support/routines/routine_run.h"

// Some of OpenBLAS's kernels scale by NaN as if by 0 (they take "unordered" for "equal"). A NaN on
// the diagonal would so vanish from a factorization, which then looks like that of another matrix.
// These say again what follows from it: all that is computed from the NaN is NaN.
namespace acceld::kernels::cpu {

// The first of `count` values, `stride` apart, that is NaN; `count` if none is.
template <typename T>
int64_t FirstNan(const T* values, int64_t count, int64_t stride) {
  for (int64_t i = 0; i < count; ++i) {
    const T& value = values[i * stride];
    if (std::isnan(std::real(value)) || std::isnan(std::imag(value))) return i;
  }
  return count;
}

template <typename T>
T NanOf() {
  constexpr Real<T> kNan = std::numeric_limits<Real<T>>::quiet_NaN();
  if constexpr (kIsComplex<T>) {
    return {kNan, kNan};
  } else {
    return kNan;
  }
}

// `a` is the Cholesky factor of size `n` in one triangle, column-major: what comes after the first
// NaN of the diagonal.
template <typename T>
void SpreadNanInCholesky(int64_t n, bool lower, T* a) {
  const int64_t first = FirstNan(a, n, n + 1);
  for (int64_t column = first; column < n; ++column) {
    T* const diagonal = a + column * (n + 1);
    std::fill(lower ? diagonal : diagonal - (column - first),
              lower ? a + (column + 1) * n : diagonal + 1, NanOf<T>());
  }
}

// `a` is an LU or QR factorization of m rows and n columns, column-major, whose step `first` met a
// NaN (the number of steps, if none did): what the step leaves below the diagonal and to the right,
// in its own row only where that is part of the step.
template <typename T>
void SpreadNanFromStep(int64_t m, int64_t n, int64_t first, bool own_row, T* a) {
  for (int64_t column = first; column < n; ++column) {
    const int64_t begin = own_row && column > first ? first : first + 1;
    std::fill(a + column * m + std::min(begin, m), a + (column + 1) * m, NanOf<T>());
  }
}

}  // namespace acceld::kernels::cpu
