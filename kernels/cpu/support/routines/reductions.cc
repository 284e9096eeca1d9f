#include <algorithm>

#include "kernels/cpu/support/routines/workspace.h"

// Reductions to Hessenberg and to tridiagonal form by unitary transformations.
namespace acceld::kernels::cpu {

using lapack::Int;

absl::Status RunHessenberg(const RoutineRun& run) {
  const auto n = static_cast<Int>(run.operands[0].rows);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEach(run.batch(), 4.0 * n * n * (n + 1.0), [&](int64_t i) -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> a, WorkArray<T>::Load(run, run.operands[0], i));
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> tau, WorkArray<T>::MakeZeros(run, n));
      Int info = 0;
      if (n > 0) {
        ACCELD_ASSIGN_OR_RETURN(info, WithWorkspace<T>(run, n, [&](T* space, Int size) {
                                  return lapack::Gehrd(n, a.data(), tau.data(), space, size);
                                }));
      }
      StoreColumns(a.data(), run.results[0], i);
      StoreColumns(tau.data(), run.results[1], i);
      *Integers(run.results[2], i) = info;
      return absl::OkStatus();
    });
  });
}

absl::Status RunTridiagonal(const RoutineRun& run) {
  const char uplo = run.parameters[0] != 0 ? 'L' : 'U';
  const auto n = static_cast<Int>(run.operands[0].rows);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEach(run.batch(), 2.0 * n * n * (n + 1.0), [&](int64_t i) -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> a, WorkArray<T>::Load(run, run.operands[0], i));
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<Real<T>> d, WorkArray<Real<T>>::MakeZeros(run, n));
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<Real<T>> e, WorkArray<Real<T>>::MakeZeros(run, n));
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> tau, WorkArray<T>::MakeZeros(run, n));
      ACCELD_ASSIGN_OR_RETURN(const Int info, WithWorkspace<T>(run, 1, [&](T* space, Int size) {
                                return lapack::Trd(uplo, n, a.data(), d.data(), e.data(),
                                                   tau.data(), space, size);
                              }));
      StoreColumns(a.data(), run.results[0], i);
      StoreColumns(d.data(), run.results[1], i);
      StoreColumns(e.data(), run.results[2], i);
      StoreColumns(tau.data(), run.results[3], i);
      *Integers(run.results[4], i) = info;
      return absl::OkStatus();
    });
  });
}

}  // namespace acceld::kernels::cpu
