#include <cmath>
#include <utility>

#include "kernels/cpu/support/routines/routine_run.h"
#include "kernels/cpu/support/routines/row_poll.h"

namespace acceld::kernels::cpu {
namespace {

// The magnitude by which LAPACK compares pivots.
template <typename T>
Real<T> Magnitude(const T& value) {
  return std::abs(std::real(value)) + std::abs(std::imag(value));
}

// Gaussian elimination with partial pivoting, as LAPACK's gtsv computes it, in place and with
// row-major right-hand sides. lower[i] and upper[i] are in row i of the matrix.
template <typename T>
class Elimination {
 public:
  Elimination(const RoutineRun& run, int64_t n, int64_t columns, T* lower, T* diagonal, T* upper,
              T* x)
      : run_(run),
        n_(n),
        columns_(columns),
        lower_(lower),
        diagonal_(diagonal),
        upper_(upper),
        x_(x) {}

  // Returns LAPACK's info.
  absl::StatusOr<int32_t> Solve() {
    const RowPoll poll(run_, 1 + columns_);
    for (int64_t i = 0; i + 1 < n_; ++i) {
      ACCELD_RETURN_IF_ERROR(poll.At(i));
      if (!EliminateBelow(i)) return static_cast<int32_t>(i + 1);
    }
    if (n_ > 0 && diagonal_[n_ - 1] == T(0)) return static_cast<int32_t>(n_);
    for (int64_t i = n_; i-- > 0;) {
      ACCELD_RETURN_IF_ERROR(poll.At(i));
      SubstituteInto(i);
    }
    return 0;
  }

 private:
  T* Row(int64_t i) const { return x_ + i * columns_; }

  // Eliminates the element below element i of the diagonal. Returns false if both are zero.
  bool EliminateBelow(int64_t i) {
    T& below = lower_[i + 1];
    const bool is_last = i + 2 == n_;
    T* const row = Row(i);
    T* const next = Row(i + 1);
    if (Magnitude(diagonal_[i]) >= Magnitude(below)) {
      if (diagonal_[i] == T(0)) return false;
      const T factor = below / diagonal_[i];
      diagonal_[i + 1] -= factor * upper_[i];
      for (int64_t c = 0; c < columns_; ++c) next[c] -= factor * row[c];
      if (!is_last) below = T(0);
      return true;
    }
    // The rows are exchanged. The new element right of the upper diagonal is stored in the lower
    // one.
    const T factor = diagonal_[i] / below;
    diagonal_[i] = below;
    const T exchanged = diagonal_[i + 1];
    diagonal_[i + 1] = upper_[i] - factor * exchanged;
    if (!is_last) {
      below = upper_[i + 1];
      upper_[i + 1] = -factor * below;
    }
    upper_[i] = exchanged;
    for (int64_t c = 0; c < columns_; ++c) {
      const T value = row[c];
      row[c] = next[c];
      next[c] = value - factor * next[c];
    }
    return true;
  }

  void SubstituteInto(int64_t i) {
    T* const row = Row(i);
    for (int64_t c = 0; c < columns_; ++c) {
      T value = row[c];
      if (i + 1 < n_) value -= upper_[i] * Row(i + 1)[c];
      if (i + 2 < n_) value -= lower_[i + 1] * Row(i + 2)[c];
      row[c] = value / diagonal_[i];
    }
  }

  const RoutineRun& run_;
  const int64_t n_, columns_;
  T* const lower_;
  T* const diagonal_;
  T* const upper_;
  T* const x_;
};

}  // namespace

absl::Status RunTridiagonalSolve(const RoutineRun& run) {
  const RoutineBuffer& b = run.operands[3];
  const auto work = 10 * static_cast<double>(b.rows) * static_cast<double>(1 + b.columns);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEach(run.batch(), work, [&](int64_t i) -> absl::Status {
      T* values[4];  // the diagonals and the right-hand sides
      for (size_t k = 0; k < 4; ++k) {
        const RoutineBuffer& from = run.operands[k];
        values[k] = reinterpret_cast<T*>(run.results[k].Item(i));
        ACCELD_RETURN_IF_ERROR(run.Copy(values[k], from.Item(i),
                                        from.item_elements() * static_cast<int64_t>(sizeof(T))));
      }
      Elimination<T> elimination(run, b.rows, b.columns, values[0], values[1], values[2],
                                 values[3]);
      ACCELD_ASSIGN_OR_RETURN(*Integers(run.results[4], i), elimination.Solve());
      return absl::OkStatus();
    });
  });
}

}  // namespace acceld::kernels::cpu
