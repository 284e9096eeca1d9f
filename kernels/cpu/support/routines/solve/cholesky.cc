#include "kernels/cpu/support/routines/blocked/blocked.h"
#include "kernels/cpu/support/routines/lapack.h"
#include "kernels/cpu/support/routines/spread_nan.h"
#include "kernels/cpu/support/routines/work_array.h"

namespace acceld::kernels::cpu {
namespace {

// The sizes from which on the blocked factorization is faster than LAPACK's.
constexpr int64_t kMinBlockedSize = 32;

// What happens to the triangle that is not read.
enum class OtherTriangle { kKept, kCleared };

template <typename T>
absl::Status Clear(const RoutineRun& run, OtherTriangle other, int64_t n, bool lower, T* a) {
  constexpr int64_t kPolledRows = 64;
  if (other == OtherTriangle::kKept) return absl::OkStatus();
  for (int64_t row = 0; row < n; ++row) {
    if (row % kPolledRows == 0) ACCELD_RETURN_IF_ERROR(run.Poll());
    std::fill(a + row * n + (lower ? row + 1 : 0), a + row * n + (lower ? n : row), T(0));
  }
  return absl::OkStatus();
}

// Factors item `i` of the operand into the result. Returns LAPACK's info.
template <typename T>
absl::StatusOr<int32_t> Factor(const RoutineRun& run, OtherTriangle other, int64_t i) {
  const RoutineBuffer& from = run.operands[0];
  const RoutineBuffer& to = run.results[0];
  const int64_t n = from.rows;
  const bool lower = run.parameters[0] != 0;
  if constexpr (!kIsComplex<T>) {
    if (n >= kMinBlockedSize) {
      InPlaceItem<T> a(from, to, i);
      ACCELD_RETURN_IF_ERROR(a.Load(run));
      ACCELD_ASSIGN_OR_RETURN(const int32_t info, BlockedCholesky(run, lower, n, a.data()));
      ACCELD_RETURN_IF_ERROR(Clear(run, other, n, lower, a.data()));
      a.Store();
      return info;
    }
  }
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> a, WorkArray<T>::Load(run, from, i));
  const int32_t info = lapack::Potrf(lower ? 'L' : 'U', static_cast<lapack::Int>(n), a.data());
  SpreadNanInCholesky(n, lower, a.data());
  ACCELD_RETURN_IF_ERROR(Clear(run, other, n, !lower, a.data()));  // column-major
  ACCELD_RETURN_IF_ERROR(StoreColumns(run, a.data(), to, i));
  return info;
}

double WorkOf(const RoutineRun& run) {
  const auto n = static_cast<double>(run.operands[0].rows);
  return n * n * n / 3 + n * n;
}

}  // namespace

absl::Status RunCholesky(const RoutineRun& run) {
  return ForElementType(run.dtype(), [&](auto zero) {
    return run.ForEachItem(WorkOf(run), [&](int64_t i) -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(const int32_t info,
                              Factor<decltype(zero)>(run, OtherTriangle::kCleared, i));
      if (info != 0) FillWithNan(run.results[0], i);
      return absl::OkStatus();
    });
  });
}

absl::Status RunCholeskyFactor(const RoutineRun& run) {
  return ForElementType(run.dtype(), [&](auto zero) {
    return run.ForEachItem(WorkOf(run), [&](int64_t i) -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(*Integers(run.results[1], i),
                              Factor<decltype(zero)>(run, OtherTriangle::kKept, i));
      return absl::OkStatus();
    });
  });
}

}  // namespace acceld::kernels::cpu
