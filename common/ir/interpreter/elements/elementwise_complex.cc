#include <cmath>
#include <complex>
#include <limits>

#include "common/ir/interpreter/elements/elementwise.h"

// Elementwise ops on complex numbers. Transcendental functions are computed in long double and then
// rounded to double, so that cancellation in their formulas does not show in complex<f64>. Source:
// StableHLO specification; C99 annex G for infinities and NaNs.
namespace acceld::ir::interpreter {
namespace {

using Wide = std::complex<long double>;

Complex X(const Scalar* a) { return a[0].complex; }
Complex Y(const Scalar* a) { return a[1].complex; }
Wide WideX(const Scalar* a) { return Wide(X(a)); }
Wide WideY(const Scalar* a) { return Wide(Y(a)); }

Scalar Narrow(const Wide& value) {
  return OfComplex({static_cast<double>(value.real()), static_cast<double>(value.imag())});
}

bool IsNan(const Complex& value) { return std::isnan(value.real()) || std::isnan(value.imag()); }

// Lexicographic, real part first.
bool Less(const Complex& a, const Complex& b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}

Complex Maximum(const Complex& a, const Complex& b) {
  if (IsNan(a)) return a;
  if (IsNan(b)) return b;
  return Less(a, b) ? b : a;
}

Complex Minimum(const Complex& a, const Complex& b) {
  if (IsNan(a)) return a;
  if (IsNan(b)) return b;
  return Less(b, a) ? b : a;
}

}  // namespace

Scalar EvalAbsComplex(const ElementContext&, const Scalar* a) {
  return OfReal(std::hypot(X(a).real(), X(a).imag()));
}

Scalar EvalAddComplex(const ElementContext&, const Scalar* a) { return OfComplex(X(a) + Y(a)); }

// -i log((x + i y) / sqrt(x^2 + y^2)) of y = operand 0 and x = operand 1.
Scalar EvalAtan2Complex(const ElementContext&, const Scalar* a) {
  const Wide y = WideX(a);
  const Wide x = WideY(a);
  const Wide i(0, 1);
  return Narrow(-i * std::log((x + i * y) / std::sqrt(x * x + y * y)));
}

Scalar EvalCbrtComplex(const ElementContext&, const Scalar* a) {
  if (X(a) == Complex(0, 0)) return a[0];
  return Narrow(std::exp(std::log(WideX(a)) / 3.0L));
}

Scalar EvalClampComplex(const ElementContext&, const Scalar* a) {
  return OfComplex(Minimum(Maximum(a[1].complex, a[0].complex), a[2].complex));
}

// Only EQ and NE are in the specification; the rest is lexicographic, as min and max are.
Scalar EvalCompareComplex(const ElementContext& c, const Scalar* a) {
  const ComparisonDirection direction =
      std::get<CompareAttributes>(*c.attributes).comparison_direction;
  if (IsNan(X(a)) || IsNan(Y(a))) return OfInteger(direction == ComparisonDirection::kNe ? 1 : 0);
  const int order = Less(X(a), Y(a)) ? -1 : (Less(Y(a), X(a)) ? 1 : 0);
  return OfInteger(Holds(direction, order) ? 1 : 0);
}

// cos x cosh y - i sin x sinh y, where the product of a sine of 0 and an infinity is 0, as in JAX.
Scalar EvalCosineComplex(const ElementContext&, const Scalar* a) {
  const long double x = WideX(a).real();
  const long double y = WideX(a).imag();
  return Narrow({y == 0 ? std::cos(x) : std::cos(x) * std::cosh(y),
                 x == 0 ? -x * std::copysign(1.0L, y) : -std::sin(x) * std::sinh(y)});
}

Scalar EvalDivideComplex(const ElementContext&, const Scalar* a) { return OfComplex(X(a) / Y(a)); }

Scalar EvalExponentialComplex(const ElementContext&, const Scalar* a) {
  return Narrow(std::exp(WideX(a)));
}

// e^x cos y - 1 = expm1(x) cos y - 2 sin^2(y/2), which does not cancel near 0.
Scalar EvalExponentialMinusOneComplex(const ElementContext&, const Scalar* a) {
  const long double x = WideX(a).real();
  const long double y = WideX(a).imag();
  if (y == 0) return Narrow({std::expm1(x), y});
  const long double half_sine = std::sin(y / 2);
  return Narrow(
      {std::expm1(x) * std::cos(y) - 2 * half_sine * half_sine, std::exp(x) * std::sin(y)});
}

Scalar EvalImagComplex(const ElementContext&, const Scalar* a) { return OfReal(X(a).imag()); }

Scalar EvalLogComplex(const ElementContext&, const Scalar* a) { return Narrow(std::log(WideX(a))); }

// log|1 + z|^2 / 2 with |1 + z|^2 - 1 = 2x + x^2 + y^2 where that is small; else log|1 + z|.
Scalar EvalLogPlusOneComplex(const ElementContext&, const Scalar* a) {
  const long double x = WideX(a).real();
  const long double y = WideX(a).imag();
  const bool is_small = std::fabs(x) < 1 && std::fabs(y) < 1;
  const long double real =
      is_small ? std::log1p((2 + x) * x + y * y) / 2 : std::log(std::hypot(1 + x, y));
  return Narrow({real, std::atan2(y, 1 + x)});
}

// Uses the exponential that does not overflow.
Scalar EvalLogisticComplex(const ElementContext&, const Scalar* a) {
  if (X(a).real() >= 0) return Narrow(1.0L / (1.0L + std::exp(-WideX(a))));
  const Wide q = std::exp(WideX(a));
  return Narrow(q / (q + 1.0L));
}

Scalar EvalMaximumComplex(const ElementContext&, const Scalar* a) {
  return OfComplex(Maximum(X(a), Y(a)));
}

Scalar EvalMinimumComplex(const ElementContext&, const Scalar* a) {
  return OfComplex(Minimum(X(a), Y(a)));
}

// The plain formula, in which infinities may make NaN, as in JAX.
Scalar EvalMultiplyComplex(const ElementContext&, const Scalar* a) {
  const double xr = X(a).real(), xi = X(a).imag(), yr = Y(a).real(), yi = Y(a).imag();
  return OfComplex({xr * yr - xi * yi, xr * yi + xi * yr});
}

Scalar EvalNegateComplex(const ElementContext&, const Scalar* a) { return OfComplex(-X(a)); }

// |x|^c e^(-d arg x) (cos q + i sin q) for y = c + i d and q = c arg x + d log|x|, with the limits
// where that is NaN: x^0 and 1^y are 1, 0^c is 0 for c > 0, and a positive infinity to the power of
// a real number is real. All other infinities are left to the formula, as in JAX.
Scalar EvalPowerComplex(const ElementContext&, const Scalar* a) {
  const long double c = WideY(a).real();
  const long double d = WideY(a).imag();
  if (X(a) == Complex(1, 0) || Y(a) == Complex(0, 0)) return OfComplex({1, 0});
  if (X(a) == Complex(0, 0) && d == 0 && c > 0) return OfComplex({0, 0});
  if (X(a) == Complex(std::numeric_limits<double>::infinity(), 0) && d == 0 && !std::isnan(c)) {
    return OfComplex({c > 0 ? std::numeric_limits<double>::infinity() : 0, 0});
  }
  const long double radius = std::hypot(WideX(a).real(), WideX(a).imag());
  const long double angle = std::atan2(WideX(a).imag(), WideX(a).real());
  const long double scale = std::pow(radius, c) * std::exp(-d * angle);
  const long double q = c * angle + d * std::log(radius);
  return Narrow({scale * std::cos(q), scale * std::sin(q)});
}

Scalar EvalRealComplex(const ElementContext&, const Scalar* a) { return OfReal(X(a).real()); }

// x - y q, with q the quotient whose parts are truncated toward zero.
Scalar EvalRemainderComplex(const ElementContext&, const Scalar* a) {
  const Wide quotient = WideX(a) / WideY(a);
  return Narrow(WideX(a) -
                WideY(a) * Wide(std::trunc(quotient.real()), std::trunc(quotient.imag())));
}

Scalar EvalRsqrtComplex(const ElementContext&, const Scalar* a) {
  return Narrow(1.0L / std::sqrt(WideX(a)));
}

Scalar EvalSelectComplex(const ElementContext&, const Scalar* a) {
  return a[0].integer != 0 ? a[1] : a[2];
}

// z / |z|, and 0 for 0. NaN in either part gives NaN in both.
Scalar EvalSignComplex(const ElementContext&, const Scalar* a) {
  if (IsNan(X(a))) return OfComplex({std::nan(""), std::nan("")});
  if (X(a) == Complex(0, 0)) return OfComplex({0, 0});
  return Narrow(WideX(a) / std::abs(WideX(a)));
}

// sin x cosh y + i cos x sinh y, as cosine.
Scalar EvalSineComplex(const ElementContext&, const Scalar* a) {
  const long double x = WideX(a).real();
  const long double y = WideX(a).imag();
  return Narrow({x == 0 ? x : std::sin(x) * std::cosh(y), std::cos(x) * std::sinh(y)});
}

Scalar EvalSqrtComplex(const ElementContext&, const Scalar* a) {
  return Narrow(std::sqrt(WideX(a)));
}

Scalar EvalSubtractComplex(const ElementContext&, const Scalar* a) {
  return OfComplex(X(a) - Y(a));
}

Scalar EvalTanComplex(const ElementContext&, const Scalar* a) { return Narrow(std::tan(WideX(a))); }

Scalar EvalTanhComplex(const ElementContext&, const Scalar* a) {
  return Narrow(std::tanh(WideX(a)));
}

}  // namespace acceld::ir::interpreter
