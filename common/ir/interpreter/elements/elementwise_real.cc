#include <bit>
#include <cmath>

#include "common/ir/interpreter/elements/elementwise.h"
#include "common/ir/types/float_formats.h"

// Elementwise ops on floats, computed in double; the caller rounds to the element type. Source:
// StableHLO specification, IEEE 754.
namespace acceld::ir::interpreter {
namespace {

double X(const Scalar* a) { return a[0].real(); }
double Y(const Scalar* a) { return a[1].real(); }

// The result is NaN if an operand is NaN; -0 is less than +0.
double Maximum(double a, double b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double Minimum(double a, double b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// A number that orders as IEEE 754's totalOrder: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
int64_t TotalOrderKey(DType dtype, double value) {
  if (std::isnan(value) && HasNegativeNan(dtype)) return std::numeric_limits<int64_t>::min();
  const auto bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? ~(bits & std::numeric_limits<int64_t>::max()) : bits;
}

template <typename T>
int Order(T a, T b) {
  return a < b ? -1 : (a > b ? 1 : 0);
}

}  // namespace

Scalar EvalAbsReal(const ElementContext&, const Scalar* a) { return OfReal(std::fabs(X(a))); }
Scalar EvalAddReal(const ElementContext&, const Scalar* a) { return OfReal(X(a) + Y(a)); }
Scalar EvalAtan2Real(const ElementContext&, const Scalar* a) {
  return OfReal(std::atan2(X(a), Y(a)));
}
Scalar EvalCbrtReal(const ElementContext&, const Scalar* a) { return OfReal(std::cbrt(X(a))); }
Scalar EvalCeilReal(const ElementContext&, const Scalar* a) { return OfReal(std::ceil(X(a))); }

// min(max(x, lo), hi): with lo > hi the result is hi.
Scalar EvalClampReal(const ElementContext&, const Scalar* a) {
  return OfReal(Minimum(Maximum(a[1].real(), a[0].real()), a[2].real()));
}

Scalar EvalCompareReal(const ElementContext& c, const Scalar* a) {
  const auto& attributes = std::get<CompareAttributes>(*c.attributes);
  const ComparisonDirection direction = attributes.comparison_direction;
  if (attributes.compare_type == ComparisonType::kTotalOrder) {
    const int order = Order(TotalOrderKey(c.operand, X(a)), TotalOrderKey(c.operand, Y(a)));
    return OfInteger(Holds(direction, order) ? 1 : 0);
  }
  if (std::isnan(X(a)) || std::isnan(Y(a))) {
    return OfInteger(direction == ComparisonDirection::kNe ? 1 : 0);
  }
  return OfInteger(Holds(direction, Order(X(a), Y(a))) ? 1 : 0);
}

Scalar EvalComplexReal(const ElementContext&, const Scalar* a) { return OfComplex({X(a), Y(a)}); }
Scalar EvalCosineReal(const ElementContext&, const Scalar* a) { return OfReal(std::cos(X(a))); }
Scalar EvalDivideReal(const ElementContext&, const Scalar* a) { return OfReal(X(a) / Y(a)); }
Scalar EvalExponentialReal(const ElementContext&, const Scalar* a) {
  return OfReal(std::exp(X(a)));
}
Scalar EvalExponentialMinusOneReal(const ElementContext&, const Scalar* a) {
  return OfReal(std::expm1(X(a)));
}
Scalar EvalFloorReal(const ElementContext&, const Scalar* a) { return OfReal(std::floor(X(a))); }
Scalar EvalImagReal(const ElementContext&, const Scalar*) { return OfReal(0); }
Scalar EvalIsFiniteReal(const ElementContext&, const Scalar* a) {
  return OfInteger(std::isfinite(X(a)) ? 1 : 0);
}
Scalar EvalLogReal(const ElementContext&, const Scalar* a) { return OfReal(std::log(X(a))); }
Scalar EvalLogPlusOneReal(const ElementContext&, const Scalar* a) {
  return OfReal(std::log1p(X(a)));
}
Scalar EvalLogisticReal(const ElementContext&, const Scalar* a) {
  return OfReal(1 / (1 + std::exp(-X(a))));
}
Scalar EvalMaximumReal(const ElementContext&, const Scalar* a) {
  return OfReal(Maximum(X(a), Y(a)));
}
Scalar EvalMinimumReal(const ElementContext&, const Scalar* a) {
  return OfReal(Minimum(X(a), Y(a)));
}
Scalar EvalMultiplyReal(const ElementContext&, const Scalar* a) { return OfReal(X(a) * Y(a)); }
Scalar EvalNegateReal(const ElementContext&, const Scalar* a) { return OfReal(-X(a)); }
Scalar EvalPowerReal(const ElementContext&, const Scalar* a) {
  return OfReal(std::pow(X(a), Y(a)));
}
Scalar EvalRealReal(const ElementContext&, const Scalar* a) { return a[0]; }

// Works on the bits of the element type, whose subnormals have fewer significant bits than a double
// would keep. Rounds the mantissa to nearest even. A value that the narrower exponent cannot
// represent becomes infinity or zero (the result has no subnormals, unless the exponent keeps its
// width). NaN stays NaN, also without mantissa bits.
Scalar EvalReducePrecisionReal(const ElementContext& c, const Scalar* a) {
  if (std::isnan(X(a))) return a[0];
  const auto& attributes = std::get<ReducePrecisionAttributes>(*c.attributes);
  const DType type = ReducePrecisionTypeOf(c.operand);
  const FloatFormat format = FormatOf(type);
  uint64_t bits = EncodeFloat(type, X(a));
  if (attributes.mantissa_bits < format.mantissa_bits) {
    const int dropped = format.mantissa_bits - static_cast<int>(attributes.mantissa_bits);
    const uint64_t last_kept = (bits >> dropped) & 1;
    bits += (uint64_t{1} << (dropped - 1)) - 1 + last_kept;
    bits &= ~((uint64_t{1} << dropped) - 1);
  }
  if (attributes.exponent_bits < format.exponent_bits) {
    const uint64_t exponent_mask = ((uint64_t{1} << format.exponent_bits) - 1)
                                   << format.mantissa_bits;
    const int64_t reduced_bias = (int64_t{1} << (attributes.exponent_bits - 1)) - 1;
    const auto exponent = static_cast<int64_t>((bits & exponent_mask) >> format.mantissa_bits);
    if (exponent > format.bias + reduced_bias) {
      return OfReal(std::copysign(std::numeric_limits<double>::infinity(), X(a)));
    }
    if (exponent <= format.bias - reduced_bias) return OfReal(std::copysign(0.0, X(a)));
  }
  return OfReal(DecodeFloat(type, bits));
}

Scalar EvalRemainderReal(const ElementContext&, const Scalar* a) {
  return OfReal(std::fmod(X(a), Y(a)));
}
Scalar EvalRoundNearestAfzReal(const ElementContext&, const Scalar* a) {
  return OfReal(std::round(X(a)));
}
Scalar EvalRoundNearestEvenReal(const ElementContext&, const Scalar* a) {
  return OfReal(std::nearbyint(X(a)));
}
Scalar EvalRsqrtReal(const ElementContext&, const Scalar* a) { return OfReal(1 / std::sqrt(X(a))); }
Scalar EvalSelectReal(const ElementContext&, const Scalar* a) {
  return a[0].integer != 0 ? a[1] : a[2];
}

// Zeros keep their sign and NaN stays NaN.
Scalar EvalSignReal(const ElementContext&, const Scalar* a) {
  if (std::isnan(X(a)) || X(a) == 0) return a[0];
  return OfReal(std::copysign(1.0, X(a)));
}

Scalar EvalSineReal(const ElementContext&, const Scalar* a) { return OfReal(std::sin(X(a))); }
Scalar EvalSqrtReal(const ElementContext&, const Scalar* a) { return OfReal(std::sqrt(X(a))); }
Scalar EvalSubtractReal(const ElementContext&, const Scalar* a) { return OfReal(X(a) - Y(a)); }
Scalar EvalTanReal(const ElementContext&, const Scalar* a) { return OfReal(std::tan(X(a))); }
Scalar EvalTanhReal(const ElementContext&, const Scalar* a) { return OfReal(std::tanh(X(a))); }

}  // namespace acceld::ir::interpreter
