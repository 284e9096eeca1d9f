#include <algorithm>

#include "common/ceil_divide.h"
#include "kernels/cpu/support/routines/blocked/blocked.h"
#include "kernels/cpu/support/routines/lapack.h"

// LAPACK reads row-major matrices as column-major ones, which are their transposes: op(A) X = B
// becomes X^T op(A)^T = B^T, which is a solve from the other side with the other triangle.
namespace acceld::kernels::cpu {
namespace {

// The right-hand sides that are solved together. The division does not depend on the number of
// threads.
constexpr int64_t kPart = 128;

// The rows of the triangle that one call of the library solves.
constexpr int64_t kPanel = 128;

// The sizes from which on packing saves more than it costs.
constexpr int64_t kMinBlockedSides = 12;
constexpr int64_t kMinBlockedRows = 24;

template <typename T>
absl::Status SolveInBlocks(const RoutineRun& run, bool is_left, const T* matrix, const T* right,
                           T* solution) {
  const bool lower = run.parameters[0] != 0, unit = run.parameters[1] != 0;
  const bool transposed = run.parameters[2] != 0;
  const int64_t n = run.operands[0].rows, columns = run.operands[1].columns;
  const int64_t sides = is_left ? columns : run.operands[1].rows;
  // X op(A) = B is solved as op(A)^T X^T = B^T.
  const bool exchanged = transposed == is_left;
  MatrixView<const T> a{matrix, n, 1};
  if (exchanged) a = a.Transposed();
  MatrixView<const T> b{right, columns, 1};
  MatrixView<T> x{solution, columns, 1};
  if (!is_left) {
    b = b.Transposed();
    x = x.Transposed();
  }
  if (lower == exchanged) {
    // An upper triangle becomes a lower one if it is read from its last row and column on.
    a = {a.At(n - 1, n - 1), -a.row_step, -a.column_step};
    b = {b.At(n - 1, 0), -b.row_step, b.column_step};
    x = {x.At(n - 1, 0), -x.row_step, x.column_step};
  }
  return BlockedForwardSolve(run, a, unit, n, sides, b, x);
}

template <typename T>
absl::Status SolveByLapack(const RoutineRun& run, bool is_left, const T* a, T* b) {
  const char uplo = run.parameters[0] != 0 ? 'U' : 'L';
  const char diagonal = run.parameters[1] != 0 ? 'U' : 'N';
  const char transpose = "NTC"[run.parameters[2]];
  const auto n = static_cast<lapack::Int>(run.operands[0].rows);
  const auto columns = static_cast<lapack::Int>(run.operands[1].columns);
  const int64_t sides = is_left ? columns : run.operands[1].rows;
  const double work = static_cast<double>(n) * static_cast<double>(n) *
                      static_cast<double>(std::min(sides, kPart) + 1);
  return run.ForEach(CeilDivide(sides, kPart), work, [&](int64_t task) -> absl::Status {
    const int64_t first = task * kPart;
    const auto count = static_cast<lapack::Int>(std::min(kPart, sides - first));
    T* const x = b + (is_left ? first : first * columns);
    const bool is_lower = (uplo == 'L') == (transpose == 'N');  // op(A), column-major
    const bool forward = is_lower != is_left;
    for (int64_t step = 0; step < n; step += kPanel) {
      ACCELD_RETURN_IF_ERROR(run.Poll());
      const auto size = static_cast<lapack::Int>(std::min<int64_t>(kPanel, n - step));
      const int64_t panel = forward ? step : n - step - size;
      T* const solved = x + (is_left ? panel * columns : panel);
      lapack::Trsm(is_left ? 'R' : 'L', uplo, transpose, diagonal, is_left ? count : size,
                   is_left ? size : count, a + panel * (n + 1), n, solved, columns);
      // Subtracts the products with the panel from the remaining right-hand sides.
      const int64_t other = forward ? panel + size : 0;
      const auto others = static_cast<lapack::Int>(n - step - size);
      if (others == 0) break;
      // Whether `part` has rows of A; else it has columns.
      const bool by_rows = is_left == (transpose == 'N');
      const T* const part = a + (by_rows ? panel + other * n : other + panel * n);
      if (is_left) {
        lapack::SubtractProduct('N', transpose, count, others, size, solved, columns, part, n,
                                x + other * columns, columns);
      } else {
        lapack::SubtractProduct(transpose, 'N', others, count, size, part, n, solved, columns,
                                x + other, columns);
      }
    }
    return absl::OkStatus();
  });
}

template <typename T>
absl::Status SolveItem(const RoutineRun& run, bool is_left, int64_t i) {
  const RoutineBuffer& from = run.operands[1];
  const RoutineBuffer& to = run.results[0];
  const bool is_large = (is_left ? from.columns : from.rows) >= kMinBlockedSides &&
                        run.operands[0].rows >= kMinBlockedRows;
  std::vector<T> converted;
  const T* const a = RowMajorElements(run.operands[0], i, converted);
  if constexpr (!kIsComplex<T>) {
    if (is_large && IsStoredAs<T>(from.dtype)) {
      return SolveInBlocks(run, is_left, a, reinterpret_cast<const T*>(from.Item(i)),
                           reinterpret_cast<T*>(to.Item(i)));
    }
  }
  InPlaceItem<T> x(from, to, i);
  ACCELD_RETURN_IF_ERROR(x.Load(run));
  if constexpr (!kIsComplex<T>) {
    ACCELD_RETURN_IF_ERROR(is_large ? SolveInBlocks(run, is_left, a, x.data(), x.data())
                                    : SolveByLapack(run, is_left, a, x.data()));
  } else {
    ACCELD_RETURN_IF_ERROR(SolveByLapack(run, is_left, a, x.data()));
  }
  x.Store();
  return absl::OkStatus();
}

absl::Status Solve(const RoutineRun& run, bool is_left) {
  const RoutineBuffer& a = run.operands[0];
  const RoutineBuffer& b = run.operands[1];
  if (b.item_elements() == 0) return absl::OkStatus();
  const int64_t sides = is_left ? b.columns : b.rows;
  const double work = static_cast<double>(a.item_elements()) * static_cast<double>(sides + 1);
  return ForElementType(run.dtype(), [&](auto zero) {
    return run.ForEachItem(work,
                           [&](int64_t i) { return SolveItem<decltype(zero)>(run, is_left, i); });
  });
}

}  // namespace

absl::Status RunTriangularSolveLeft(const RoutineRun& run) { return Solve(run, /*is_left=*/true); }
absl::Status RunTriangularSolveRight(const RoutineRun& run) {
  return Solve(run, /*is_left=*/false);
}

}  // namespace acceld::kernels::cpu
