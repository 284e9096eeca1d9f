#include <algorithm>

#include "kernels/cpu/support/routines/workspace.h"

namespace acceld::kernels::cpu {
namespace {

using lapack::Int;

// LAPACK's documented sizes of the workspaces.
struct Workspaces {
  double elements, reals;

  template <typename T>
  static Workspaces Of(double m, double n, bool qr_iteration, bool vectors) {
    const double less = std::min(m, n), more = std::max(m, n), square = less * less;
    if (qr_iteration) {
      return {kIsComplex<T> ? 2 * less + more : std::max(3 * less + more, 5 * less), 5 * less};
    }
    if (!kIsComplex<T>) {
      return {vectors ? 4 * square + 7 * less + more : 3 * less + std::max(more, 7 * less), 0};
    }
    if (!vectors) return {2 * less + more, 7 * less};
    return {square + 3 * less + more,
            std::max(5 * square + 5 * less, 2 * more * less + 2 * square + less)};
  }
};

// Also checks sizes that LAPACK only compares with the size of the workspace: QR iteration can use
// up to twice the matrix.
absl::Status Check(const Workspaces& least, double m, double n, bool qr_iteration) {
  ACCELD_RETURN_IF_ERROR(CheckWorkspace(std::max(least.elements, least.reals)));
  return qr_iteration ? CheckWorkspace(2 * m * n + 8 * std::max(m, n)) : absl::OkStatus();
}

// Decomposes one item. `job` is 'A' for all of U and V^H, 'S' for the first min(m, n) of each.
template <typename T>
absl::Status DecomposeItem(const RoutineRun& run, char job, int64_t i) {
  const RoutineBuffer& a = run.operands[0];
  const RoutineBuffer& u = run.results[2];
  const RoutineBuffer& vt = run.results[3];
  const bool vectors = run.parameters[0] != 0, qr_iteration = run.parameters[1] != 0;
  const char wanted = vectors ? job : 'N';
  const auto m = static_cast<Int>(a.rows), n = static_cast<Int>(a.columns);
  const auto ldvt = static_cast<Int>(std::max<int64_t>(vt.rows, 1));
  const Workspaces least = Workspaces::Of<T>(m, n, qr_iteration, vectors);
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> matrix, WorkArray<T>::Load(run, a, i));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<Real<T>> s,
                          WorkArray<Real<T>>::MakeZeros(run, std::min(m, n)));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> left,
                          WorkArray<T>::MakeZeros(run, vectors ? u.item_elements() : 1));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> right,
                          WorkArray<T>::MakeZeros(run, vectors ? vt.item_elements() : 1));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<Real<T>> real_space,
                          WorkArray<Real<T>>::Make(run, static_cast<int64_t>(least.reals)));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<Int> integers, WorkArray<Int>::Make(run, 8 * s.size()));
  Int info = kInfoNotFinite;
  if (AllFinite(matrix)) {
    ACCELD_ASSIGN_OR_RETURN(
        info, WithWorkspace<T>(run, least.elements, [&](T* space, Int size) {
          return qr_iteration ? lapack::Gesvd(wanted, m, n, matrix.data(), s.data(), left.data(),
                                              right.data(), ldvt, space, size, real_space.data())
                              : lapack::Gesdd(wanted, m, n, matrix.data(), s.data(), left.data(),
                                              right.data(), ldvt, space, size, real_space.data(),
                                              integers.data());
        }));
  }
  // The library does not write the vectors of an empty matrix. Any basis is correct for it.
  for (int64_t d = 0; s.size() == 0 && vectors && d < u.columns; ++d) left[d * (m + 1)] = T(1);
  for (int64_t d = 0; s.size() == 0 && vectors && d < vt.rows; ++d) right[d * (n + 1)] = T(1);
  StoreColumns(matrix.data(), run.results[0], i);
  StoreColumns(s.data(), run.results[1], i);
  if (vectors) {
    StoreColumns(left.data(), u, i);
    StoreColumns(right.data(), vt, i);
  } else {
    FillWithZeros(u, i);
    FillWithZeros(vt, i);
  }
  *Integers(run.results[4], i) = info;
  return absl::OkStatus();
}

absl::Status Decompose(const RoutineRun& run, char job) {
  const RoutineBuffer& a = run.operands[0];
  const auto m = static_cast<double>(a.rows), n = static_cast<double>(a.columns);
  const bool vectors = run.parameters[0] != 0, qr_iteration = run.parameters[1] != 0;
  return ForElementType(run.dtype(), [&](auto zero) -> absl::Status {
    using T = decltype(zero);
    ACCELD_RETURN_IF_ERROR(
        Check(Workspaces::Of<T>(m, n, qr_iteration, vectors), m, n, qr_iteration));
    return run.ForEach(run.batch(), 20 * m * n * (1 + std::min(m, n)),
                       [&](int64_t i) { return DecomposeItem<T>(run, job, i); });
  });
}

}  // namespace

absl::Status RunSvdFull(const RoutineRun& run) { return Decompose(run, 'A'); }
absl::Status RunSvdThin(const RoutineRun& run) { return Decompose(run, 'S'); }

}  // namespace acceld::kernels::cpu
