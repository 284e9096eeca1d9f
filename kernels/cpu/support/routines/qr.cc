#include <algorithm>
#include <cstring>

#include "kernels/cpu/support/routines/spread_nan.h"
#include "kernels/cpu/support/routines/workspace.h"

namespace acceld::kernels::cpu {
namespace {

using lapack::Int;

double WorkOf(const RoutineBuffer& a) {
  return 2.0 * static_cast<double>(a.item_elements()) *
         static_cast<double>(1 + std::min(a.rows, a.columns));
}

// A reflector with NaN has one in its factor, too.
template <typename T>
void SpreadNan(int64_t m, int64_t n, std::vector<T>& qr, std::vector<T>& tau) {
  const auto steps = static_cast<int64_t>(tau.size());
  const int64_t first = FirstNan(tau.data(), steps, 1);
  if (first == steps) return;
  SpreadNanFromStep(m, n, first, /*own_row=*/true, qr.data());
  std::fill(tau.begin() + first, tau.end(), NanOf<T>());
}

absl::Status Multiply(const RoutineRun& run, char side) {
  const RoutineBuffer& a = run.operands[0];
  const RoutineBuffer& c = run.operands[2];
  const auto lda = static_cast<Int>(std::max<int64_t>(a.rows, 1));
  const auto k = static_cast<Int>(run.operands[1].rows);
  const auto m = static_cast<Int>(c.rows), n = static_cast<Int>(c.columns);
  const double work = 4.0 * static_cast<double>(c.item_elements()) * (1 + k);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const char transpose = run.parameters[0] == 0 ? 'N' : kIsComplex<T> ? 'C' : 'T';
    return run.ForEach(run.batch(), work, [&](int64_t i) -> absl::Status {
      const std::vector<T> reflectors = LoadMatrix<T>(a, i);
      const std::vector<T> tau = LoadMatrix<T>(run.operands[1], i);
      std::vector<T> product = LoadMatrix<T>(c, i);
      ACCELD_RETURN_IF_ERROR(Accepted(WithWorkspace<T>([&](T* space, Int size) {
        return lapack::Mqr(side, transpose, m, n, k, reflectors.data(), lda, tau.data(),
                           product.data(), space, size);
      })));
      StoreColumns(product.data(), run.results[0], i);
      return absl::OkStatus();
    });
  });
}

}  // namespace

absl::Status RunQr(const RoutineRun& run) {
  const RoutineBuffer& a = run.operands[0];
  const auto m = static_cast<Int>(a.rows), n = static_cast<Int>(a.columns);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEach(run.batch(), WorkOf(a), [&](int64_t i) -> absl::Status {
      std::vector<T> qr = LoadMatrix<T>(a, i);
      std::vector<T> tau(std::min(m, n));
      ACCELD_RETURN_IF_ERROR(Accepted(WithWorkspace<T>([&](T* space, Int size) {
        return lapack::Geqrf(m, n, qr.data(), tau.data(), space, size);
      })));
      SpreadNan(m, n, qr, tau);
      StoreColumns(qr.data(), run.results[0], i);
      StoreColumns(tau.data(), run.results[1], i);
      return absl::OkStatus();
    });
  });
}

absl::Status RunQrPivoted(const RoutineRun& run) {
  const RoutineBuffer& a = run.operands[0];
  const auto m = static_cast<Int>(a.rows), n = static_cast<Int>(a.columns);
  return ForElementType(run.dtype(), [&](auto zero) {
    using T = decltype(zero);
    return run.ForEach(run.batch(), WorkOf(a), [&](int64_t i) -> absl::Status {
      std::vector<T> qr = LoadMatrix<T>(a, i);
      std::vector<T> tau(std::min(m, n));
      std::vector<Real<T>> real_space(2 * static_cast<size_t>(n) + 1);
      Int* pivots = Integers(run.results[1], i);
      std::copy_n(Integers(run.operands[1], i), n, pivots);
      ACCELD_RETURN_IF_ERROR(Accepted(WithWorkspace<T>([&](T* space, Int size) {
        return lapack::Geqp3(m, n, qr.data(), pivots, tau.data(), space, size, real_space.data());
      })));
      SpreadNan(m, n, qr, tau);
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
    return run.ForEach(run.batch(), 2 * WorkOf(a), [&](int64_t i) -> absl::Status {
      std::vector<T> q = LoadMatrix<T>(a, i);
      const std::vector<T> tau = LoadMatrix<T>(run.operands[1], i);
      ACCELD_RETURN_IF_ERROR(Accepted(WithWorkspace<T>([&](T* space, Int size) {
        return lapack::Gqr(m, n, k, q.data(), tau.data(), space, size);
      })));
      StoreColumns(q.data(), run.results[0], i);
      return absl::OkStatus();
    });
  });
}

absl::Status RunHouseholderMultiplyLeft(const RoutineRun& run) { return Multiply(run, 'L'); }
absl::Status RunHouseholderMultiplyRight(const RoutineRun& run) { return Multiply(run, 'R'); }

}  // namespace acceld::kernels::cpu
