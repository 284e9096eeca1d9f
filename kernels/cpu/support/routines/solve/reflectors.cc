#include "kernels/cpu/support/routines/solve/reflectors.h"

#include <algorithm>
#include <vector>

#include "common/ceil_divide.h"
#include "kernels/cpu/support/routines/workspace.h"

namespace acceld::kernels::cpu {
namespace {

// The reflectors that are applied as one block: as many as in LAPACK's own block algorithms.
constexpr Int kPanel = 32;
// The multiplications of one piece: a few milliseconds.
constexpr double kPieceWork = 1 << 27;
// The most multiplications of a panel that is factored column by column, which is ten times slower.
constexpr double kColumnsWork = 1 << 23;
// The least columns or rows that are worth a product of matrices.
constexpr int64_t kMinLines = 32;

// Returns whether columns of m rows are processed column by column, not by halves.
bool IsNarrow(Int m, Int columns) {
  return columns == 1 || static_cast<double>(m) * columns * columns <= kColumnsWork;
}

// Applies one panel of at most kPanel reflectors to c; `v` and `c` begin at its diagonal.
template <typename T>
absl::Status ApplyPanel(const RoutineRun& run, Side side, bool adjoint, Int m, Int n, Int k,
                        const T* v, Int ldv, const T* tau, T* c, Int ldc) {
  const bool left = side == Side::kLeft;
  const Int rows = left ? m : n, lines = left ? n : m;
  if (rows == 0 || lines == 0 || k == 0) return absl::OkStatus();
  ACCELD_RETURN_IF_ERROR(run.Poll());
  T t[kPanel * kPanel];
  lapack::Larft(rows, k, v, ldv, tau, t, kPanel);
  const double work_of_line = 2.0 * rows * k * (kIsComplex<T> ? 4 : 1);
  const int64_t piece = std::max<int64_t>(static_cast<int64_t>(kPieceWork / work_of_line), 1);
  // The pieces have equal sizes; all but the last consist of whole vectors.
  const int64_t wanted = (lines + std::max(piece, kMinLines) - 1) / std::max(piece, kMinLines);
  const int64_t step = RoundUp(CeilDivide(lines, wanted), 16);
  const char trans = !adjoint ? 'N' : kIsComplex<T> ? 'C' : 'T';
  return run.ForEach(
      CeilDivide(lines, step), work_of_line * static_cast<double>(step), [&](int64_t i) {
        const auto count = static_cast<Int>(std::min(step, lines - i * step));
        std::vector<T> space(static_cast<size_t>(count) * k);
        lapack::Larfb(left ? 'L' : 'R', trans, left ? m : count, left ? count : n, k, v, ldv, t,
                      kPanel, c + i * step * (left ? ldc : 1), ldc, space.data());
        return absl::OkStatus();
      });
}

// Factors a panel: columns [0, n) of m rows, where n <= kPanel.
template <typename T>
absl::Status FactorPanel(const RoutineRun& run, Int m, Int n, T* a, Int lda, T* tau) {
  ACCELD_RETURN_IF_ERROR(run.Poll());
  if (IsNarrow(m, n)) {
    std::vector<T> space(static_cast<size_t>(n) * kPanel + 1);
    const Int info = lapack::Geqrf(m, n, a, lda, tau, space.data(), static_cast<Int>(space.size()));
    return StatusOfInfo(info);
  }
  const Int half = (n + 1) / 2;
  T* const right = a + static_cast<int64_t>(half) * lda;
  ACCELD_RETURN_IF_ERROR(FactorPanel(run, m, half, a, lda, tau));
  ACCELD_RETURN_IF_ERROR(
      ApplyPanel(run, Side::kLeft, true, m, n - half, half, a, lda, tau, right, lda));
  return FactorPanel(run, m - half, n - half, right + half, lda, tau + half);
}

// Replaces n reflectors by the first n columns of their Q, where n <= kPanel.
template <typename T>
absl::Status FormPanel(const RoutineRun& run, Int m, Int n, T* a, Int lda, const T* tau) {
  ACCELD_RETURN_IF_ERROR(run.Poll());
  if (IsNarrow(m, n)) {
    std::vector<T> space(static_cast<size_t>(n) * kPanel + 1);
    const Int info =
        lapack::Gqr(m, n, n, a, lda, tau, space.data(), static_cast<Int>(space.size()));
    return StatusOfInfo(info);
  }
  const Int half = (n + 1) / 2;
  T* const right = a + static_cast<int64_t>(half) * lda;
  ACCELD_RETURN_IF_ERROR(FormPanel(run, m - half, n - half, right + half, lda, tau + half));
  for (Int c = 0; c < n - half; ++c) std::fill_n(right + static_cast<int64_t>(c) * lda, half, T(0));
  ACCELD_RETURN_IF_ERROR(
      ApplyPanel(run, Side::kLeft, false, m, n - half, half, a, lda, tau, right, lda));
  return FormPanel(run, m, half, a, lda, tau);
}

}  // namespace

template <typename T>
absl::Status FactorQr(const RoutineRun& run, Int m, Int n, T* a, T* tau) {
  const Int steps = std::min(m, n);
  // The library factors small matrices in one call: a NaN then spreads no further than it must.
  if (static_cast<double>(m) * n * steps <= kColumnsWork) {
    ACCELD_RETURN_IF_ERROR(run.Poll());
    std::vector<T> space(static_cast<size_t>(n) * kPanel + 1);
    return StatusOfInfo(
        lapack::Geqrf(m, n, a, std::max(m, 1), tau, space.data(), static_cast<Int>(space.size())));
  }
  for (Int first = 0; first < steps; first += kPanel) {
    const Int count = std::min(kPanel, steps - first), behind = first + count;
    T* const panel = a + first + static_cast<int64_t>(first) * m;
    ACCELD_RETURN_IF_ERROR(FactorPanel(run, m - first, count, panel, m, tau + first));
    ACCELD_RETURN_IF_ERROR(ApplyPanel(run, Side::kLeft, true, m - first, n - behind, count, panel,
                                      m, tau + first, panel + static_cast<int64_t>(count) * m, m));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status ApplyQ(const RoutineRun& run, Side side, bool adjoint, Int m, Int n, Int k, const T* v,
                    Int ldv, const T* tau, T* c, Int ldc) {
  const bool left = side == Side::kLeft;
  const bool ascending = left == adjoint;
  const Int panels = CeilDivide(k, kPanel);
  for (Int i = 0; i < panels; ++i) {
    const Int first = (ascending ? i : panels - 1 - i) * kPanel;
    ACCELD_RETURN_IF_ERROR(
        ApplyPanel(run, side, adjoint, left ? m - first : m, left ? n : n - first,
                   std::min(kPanel, k - first), v + first + static_cast<int64_t>(first) * ldv, ldv,
                   tau + first, c + static_cast<int64_t>(first) * (left ? 1 : ldc), ldc));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status FormQ(const RoutineRun& run, Int m, Int n, Int k, T* a, const T* tau) {
  for (Int column = k; column < n; ++column) {
    T* const begin = a + static_cast<int64_t>(column) * m;
    ACCELD_RETURN_IF_ERROR(run.Poll());
    std::fill_n(begin, m, T(0));
    begin[column] = T(1);
  }
  for (Int first = (k - 1) / kPanel * kPanel; k > 0 && first >= 0; first -= kPanel) {
    const Int count = std::min(kPanel, k - first), behind = first + count;
    T* const panel = a + first + static_cast<int64_t>(first) * m;
    ACCELD_RETURN_IF_ERROR(ApplyPanel(run, Side::kLeft, false, m - first, n - behind, count, panel,
                                      m, tau + first, panel + static_cast<int64_t>(count) * m, m));
    ACCELD_RETURN_IF_ERROR(FormPanel(run, m - first, count, panel, m, tau + first));
    for (Int c = first; c < behind; ++c) std::fill_n(a + static_cast<int64_t>(c) * m, first, T(0));
  }
  return absl::OkStatus();
}

#define ACCELD_REFLECTORS(T)                                                                   \
  template absl::Status FactorQr<T>(const RoutineRun&, Int, Int, T*, T*);                      \
  template absl::Status ApplyQ<T>(const RoutineRun&, Side, bool, Int, Int, Int, const T*, Int, \
                                  const T*, T*, Int);                                          \
  template absl::Status FormQ<T>(const RoutineRun&, Int, Int, Int, T*, const T*);
ACCELD_REFLECTORS(float)
ACCELD_REFLECTORS(double)
ACCELD_REFLECTORS(std::complex<float>)
ACCELD_REFLECTORS(std::complex<double>)
#undef ACCELD_REFLECTORS

}  // namespace acceld::kernels::cpu
