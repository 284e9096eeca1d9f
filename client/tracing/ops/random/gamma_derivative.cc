#include "client/tracing/ops/random/gamma_derivative.h"

#include <limits>
#include <tuple>

#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/transforms/control_flow.h"

namespace acceld::client::random {
namespace {

using ir::DType;

constexpr int kMaxTerms = 2000;

double Epsilon(DType dtype) { return dtype == DType::kF64 ? 0x1p-52 : 0x1p-23; }

// dx/dalpha = -(dP/dalpha) / p, where p = x^(alpha-1) e^-x / Gamma(alpha) is the density.

// By the series P = x^a e^-x / Gamma(a+1) S, S = sum of x^n / ((a+1) ... (a+n)), which converges
// quickly for x < a + 1. Source: DLMF 8.7.1.
Tensor BySeries(const Tensor& a, const Tensor& x, const Tensor& is_wanted) {
  const double epsilon = Epsilon(a.dtype());
  // The number of the term, which elements go on, the term, the sum, and the derivatives of both.
  using State = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor, Tensor>;
  const auto goes_on = [](const State& state) {
    return Any(std::get<1>(state)) && std::get<0>(state) < kMaxTerms;
  };
  const auto next = [&](const State& state) -> State {
    const auto& [n, active, term, sum, dterm, dsum] = state;
    const Tensor divisor = a + Convert(n, a.dtype());
    const Tensor ratio = x / divisor;
    const Tensor new_dterm = (dterm - term / divisor) * ratio, new_term = term * ratio;
    const Tensor new_dsum = dsum + new_dterm;
    return {n + 1,
            active && Abs(new_dterm) > epsilon * Abs(new_dsum),
            Where(active, new_term, term),
            Where(active, sum + new_term, sum),
            Where(active, new_dterm, dterm),
            Where(active, new_dsum, dsum)};
  };
  const State last = WhileLoop(goes_on, next,
                               State{Full({}, 1, DType::kI32), is_wanted, OnesLike(a), OnesLike(a),
                                     ZerosLike(a), ZerosLike(a)});
  const Tensor &sum = std::get<3>(last), &dsum = std::get<5>(last);
  return -(dsum + sum * (Log(x) - Digamma(a + 1))) * x / a;
}

// The last two numerators and denominators, of which the derivatives are `d...`, and the value of
// the fraction.
template <typename T>
struct Convergents {
  T p0, p1, q0, q1, dp0, dp1, dq0, dq1, value, dvalue;
  static auto Fields(auto& c) {
    return std::tie(c.p0, c.p1, c.q0, c.q1, c.dp0, c.dp1, c.dq0, c.dq1, c.value, c.dvalue);
  }
};

// By the continued fraction Q = 1 - P = x^a e^-x / Gamma(a) C, which converges quickly for x > a.
// Its convergents are p / q. Source: DLMF 8.9.2.
Tensor ByContinuedFraction(const Tensor& a, const Tensor& x, const Tensor& is_wanted) {
  const double epsilon = Epsilon(a.dtype());
  using State = std::tuple<Tensor, Tensor, Convergents<Tensor>>;
  const auto goes_on = [](const State& state) {
    return Any(std::get<1>(state)) && std::get<0>(state) < kMaxTerms;
  };
  const auto next = [&](const State& state) -> State {
    const auto& [n, active, c] = state;
    const Tensor k = Convert(n, a.dtype());
    const Tensor z = x - a + 2 * k + 2, w = (k + 1 - a) * k;
    const auto step = [&](const Tensor& before, const Tensor& last) {
      return last * z - before * w;
    };
    // By a, z has the derivative -1 and w has -k.
    const auto dstep = [&](const Tensor& before, const Tensor& last, const Tensor& dbefore,
                           const Tensor& dlast) {
      return step(dbefore, dlast) - last + before * k;
    };
    const Tensor p = step(c.p0, c.p1), q = step(c.q0, c.q1);
    const Tensor dp = dstep(c.p0, c.p1, c.dp0, c.dp1), dq = dstep(c.q0, c.q1, c.dq0, c.dq1);
    const Tensor value = p / q, dvalue = (dp - value * dq) / q;
    const Tensor is_close = Abs(dvalue - c.dvalue) <= epsilon * Abs(dvalue);
    // Only ratios count, and the numbers grow.
    const Tensor scale = Where(Abs(p) > 1 / epsilon, epsilon, OnesLike(p));
    const Convergents<Tensor> grown{c.p1 * scale,  p * scale,  c.q1 * scale,  q * scale,
                                    c.dp1 * scale, dp * scale, c.dq1 * scale, dq * scale,
                                    value,         dvalue};
    const auto choose = [&](const Tensor& there, const Tensor& old) {
      return Where(active, there, old);
    };
    return {n + 1, active && !is_close, MapTree(choose, grown, c)};
  };
  const Tensor one = OnesLike(a), zero = ZerosLike(a);
  const Tensor q1 = (x + 2 - a) * x, value = (x + 1) / q1;
  const Convergents<Tensor> first{one, x + 1, x, q1, zero, zero, zero, -x, value, value * x / q1};
  const State last = WhileLoop(goes_on, next, State{Full({}, 1, DType::kI32), is_wanted, first});
  const Convergents<Tensor>& c = std::get<2>(last);
  return (c.dvalue + c.value * (Log(x) - Digamma(a))) * x;
}

}  // namespace

Tensor GammaDerivative(const Tensor& alpha, const Tensor& x) {
  const DType dtype = alpha.dtype() == DType::kF64 ? DType::kF64 : DType::kF32;
  const Tensor a = Convert(alpha, dtype), number = Convert(x, dtype);
  const Tensor is_valid = a > 0 && number > 0;
  const Tensor by_fraction = number > 1 && number > a;
  const Tensor derivative =
      Where(by_fraction, ByContinuedFraction(a, number, is_valid && by_fraction),
            BySeries(a, number, is_valid && !by_fraction));
  const Tensor nan = FullLike(a, std::numeric_limits<double>::quiet_NaN());
  return Convert(Where(is_valid, derivative, Where(number == 0, ZerosLike(a), nan)), alpha.dtype());
}

}  // namespace acceld::client::random
