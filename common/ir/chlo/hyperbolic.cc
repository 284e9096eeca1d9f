#include <cmath>
#include <limits>

#include "common/ir/chlo/formulas.h"

// Hyperbolic functions, by the formulas of the CHLO dialect.
namespace acceld::ir {
namespace {

constexpr ComparisonDirection kLt = ComparisonDirection::kLt;
constexpr ComparisonDirection kGe = ComparisonDirection::kGe;
constexpr ComparisonDirection kGt = ComparisonDirection::kGt;

ValueId NaN(Expressions& e) { return e.Constant(std::numeric_limits<double>::quiet_NaN()); }

double Largest(const Expressions& e) {
  return e.dtype() == DType::kF64 ? std::numeric_limits<double>::max()
                                  : std::numeric_limits<float>::max();
}

// e^x / 2 without overflow before the halving.
ValueId HalfExp(Expressions& e, ValueId x) {
  return e.Unary(OpKind::kExponential, e.Add(x, e.Constant(std::log(0.5))));
}

// log(2 x) for large x.
ValueId LogOfDouble(Expressions& e, ValueId x) {
  return e.Add(e.Unary(OpKind::kLog, x), e.Constant(std::log(2.0)));
}

}  // namespace

ValueId ExpandCosh(Expressions& e, ValueId x) {
  return e.Add(HalfExp(e, x), HalfExp(e, e.Unary(OpKind::kNegate, x)));
}

ValueId ExpandSinh(Expressions& e, ValueId x) {
  const ValueId large = e.Sub(HalfExp(e, x), HalfExp(e, e.Unary(OpKind::kNegate, x)));
  if (IsComplex(e.dtype())) return large;
  // (e^x - e^-x) / 2 through e^x - 1, which keeps its digits near zero.
  const ValueId m = e.Unary(OpKind::kExponentialMinusOne, x);
  const ValueId small = e.Mul(e.Constant(0.5), e.Add(m, e.Div(m, e.Add(m, e.Constant(1)))));
  return e.Select(e.Compare(kLt, e.Unary(OpKind::kAbs, x), e.Constant(1)), small, large);
}

// log(x + sqrt(x^2 - 1)) through log1p, exact near 1; NaN below.
ValueId ExpandAcosh(Expressions& e, ValueId x) {
  const ValueId one = e.Constant(1);
  const ValueId minus = e.Unary(OpKind::kSqrt, e.Sub(x, one));
  const ValueId plus = e.Unary(OpKind::kSqrt, e.Add(x, one));
  const ValueId value = e.Unary(OpKind::kLogPlusOne, e.Mul(minus, e.Add(plus, minus)));
  return e.Select(e.Compare(kGe, x, e.Constant(Largest(e) / 2)), LogOfDouble(e, x), value);
}

// log(|x| + sqrt(x^2 + 1)) through log1p.
ValueId ExpandAsinh(Expressions& e, ValueId x) {
  const ValueId a = e.Abs(x), one = e.Constant(1);
  const ValueId square = e.Mul(a, a);
  const ValueId root = e.Unary(OpKind::kSqrt, e.Add(one, square));
  const ValueId value = e.Unary(OpKind::kLogPlusOne, e.Add(a, e.Div(square, e.Add(one, root))));
  const ValueId magnitude =
      e.Select(e.Compare(kGe, a, e.Constant(std::sqrt(Largest(e)))), LogOfDouble(e, a), value);
  return e.Mul(e.Unary(OpKind::kSign, x), magnitude);
}

ValueId ExpandAtanh(Expressions& e, ValueId x) {
  const ValueId difference = e.Sub(e.Unary(OpKind::kLogPlusOne, x),
                                   e.Unary(OpKind::kLogPlusOne, e.Unary(OpKind::kNegate, x)));
  return e.Select(e.Compare(kGt, e.Unary(OpKind::kAbs, x), e.Constant(1)), NaN(e),
                  e.Mul(difference, e.Constant(0.5)));
}

}  // namespace acceld::ir
