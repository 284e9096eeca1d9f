#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "kernels/cpu/support/routines/routine_run.h"
#include "kernels/cpu/support/routines/row_poll.h"

namespace acceld::kernels::cpu {
namespace {

// Solves a system with a tridiagonal matrix that may be singular, as LAPACK's lagtf and lagts do
// for inverse iteration. This is Gaussian elimination with two changes. Rows are exchanged if the
// pivot, relative to the size of its row, is smaller than the element below relative to the size of
// that row. And pivots that would make the solution overflow are moved away from zero, by amounts
// within the rounding errors of the elimination.
//
// Right-hand sides are row-major, and the solution overwrites them. lower[i] and upper[i] are in
// row i of the matrix.
template <typename T>
class PerturbedElimination {
 public:
  // `workspace` has room for 3 n elements.
  PerturbedElimination(const RoutineRun& run, int64_t n, int64_t columns, const T* lower,
                       const T* diagonal, const T* upper, T* x, T* workspace)
      : run_(run),
        n_(n),
        columns_(columns),
        lower_(lower),
        diagonal_(diagonal),
        upper_(upper),
        x_(x),
        pivots_(workspace),
        first_(workspace + n),
        second_(workspace + 2 * n) {}

  absl::Status Solve() {
    if (n_ == 0) return absl::OkStatus();
    const RowPoll poll(run_, 1 + columns_);
    std::fill_n(pivots_, 3 * n_, T(0));
    SetRow(0);
    size_ = std::abs(pivots_[0]) + std::abs(first_[0]);
    for (int64_t i = 0; i + 1 < n_; ++i) {
      ACCELD_RETURN_IF_ERROR(poll.At(i));
      EliminateBelow(i);
    }
    Real<T> largest(0);
    for (int64_t i = 0; i < 3 * n_; ++i) largest = std::max(largest, std::abs(pivots_[i]));
    const Real<T> step =
        std::max(std::numeric_limits<Real<T>>::epsilon() * largest, kSmallestInvertible);
    for (int64_t i = n_; i-- > 0;) {
      ACCELD_RETURN_IF_ERROR(poll.At(i));
      SubstituteInto(i, step);
    }
    return absl::OkStatus();
  }

 private:
  // 1 / kSmallestInvertible is finite.
  static constexpr Real<T> kSmallestInvertible = std::numeric_limits<Real<T>>::min();

  T* Row(int64_t i) const { return x_ + i * columns_; }

  // Initializes row i with that of the matrix, from the diagonal on.
  void SetRow(int64_t i) {
    pivots_[i] = diagonal_[i];
    if (i + 1 < n_) first_[i] = upper_[i];
  }

  // Eliminates the element below pivot i. `size_` is the size of row i before the call, and that of
  // row i + 1 after it.
  void EliminateBelow(int64_t i) {
    const T below = lower_[i + 1];
    SetRow(i + 1);
    const Real<T> next_size = std::abs(below) + std::abs(pivots_[i + 1]) + std::abs(first_[i + 1]);
    if (below == T(0)) {
      size_ = next_size;
      return;
    }
    T* const row = Row(i);
    T* const next = Row(i + 1);
    const bool keeps_rows =
        pivots_[i] != T(0) && std::abs(pivots_[i]) / size_ >= std::abs(below) / next_size;
    if (keeps_rows) {
      const T factor = below / pivots_[i];
      pivots_[i + 1] -= factor * first_[i];
      for (int64_t c = 0; c < columns_; ++c) next[c] -= factor * row[c];
      size_ = next_size;
      return;
    }
    const T factor = pivots_[i] / below;
    const T above = std::exchange(first_[i], pivots_[i + 1]);
    pivots_[i] = below;
    second_[i] = first_[i + 1];
    pivots_[i + 1] = above - factor * first_[i];
    first_[i + 1] = -factor * second_[i];
    for (int64_t c = 0; c < columns_; ++c) {
      const T value = row[c];
      row[c] = next[c];
      next[c] = value - factor * row[c];
    }
    size_ = std::abs(pivots_[i + 1]) + std::abs(first_[i + 1]);
  }

  void SubstituteInto(int64_t i, Real<T> step) {
    T* const row = Row(i);
    for (int64_t c = 0; c < columns_; ++c) {
      if (i + 1 < n_) row[c] -= first_[i] * Row(i + 1)[c];
      if (i + 2 < n_) row[c] -= second_[i] * Row(i + 2)[c];
    }
    MakeDivisible(i, step);
    for (int64_t c = 0; c < columns_; ++c) row[c] /= pivots_[i];
  }

  // Changes the pivot such that no quotient overflows: by `step`, then by twice as much each time.
  // A tiny pivot that needs no change is scaled up together with the row.
  void MakeDivisible(int64_t i, Real<T> step) {
    T& pivot = pivots_[i];
    T* const row = Row(i);
    Real<T> largest(0);
    for (int64_t c = 0; c < columns_; ++c) largest = std::max(largest, std::abs(row[c]));
    step = std::copysign(step, std::real(pivot));
    while (std::abs(pivot) < Real<T>(1)) {
      const Real<T> size = std::abs(pivot);
      const bool is_tiny = size < kSmallestInvertible;
      const bool overflows = is_tiny ? size == Real<T>(0) || largest * kSmallestInvertible > size
                                     : largest > size / kSmallestInvertible;
      if (overflows) {
        pivot += step;
        step *= Real<T>(2);
        continue;
      }
      if (is_tiny) {
        pivot /= kSmallestInvertible;
        for (int64_t c = 0; c < columns_; ++c) row[c] /= kSmallestInvertible;
      }
      return;
    }
  }

  const RoutineRun& run_;
  const int64_t n_, columns_;
  const T* const lower_;
  const T* const diagonal_;
  const T* const upper_;
  T* const x_;
  // The rows after elimination: the diagonal, and the first and second elements right of it.
  T* const pivots_;
  T* const first_;
  T* const second_;
  Real<T> size_{};
};

}  // namespace

absl::Status RunTridiagonalSolvePerturbed(const RoutineRun& run) {
  const RoutineBuffer& b = run.operands[3];
  const auto work = 14 * static_cast<double>(b.rows) * static_cast<double>(1 + b.columns);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEach(run.batch(), work, [&](int64_t i) -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<void> workspace,
                              run.Allocate(3 * b.rows * static_cast<int64_t>(sizeof(T))));
      const auto line = [&](size_t k) {
        return reinterpret_cast<const T*>(run.operands[k].Item(i));
      };
      auto* const x = reinterpret_cast<T*>(run.results[0].Item(i));
      ACCELD_RETURN_IF_ERROR(
          run.Copy(x, b.Item(i), b.item_elements() * static_cast<int64_t>(sizeof(T))));
      return PerturbedElimination<T>(run, b.rows, b.columns, line(0), line(1), line(2), x,
                                     static_cast<T*>(workspace.get()))
          .Solve();
    });
  });
}

}  // namespace acceld::kernels::cpu
