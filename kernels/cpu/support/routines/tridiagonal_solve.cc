#include "kernels/cpu/support/routines/lapack.h"

namespace acceld::kernels::cpu {

absl::Status RunTridiagonalSolve(const RoutineRun& run) {
  const RoutineBuffer& b = run.operands[3];
  const auto n = static_cast<lapack::Int>(b.rows), columns = static_cast<lapack::Int>(b.columns);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEach(run.batch(), 10.0 * (n + b.item_elements()), [&](int64_t i) -> absl::Status {
      std::vector<T> lower = LoadMatrix<T>(run.operands[0], i);
      std::vector<T> diagonal = LoadMatrix<T>(run.operands[1], i);
      std::vector<T> upper = LoadMatrix<T>(run.operands[2], i);
      std::vector<T> x = LoadMatrix<T>(b, i);
      lapack::Int info = 0;
      // The library counts the lower diagonal from its first element, ours from the first row.
      if (n > 0) {
        info = lapack::Gtsv(n, columns, lower.data() + 1, diagonal.data(), upper.data(), x.data());
      }
      StoreColumns(lower.data(), run.results[0], i);
      StoreColumns(diagonal.data(), run.results[1], i);
      StoreColumns(upper.data(), run.results[2], i);
      StoreColumns(x.data(), run.results[3], i);
      *Integers(run.results[4], i) = info;
      return absl::OkStatus();
    });
  });
}

}  // namespace acceld::kernels::cpu
