#include <algorithm>

#include "kernels/cpu/support/routines/workspace.h"

namespace acceld::kernels::cpu {
namespace {

using lapack::Int;

// Converts the library's real representation of eigenvectors, in which a conjugate pair is two real
// columns: the real and the imaginary parts of the first vector of the pair.
template <typename R>
absl::StatusOr<WorkArray<std::complex<R>>> UnpackPairs(const RoutineRun& run, Int n,
                                                       const WorkArray<R>& packed,
                                                       const WorkArray<R>& imaginary) {
  ACCELD_ASSIGN_OR_RETURN(WorkArray<std::complex<R>> out,
                          WorkArray<std::complex<R>>::Make(run, packed.size()));
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
absl::Status StoreVectors(const RoutineRun& run, bool wanted, Int n, const WorkArray<T>& vectors,
                          const WorkArray<T>& wi, const RoutineBuffer& to, int64_t i) {
  if (!wanted) {
    FillWithZeros(to, i);
  } else if constexpr (kIsComplex<T>) {
    StoreColumns(vectors.data(), to, i);
  } else {
    ACCELD_ASSIGN_OR_RETURN(const auto unpacked, UnpackPairs(run, n, vectors, wi));
    StoreColumns(unpacked.data(), to, i);
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Decompose(const RoutineRun& run, int64_t i) {
  const bool left = run.parameters[0] != 0, right = run.parameters[1] != 0;
  const auto n = static_cast<Int>(run.operands[0].rows);
  // For real matrices, the imaginary parts of the eigenvalues are a separate result.
  const size_t first_vectors = kIsComplex<T> ? 1 : 2;
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> a, WorkArray<T>::Load(run, run.operands[0], i));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> w, WorkArray<T>::MakeZeros(run, n));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> wi,
                          WorkArray<T>::MakeZeros(run, kIsComplex<T> ? 0 : n));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> vl, WorkArray<T>::MakeZeros(run, left ? a.size() : 1));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> vr,
                          WorkArray<T>::MakeZeros(run, right ? a.size() : 1));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<Real<T>> real_space,
                          WorkArray<Real<T>>::Make(run, kIsComplex<T> ? 2 * int64_t{n} : 0));
  Int info = kInfoNotFinite;
  if (AllFinite(a)) {
    ACCELD_ASSIGN_OR_RETURN(info, WithWorkspace<T>(run, 4.0 * n, [&](T* space, Int size) {
                              return lapack::Geev(left ? 'V' : 'N', right ? 'V' : 'N', n, a.data(),
                                                  w.data(), wi.data(), vl.data(), vr.data(), space,
                                                  size, real_space.data());
                            }));
  }
  StoreColumns(w.data(), run.results[0], i);
  if (!kIsComplex<T>) StoreColumns(wi.data(), run.results[1], i);
  ACCELD_RETURN_IF_ERROR(StoreVectors(run, left, n, vl, wi, run.results[first_vectors], i));
  ACCELD_RETURN_IF_ERROR(StoreVectors(run, right, n, vr, wi, run.results[first_vectors + 1], i));
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
