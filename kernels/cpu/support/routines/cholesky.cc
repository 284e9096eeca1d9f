#include "kernels/cpu/support/routines/lapack.h"
#include "kernels/cpu/support/routines/spread_nan.h"

namespace acceld::kernels::cpu {
namespace {

template <typename T>
lapack::Int Factor(const RoutineRun& run, int64_t i, std::vector<T>& a) {
  const int64_t n = run.operands[0].rows;
  const bool lower = run.parameters[0] != 0;
  a = LoadMatrix<T>(run.operands[0], i);
  const lapack::Int info = lapack::Potrf(lower ? 'L' : 'U', static_cast<lapack::Int>(n), a.data());
  SpreadNanInCholesky(n, lower, a.data());
  return info;
}

template <typename T>
void ClearOtherTriangle(int64_t n, bool lower, std::vector<T>& a) {
  for (int64_t column = 0; column < n; ++column) {
    const int64_t begin = lower ? 0 : column + 1;
    const int64_t end = lower ? column : n;
    for (int64_t row = begin; row < end; ++row) a[column * n + row] = T(0);
  }
}

double WorkOf(const RoutineRun& run) {
  const auto n = static_cast<double>(run.operands[0].rows);
  return n * n * n / 3 + n * n;
}

}  // namespace

absl::Status RunCholesky(const RoutineRun& run) {
  return ForElementType(run.dtype(), [&](auto zero) {
    return run.ForEach(run.batch(), WorkOf(run), [&](int64_t i) -> absl::Status {
      std::vector<decltype(zero)> a;
      if (Factor(run, i, a) != 0) {
        FillWithNan(run.results[0], i);
        return absl::OkStatus();
      }
      ClearOtherTriangle(run.operands[0].rows, run.parameters[0] != 0, a);
      StoreColumns(a.data(), run.results[0], i);
      return absl::OkStatus();
    });
  });
}

absl::Status RunCholeskyFactor(const RoutineRun& run) {
  return ForElementType(run.dtype(), [&](auto zero) {
    return run.ForEach(run.batch(), WorkOf(run), [&](int64_t i) -> absl::Status {
      std::vector<decltype(zero)> a;
      *Integers(run.results[1], i) = Factor(run, i, a);
      StoreColumns(a.data(), run.results[0], i);
      return absl::OkStatus();
    });
  });
}

}  // namespace acceld::kernels::cpu
