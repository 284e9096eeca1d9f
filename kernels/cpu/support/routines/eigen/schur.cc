#include <algorithm>

#include "kernels/cpu/support/routines/workspace.h"

namespace acceld::kernels::cpu {
namespace {

using lapack::Int;

template <typename T>
absl::Status Decompose(const RoutineRun& run, int64_t i) {
  const bool vectors = run.parameters[0] != 0;
  const auto n = static_cast<Int>(run.operands[0].rows);
  const size_t last = run.results.size() - 1;
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> a, WorkArray<T>::Load(run, run.operands[0], i));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> z,
                          WorkArray<T>::MakeZeros(run, vectors ? a.size() : 1));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> w, WorkArray<T>::MakeZeros(run, n));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> wi,
                          WorkArray<T>::MakeZeros(run, kIsComplex<T> ? 0 : n));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<Real<T>> real_space,
                          WorkArray<Real<T>>::Make(run, kIsComplex<T> ? n : 0));
  Int info = kInfoNotFinite;
  if (AllFinite(a)) {
    ACCELD_ASSIGN_OR_RETURN(info, WithWorkspace<T>(run, 3.0 * n, [&](T* space, Int size) {
                              return lapack::Gees(vectors ? 'V' : 'N', n, a.data(), w.data(),
                                                  wi.data(), z.data(), space, size,
                                                  real_space.data());
                            }));
  }
  StoreColumns(a.data(), run.results[0], i);
  if (vectors) {
    StoreColumns(z.data(), run.results[1], i);
  } else {
    FillWithZeros(run.results[1], i);
  }
  StoreColumns(w.data(), run.results[2], i);
  if (!kIsComplex<T>) StoreColumns(wi.data(), run.results[3], i);
  *Integers(run.results[last - 1], i) = 0;
  *Integers(run.results[last], i) = info;
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

absl::Status RunSchurReal(const RoutineRun& run) { return DecomposeAll(run); }
absl::Status RunSchurComplex(const RoutineRun& run) { return DecomposeAll(run); }

}  // namespace acceld::kernels::cpu
