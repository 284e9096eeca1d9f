#include <algorithm>

#include "kernels/cpu/support/routines/workspace.h"

namespace acceld::kernels::cpu {
namespace {

using lapack::Int;

// Divide and conquer needs workspaces of three types; their sizes come from one query.
template <typename T>
absl::StatusOr<Int> Decompose(char vectors, char uplo, Int n, T* a, Real<T>* w) {
  T work_size(0);
  Real<T> real_size(0);
  Int integer_size = 0;
  const Int query =
      lapack::Evd(vectors, uplo, n, a, w, &work_size, -1, &real_size, -1, &integer_size, -1);
  if (query != 0) return query;
  const auto elements = [](double size) { return std::ceil(size * (1 + 1e-6)) + 1; };
  const double wanted = std::max(elements(std::real(work_size)), elements(real_size));
  if (wanted >= std::numeric_limits<Int>::max()) {
    return absl::ResourceExhaustedError(absl::StrCat("a workspace of ", wanted, " elements"));
  }
  std::vector<T> work(static_cast<size_t>(elements(std::real(work_size))));
  std::vector<Real<T>> real_work(static_cast<size_t>(elements(real_size)));
  std::vector<Int> integers(std::max<Int>(integer_size, 1));
  return lapack::Evd(vectors, uplo, n, a, w, work.data(), static_cast<Int>(work.size()),
                     real_work.data(), static_cast<Int>(real_work.size()), integers.data(),
                     static_cast<Int>(integers.size()));
}

}  // namespace

absl::Status RunHermitianEigen(const RoutineRun& run) {
  const char uplo = run.parameters[0] != 0 ? 'L' : 'U';
  const char vectors = run.parameters[1] != 0 ? 'V' : 'N';
  const auto n = static_cast<Int>(run.operands[0].rows);
  const double work = 9.0 * n * n * (n + 1.0);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEach(run.batch(), work, [&](int64_t i) -> absl::Status {
      std::vector<T> a = LoadMatrix<T>(run.operands[0], i);
      std::vector<Real<T>> w(n);
      Int info = kNotFinite;
      if (AllFinite(a)) {
        ACCELD_ASSIGN_OR_RETURN(info, Decompose<T>(vectors, uplo, n, a.data(), w.data()));
      }
      StoreColumns(a.data(), run.results[0], i);
      StoreColumns(w.data(), run.results[1], i);
      *Integers(run.results[2], i) = info;
      return absl::OkStatus();
    });
  });
}

}  // namespace acceld::kernels::cpu
