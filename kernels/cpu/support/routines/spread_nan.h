#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "kernels/cpu/support/routines/routine_run.h"

// Some of OpenBLAS's kernels scale by NaN as if by 0 (they take "unordered" for "equal"). A NaN on
// the diagonal can thus vanish from a factorization, which then looks like that of another matrix.
// The functions here set all elements to NaN that are computed from such a NaN.
namespace acceld::kernels::cpu {

// Returns the index of the first of `count` values that is NaN, or `count` if none is. `stride` is
// the distance from one value to the next.
template <typename T>
int64_t FirstNan(const T* values, int64_t count, int64_t stride) {
  for (int64_t i = 0; i < count; ++i) {
    const T& value = values[i * stride];
    if (std::isnan(std::real(value)) || std::isnan(std::imag(value))) return i;
  }
  return count;
}

// Returns NaN; for complex types in both parts.
template <typename T>
T NanOf() {
  constexpr Real<T> kNan = std::numeric_limits<Real<T>>::quiet_NaN();
  if constexpr (kIsComplex<T>) {
    return {kNan, kNan};
  } else {
    return kNan;
  }
}

// Sets all elements of a Cholesky factor to NaN that follow the first NaN of its diagonal. `a` has
// n x n elements, column-major, with the factor in the lower or upper triangle.
template <typename T>
void SpreadNanInCholesky(int64_t n, bool lower, T* a) {
  const int64_t first = FirstNan(a, n, n + 1);
  for (int64_t column = first; column < n; ++column) {
    T* const diagonal = a + column * (n + 1);
    std::fill(lower ? diagonal : diagonal - (column - first),
              lower ? a + (column + 1) * n : diagonal + 1, NanOf<T>());
  }
}

// Sets all elements of an LU or QR factorization to NaN that its step `first` computes, where that
// met a NaN (`first` is the number of steps if none did). `a` has m x n elements, column-major.
// These elements are the ones below row `first`, from column `first` on. With `own_row`, elements
// of row `first` right of the diagonal are included.
template <typename T>
void SpreadNanFromStep(int64_t m, int64_t n, int64_t first, bool own_row, T* a) {
  for (int64_t column = first; column < n; ++column) {
    const int64_t begin = own_row && column > first ? first : first + 1;
    std::fill(a + column * m + std::min(begin, m), a + (column + 1) * m, NanOf<T>());
  }
}

}  // namespace acceld::kernels::cpu
