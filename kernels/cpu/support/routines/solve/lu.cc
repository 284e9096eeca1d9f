#include <algorithm>

#include "kernels/cpu/support/routines/blocked/blocked.h"
#include "kernels/cpu/support/routines/lapack.h"
#include "kernels/cpu/support/routines/spread_nan.h"
#include "kernels/cpu/support/routines/work_array.h"

namespace acceld::kernels::cpu {
namespace {

// The sizes from which on the blocked factorization is faster than LAPACK's.
constexpr int64_t kMinBlockedSize = 32;

template <typename T>
absl::Status Factor(const RoutineRun& run, int64_t i) {
  const RoutineBuffer& from = run.operands[0];
  const RoutineBuffer& to = run.results[0];
  int32_t* const pivots = Integers(run.results[1], i);
  int32_t& info = *Integers(run.results[2], i);
  if constexpr (!kIsComplex<T>) {
    if (std::min(from.rows, from.columns) >= kMinBlockedSize) {
      InPlaceItem<T> a(from, to, i);
      ACCELD_RETURN_IF_ERROR(a.Load(run));
      ACCELD_ASSIGN_OR_RETURN(info, BlockedLu(run, from.rows, from.columns, a.data(), pivots));
      a.Store();
      return absl::OkStatus();
    }
  }
  const auto m = static_cast<lapack::Int>(from.rows), n = static_cast<lapack::Int>(from.columns);
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> a, WorkArray<T>::Load(run, from, i));
  info = lapack::Getrf(m, n, a.data(), pivots);
  SpreadNanFromStep(m, n, FirstNan(a.data(), std::min(m, n), m + 1), /*own_row=*/false, a.data());
  return StoreColumns(run, a.data(), to, i);
}

}  // namespace

absl::Status RunLu(const RoutineRun& run) {
  const auto m = static_cast<double>(run.operands[0].rows);
  const auto n = static_cast<double>(run.operands[0].columns);
  return ForElementType(run.dtype(), [&](auto zero) {
    return run.ForEachItem(m * n * (1 + std::min(m, n)),
                           [&](int64_t i) { return Factor<decltype(zero)>(run, i); });
  });
}

}  // namespace acceld::kernels::cpu
