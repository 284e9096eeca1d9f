#include <algorithm>

#include "kernels/cpu/support/routines/workspace.h"

namespace acceld::kernels::cpu {
namespace {

using lapack::Int;

// LAPACK's documented sizes of the real workspaces of the complex functions.
int64_t RealWorkspace(int64_t m, int64_t n, bool qr_iteration, bool vectors) {
  const int64_t less = std::min(m, n), more = std::max(m, n);
  if (qr_iteration) return 5 * less + 1;
  if (!vectors) return 7 * less + 1;
  return std::max(5 * less * less + 5 * less, 2 * more * less + 2 * less * less + less) + 1;
}

// `job` is 'A' for all of U and V^H, 'S' for the first min(m, n) of each.
absl::Status Decompose(const RoutineRun& run, char job) {
  const RoutineBuffer& a = run.operands[0];
  const RoutineBuffer& u = run.results[2];
  const RoutineBuffer& vt = run.results[3];
  const bool vectors = run.parameters[0] != 0, qr_iteration = run.parameters[1] != 0;
  const char wanted = vectors ? job : 'N';
  const auto m = static_cast<Int>(a.rows), n = static_cast<Int>(a.columns);
  const auto ldvt = static_cast<Int>(std::max<int64_t>(vt.rows, 1));
  const double work = 20.0 * static_cast<double>(a.item_elements()) * (1 + std::min(m, n));
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEach(run.batch(), work, [&](int64_t i) -> absl::Status {
      std::vector<T> matrix = LoadMatrix<T>(a, i);
      std::vector<Real<T>> s(std::min(m, n));
      std::vector<T> left(vectors ? u.item_elements() : 1), right(vectors ? vt.item_elements() : 1);
      std::vector<Real<T>> real_space(kIsComplex<T> ? RealWorkspace(m, n, qr_iteration, vectors)
                                                    : 0);
      std::vector<Int> integers(8 * s.size() + 1);
      Int info = kNotFinite;
      if (AllFinite(matrix)) {
        ACCELD_ASSIGN_OR_RETURN(
            info, WithWorkspace<T>([&](T* space, Int size) {
              return qr_iteration
                         ? lapack::Gesvd(wanted, m, n, matrix.data(), s.data(), left.data(),
                                         right.data(), ldvt, space, size, real_space.data())
                         : lapack::Gesdd(wanted, m, n, matrix.data(), s.data(), left.data(),
                                         right.data(), ldvt, space, size, real_space.data(),
                                         integers.data());
            }));
      }
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
    });
  });
}

}  // namespace

absl::Status RunSvdFull(const RoutineRun& run) { return Decompose(run, 'A'); }
absl::Status RunSvdThin(const RoutineRun& run) { return Decompose(run, 'S'); }

}  // namespace acceld::kernels::cpu
