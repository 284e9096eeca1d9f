#include <algorithm>
#include <cstring>

#include "kernels/cpu/support/routines/solve/reflectors.h"
#include "kernels/cpu/support/routines/spread_nan.h"
#include "kernels/cpu/support/routines/workspace.h"

namespace acceld::kernels::cpu {
namespace {

double WorkOf(const RoutineBuffer& a) {
  return 2.0 * static_cast<double>(a.item_elements()) *
         static_cast<double>(1 + std::min(a.rows, a.columns));
}

// Spreads NaN from the first reflector that has one; its factor then is NaN, too.
template <typename T>
void PropagateNan(int64_t m, int64_t n, const WorkArray<T>& qr, const WorkArray<T>& tau) {
  const int64_t first = FirstNan(tau.data(), tau.size(), 1);
  if (first == tau.size()) return;
  SpreadNanFromStep(m, n, first, /*own_row=*/true, qr.data());
  std::fill(tau.begin() + first, tau.end(), NanOf<T>());
}

absl::Status Multiply(const RoutineRun& run, Side side) {
  const RoutineBuffer& a = run.operands[0];
  const RoutineBuffer& c = run.operands[2];
  const auto lda = static_cast<Int>(std::max<int64_t>(a.rows, 1));
  const auto k = static_cast<Int>(run.operands[1].rows);
  const auto m = static_cast<Int>(c.rows), n = static_cast<Int>(c.columns);
  const double work = 4.0 * static_cast<double>(c.item_elements()) * (1.0 + k);
  const bool adjoint = run.parameters[0] != 0;
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEachItem(work, [&](int64_t i) -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> reflectors, WorkArray<T>::Load(run, a, i));
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> tau, WorkArray<T>::Load(run, run.operands[1], i));
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> product, WorkArray<T>::Load(run, c, i));
      ACCELD_RETURN_IF_ERROR(ApplyQ(run, side, adjoint, m, n, k, reflectors.data(), lda, tau.data(),
                                    product.data(), std::max(m, 1)));
      return StoreColumns(run, product.data(), run.results[0], i);
    });
  });
}

}  // namespace

absl::Status RunQr(const RoutineRun& run) {
  const RoutineBuffer& a = run.operands[0];
  const auto m = static_cast<Int>(a.rows), n = static_cast<Int>(a.columns);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEachItem(WorkOf(a), [&](int64_t i) -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> qr, WorkArray<T>::Load(run, a, i));
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> tau, WorkArray<T>::Make(run, std::min(m, n)));
      ACCELD_RETURN_IF_ERROR(FactorQr(run, m, n, qr.data(), tau.data()));
      PropagateNan(m, n, qr, tau);
      ACCELD_RETURN_IF_ERROR(StoreColumns(run, qr.data(), run.results[0], i));
      return StoreColumns(run, tau.data(), run.results[1], i);
    });
  });
}

absl::Status RunQrPivoted(const RoutineRun& run) {
  const RoutineBuffer& a = run.operands[0];
  const auto m = static_cast<Int>(a.rows), n = static_cast<Int>(a.columns);
  return ForElementType(run.dtype(), [&](auto zero) -> absl::Status {
    using T = decltype(zero);
    const double least = kIsComplex<T> ? n + 1.0 : 3.0 * n + 1;
    // LAPACK also computes the workspace of its block algorithm.
    ACCELD_RETURN_IF_ERROR(CheckWorkspace(2.0 * n + 64 * (n + 1.0)));
    return run.ForEach(run.batch(), WorkOf(a), [&](int64_t i) -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> qr, WorkArray<T>::Load(run, a, i));
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> tau, WorkArray<T>::MakeZeros(run, std::min(m, n)));
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<Real<T>> real_space,
                              WorkArray<Real<T>>::Make(run, kIsComplex<T> ? 2 * int64_t{n} : 0));
      Int* pivots = Integers(run.results[1], i);
      if (n > 0) std::memmove(pivots, Integers(run.operands[1], i), sizeof(Int) * n);
      ACCELD_RETURN_IF_ERROR(StatusOfInfo(WithWorkspace<T>(run, least, [&](T* space, Int size) {
        return lapack::Geqp3(m, n, qr.data(), pivots, tau.data(), space, size, real_space.data());
      })));
      PropagateNan(m, n, qr, tau);
      StoreColumns(qr.data(), run.results[0], i);
      StoreColumns(tau.data(), run.results[2], i);
      return absl::OkStatus();
    });
  });
}

absl::Status RunHouseholderProduct(const RoutineRun& run) {
  const RoutineBuffer& a = run.operands[0];
  const auto m = static_cast<Int>(a.rows), n = static_cast<Int>(a.columns);
  const auto k = static_cast<Int>(run.operands[1].rows);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEachItem(2 * WorkOf(a), [&](int64_t i) -> absl::Status {
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> q, WorkArray<T>::Load(run, a, i));
      ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> tau, WorkArray<T>::Load(run, run.operands[1], i));
      ACCELD_RETURN_IF_ERROR(FormQ(run, m, n, k, q.data(), tau.data()));
      return StoreColumns(run, q.data(), run.results[0], i);
    });
  });
}

absl::Status RunHouseholderMultiplyLeft(const RoutineRun& run) {
  return Multiply(run, Side::kLeft);
}
absl::Status RunHouseholderMultiplyRight(const RoutineRun& run) {
  return Multiply(run, Side::kRight);
}

}  // namespace acceld::kernels::cpu
