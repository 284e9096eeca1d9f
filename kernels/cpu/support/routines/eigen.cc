#include <algorithm>

#include "kernels/cpu/support/routines/workspace.h"

namespace acceld::kernels::cpu {
namespace {

using lapack::Int;

// The library writes a conjugate pair of eigenvectors as two real columns: the real and the
// imaginary parts of the first of the two.
template <typename R>
std::vector<std::complex<R>> UnpackPairs(Int n, const std::vector<R>& packed,
                                         const std::vector<R>& imaginary) {
  std::vector<std::complex<R>> out(packed.size());
  const auto size = static_cast<int64_t>(n);
  for (int64_t column = 0; column < size; ++column) {
    const bool pair = imaginary[column] != 0 && column + 1 < size;
    for (int64_t row = 0; row < size; ++row) {
      const R re = packed[column * size + row];
      if (!pair) {
        out[column * size + row] = re;
        continue;
      }
      const R im = packed[(column + 1) * size + row];
      out[column * size + row] = {re, im};
      out[(column + 1) * size + row] = {re, -im};
    }
    if (pair) ++column;
  }
  return out;
}

template <typename T>
void StoreVectors(bool wanted, Int n, const std::vector<T>& vectors, const std::vector<T>& wi,
                  const RoutineBuffer& to, int64_t i) {
  if (!wanted) {
    FillWithZeros(to, i);
  } else if constexpr (kIsComplex<T>) {
    StoreColumns(vectors.data(), to, i);
  } else {
    StoreColumns(UnpackPairs(n, vectors, wi).data(), to, i);
  }
}

template <typename T>
absl::Status Decompose(const RoutineRun& run, int64_t i) {
  const bool left = run.parameters[0] != 0, right = run.parameters[1] != 0;
  const auto n = static_cast<Int>(run.operands[0].rows);
  // Real ones have the imaginary parts of the eigenvalues as a result of their own.
  const size_t first_vectors = kIsComplex<T> ? 1 : 2;
  std::vector<T> a = LoadMatrix<T>(run.operands[0], i);
  std::vector<T> w(n), wi(kIsComplex<T> ? 0 : n);
  std::vector<T> vl(left ? a.size() : 1), vr(right ? a.size() : 1);
  std::vector<Real<T>> real_space(2 * static_cast<size_t>(n) + 1);
  Int info = kNotFinite;
  if (AllFinite(a)) {
    ACCELD_ASSIGN_OR_RETURN(info, WithWorkspace<T>([&](T* space, Int size) {
                              return lapack::Geev(left ? 'V' : 'N', right ? 'V' : 'N', n, a.data(),
                                                  w.data(), wi.data(), vl.data(), vr.data(), space,
                                                  size, real_space.data());
                            }));
  }
  StoreColumns(w.data(), run.results[0], i);
  if (!kIsComplex<T>) StoreColumns(wi.data(), run.results[1], i);
  StoreVectors(left, n, vl, wi, run.results[first_vectors], i);
  StoreVectors(right, n, vr, wi, run.results[first_vectors + 1], i);
  *Integers(run.results[first_vectors + 2], i) = info;
  return absl::OkStatus();
}

absl::Status DecomposeAll(const RoutineRun& run) {
  const auto n = static_cast<double>(run.operands[0].rows);
  return ForElementType(run.dtype(), [&](auto zero) {
    return run.ForEach(run.batch(), 25 * n * n * n,
                       [&](int64_t i) { return Decompose<decltype(zero)>(run, i); });
  });
}

}  // namespace

absl::Status RunEigenReal(const RoutineRun& run) { return DecomposeAll(run); }
absl::Status RunEigenComplex(const RoutineRun& run) { return DecomposeAll(run); }

}  // namespace acceld::kernels::cpu
