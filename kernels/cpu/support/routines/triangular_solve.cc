#include <algorithm>

#include "kernels/cpu/support/routines/lapack.h"

namespace acceld::kernels::cpu {
namespace {

absl::Status Solve(const RoutineRun& run, char side) {
  const char uplo = run.parameters[0] != 0 ? 'L' : 'U';
  const char diagonal = run.parameters[1] != 0 ? 'U' : 'N';
  const char transpose = "NTC"[run.parameters[2]];
  const RoutineBuffer& a = run.operands[0];
  const RoutineBuffer& b = run.operands[1];
  const auto n = static_cast<lapack::Int>(a.rows), rows = static_cast<lapack::Int>(b.rows),
             columns = static_cast<lapack::Int>(b.columns);
  const double work = static_cast<double>(n) * static_cast<double>(b.item_elements() + n);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEach(run.batch(), work, [&](int64_t i) -> absl::Status {
      const std::vector<T> matrix = LoadMatrix<T>(a, i);
      std::vector<T> x = LoadMatrix<T>(b, i);
      if (!x.empty()) {
        lapack::Trsm(side, uplo, transpose, diagonal, rows, columns, matrix.data(), n, x.data(),
                     rows);
      }
      StoreColumns(x.data(), run.results[0], i);
      return absl::OkStatus();
    });
  });
}

}  // namespace

absl::Status RunTriangularSolveLeft(const RoutineRun& run) { return Solve(run, 'L'); }
absl::Status RunTriangularSolveRight(const RoutineRun& run) { return Solve(run, 'R'); }

}  // namespace acceld::kernels::cpu
