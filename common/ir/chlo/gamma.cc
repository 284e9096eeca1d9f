#include <cmath>
#include <limits>
#include <numbers>

#include "common/ir/chlo/formulas.h"

// The logarithm of the gamma function and its derivative, by C. Lanczos' approximation ("A
// precision approximation of the gamma function", SIAM J. Numer. Anal. B 1, 1964) with g = 7 and
// nine coefficients:
//   gamma(z + 1) = sqrt(2 pi) t^(z + 1/2) e^-t a(z),  t = z + g + 1/2,
//   a(z) = c0 + sum of c_k / (z + k).
// Below 1/2 both functions are reflected.
namespace acceld::ir {
namespace {

constexpr double kG = 7;
constexpr double kC0 = 0.99999999999980993227684700473478;
constexpr double kC[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                         771.3234287776530788486528258894,   -176.61502916214059906584551354,
                         12.507343278686904814458936853,     -0.13857109526572011689554707,
                         9.984369578019570859563e-6,         1.50563273514931155834e-7};

struct Lanczos {
  ValueId reflects;  // whether x < 1/2
  ValueId z;         // -x there, x - 1 elsewhere
  ValueId a, a_prime;
  ValueId t, log_t;
};

Lanczos Approximate(Expressions& e, ValueId x, bool needs_derivative) {
  Lanczos l{};
  l.reflects = e.Compare(ComparisonDirection::kLt, x, e.Constant(0.5));
  l.z = e.Select(l.reflects, e.Neg(x), e.Sub(x, e.Constant(1)));
  l.a = e.Constant(kC0);
  if (needs_derivative) l.a_prime = e.Constant(0);
  double k = 0;
  for (const double c : kC) {
    const ValueId term = e.Add(l.z, e.Constant(++k));
    l.a = e.Add(l.a, e.Div(e.Constant(c), term));
    if (needs_derivative) {
      l.a_prime = e.Sub(l.a_prime, e.Div(e.Constant(c), e.Mul(term, term)));
    }
  }
  const ValueId offset = e.Constant(kG + 0.5);
  l.t = e.Add(offset, l.z);
  l.log_t = e.Add(e.Constant(std::log(kG + 0.5)), e.Unary(OpKind::kLogPlusOne, e.Div(l.z, offset)));
  return l;
}

}  // namespace

ValueId ExpandLgamma(Expressions& e, ValueId x) {
  const ValueId half = e.Constant(0.5), one = e.Constant(1);
  const Lanczos l = Approximate(e, x, /*needs_derivative=*/false);
  // (z + 1/2) log t - t, with log t factored out so that neither term overflows.
  const ValueId power = e.Mul(e.Sub(e.Add(l.z, half), e.Div(l.t, l.log_t)), l.log_t);
  const double log_root = (std::log(2) + std::log(std::numbers::pi)) / 2;
  const ValueId direct = e.Add(e.Add(e.Constant(log_root), power), e.Unary(OpKind::kLog, l.a));

  // log pi - log |sin(pi x)| - lgamma(1 - x); the sine is taken within [0, pi/2], where it is zero
  // exactly at the integers.
  const ValueId magnitude = e.Abs(x);
  const ValueId fraction = e.Sub(magnitude, e.Unary(OpKind::kFloor, magnitude));
  const ValueId folded =
      e.Select(e.Compare(ComparisonDirection::kLt, half, fraction), e.Sub(one, fraction), fraction);
  const ValueId sine = e.Unary(OpKind::kSine, e.Mul(e.Constant(std::numbers::pi), folded));
  const ValueId log_sine = e.Unary(OpKind::kLog, sine);
  const ValueId reflected = e.Select(
      e.IsFinite(log_sine), e.Sub(e.Sub(e.Constant(std::log(std::numbers::pi)), log_sine), direct),
      e.Neg(log_sine));

  const ValueId infinity = e.Constant(std::numeric_limits<double>::infinity());
  return e.Select(e.Compare(ComparisonDirection::kEq, magnitude, infinity), infinity,
                  e.Select(l.reflects, reflected, direct));
}

ValueId ExpandDigamma(Expressions& e, ValueId x) {
  const ValueId zero = e.Constant(0), pi = e.Constant(std::numbers::pi);
  const Lanczos l = Approximate(e, x, /*needs_derivative=*/true);
  const ValueId direct = e.Sub(e.Add(l.log_t, e.Div(l.a_prime, l.a)), e.Div(e.Constant(kG), l.t));

  // digamma(1 - x) - pi cot(pi x), the angle taken within [-pi/2, pi/2].
  const ValueId nearest = e.Unary(OpKind::kFloor, e.Add(x, e.Constant(0.5)));
  const ValueId angle = e.Mul(pi, e.Add(x, e.Abs(nearest)));
  const ValueId cotangent =
      e.Div(e.Mul(pi, e.Unary(OpKind::kCosine, angle)), e.Unary(OpKind::kSine, angle));
  const ValueId value = e.Select(l.reflects, e.Sub(direct, cotangent), direct);

  // The poles at the negative integers have no value; at zeros of either sign it is -infinity, as
  // in JAX since version 0.12 (before, NaN).
  const ValueId at_pole = e.And(e.Compare(ComparisonDirection::kLt, x, zero),
                                e.Compare(ComparisonDirection::kEq, x, e.Unary(OpKind::kFloor, x)));
  const ValueId at_zero = e.Compare(ComparisonDirection::kEq, x, zero);
  return e.Select(at_zero, e.Constant(-std::numeric_limits<double>::infinity()),
                  e.Select(at_pole, e.Constant(std::numeric_limits<double>::quiet_NaN()), value));
}

}  // namespace acceld::ir
