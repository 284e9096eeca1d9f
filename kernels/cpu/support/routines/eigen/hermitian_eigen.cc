#include <algorithm>

#include "kernels/cpu/support/routines/workspace.h"

namespace acceld::kernels::cpu {
namespace {

using lapack::Int;

// LAPACK's documented sizes of the workspaces of divide and conquer.
struct Workspaces {
  double elements, reals, integers;

  template <typename T>
  static Workspaces Of(double n, bool vectors) {
    const double square = 1 + 6 * n + 2 * n * n;
    if (!vectors) return {2 * n + 1, n + 1, 1};
    if (kIsComplex<T>) return {2 * n + n * n, square, 3 + 5 * n};
    return {square, 1, 3 + 5 * n};
  }
  absl::Status Check() const { return CheckWorkspace(std::max({elements, reals, integers})); }
};

// Returns whether the triangle that is read is finite. LAPACK's iterations may not end for others.
template <typename T>
bool IsFinite(bool lower, int64_t n, const WorkArray<T>& a) {
  for (int64_t column = 0; column < n; ++column) {
    const T* const begin = a.data() + column * n;
    if (!AllFinite(lower ? begin + column : begin, lower ? begin + n : begin + column + 1)) {
      return false;
    }
  }
  return true;
}

// Decomposes a matrix. One query gives the best sizes of all workspaces.
template <typename T>
absl::StatusOr<Int> Decompose(const RoutineRun& run, bool vectors, Int n, T* a, Real<T>* w) {
  const Workspaces least = Workspaces::Of<T>(n, vectors);
  const char job = vectors ? 'V' : 'N', uplo = run.parameters[0] != 0 ? 'L' : 'U';
  T work_size(0);
  Real<T> real_size(0);
  Int integer_size = 0;
  const Int query =
      lapack::Evd(job, uplo, n, a, w, &work_size, -1, &real_size, -1, &integer_size, -1);
  if (query != 0) return query;
  ACCELD_ASSIGN_OR_RETURN(
      const WorkArray<T> work,
      WorkArray<T>::Make(run, WorkspaceSize(std::real(work_size), least.elements)));
  ACCELD_ASSIGN_OR_RETURN(
      const WorkArray<Real<T>> real_work,
      WorkArray<Real<T>>::Make(run, WorkspaceSize(kIsComplex<T> ? real_size : 0, least.reals)));
  ACCELD_ASSIGN_OR_RETURN(const WorkArray<Int> integers,
                          WorkArray<Int>::Make(run, WorkspaceSize(integer_size, least.integers)));
  return lapack::Evd(job, uplo, n, a, w, work.data(), static_cast<Int>(work.size()),
                     real_work.data(), static_cast<Int>(real_work.size()), integers.data(),
                     static_cast<Int>(integers.size()));
}

}  // namespace

absl::Status RunHermitianEigen(const RoutineRun& run) {
  const bool vectors = run.parameters[1] != 0;
  const auto n = static_cast<Int>(run.operands[0].rows);
  const double work = 9.0 * n * n * (n + 1.0);
  return ForElementType(run.dtype(), [&](auto zero) -> absl::Status {
    using T = decltype(zero);
    ACCELD_RETURN_IF_ERROR(Workspaces::Of<T>(n, vectors).Check());
    return run.ForEach(run.batch(), work, [&](int64_t i) -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> a, WorkArray<T>::Load(run, run.operands[0], i));
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<Real<T>> w, WorkArray<Real<T>>::MakeZeros(run, n));
      Int info = kInfoNotFinite;
      if (IsFinite(run.parameters[0] != 0, n, a)) {
        ACCELD_ASSIGN_OR_RETURN(info, Decompose<T>(run, vectors, n, a.data(), w.data()));
      }
      StoreColumns(a.data(), run.results[0], i);
      StoreColumns(w.data(), run.results[1], i);
      *Integers(run.results[2], i) = info;
      return absl::OkStatus();
    });
  });
}

}  // namespace acceld::kernels::cpu
