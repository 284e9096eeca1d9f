#include <cmath>
#include <limits>

#include "common/ir/chlo/expressions.h"

// Formulas of the CHLO dialect for real operands.
namespace acceld::ir {
namespace {

constexpr ComparisonDirection kLt = ComparisonDirection::kLt;
constexpr ComparisonDirection kGe = ComparisonDirection::kGe;
constexpr ComparisonDirection kGt = ComparisonDirection::kGt;
constexpr ComparisonDirection kLe = ComparisonDirection::kLe;

ValueId NaN(Expressions& e) { return e.Constant(std::numeric_limits<double>::quiet_NaN()); }

// Above it the square of a number is infinite.
ValueId SquareRootOfLargest(Expressions& e) {
  return e.Constant(e.type().dtype == DType::kF64
                        ? std::sqrt(std::numeric_limits<double>::max())
                        : std::sqrt(static_cast<double>(std::numeric_limits<float>::max())));
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
  // (e^x - e^-x) / 2 through e^x - 1, which keeps its digits near zero.
  const ValueId m = e.Unary(OpKind::kExponentialMinusOne, x);
  const ValueId small = e.Mul(e.Constant(0.5), e.Add(m, e.Div(m, e.Add(m, e.Constant(1)))));
  return e.Select(e.Compare(kLt, e.Unary(OpKind::kAbs, x), e.Constant(1)), small, large);
}

ValueId ExpandAcosh(Expressions& e, ValueId x) {
  const ValueId one = e.Constant(1);
  const ValueId root = e.Unary(OpKind::kSqrt, e.Mul(e.Add(x, one), e.Sub(x, one)));
  const ValueId inside = e.Unary(OpKind::kLog, e.Add(x, root));
  const ValueId value =
      e.Select(e.Compare(kGe, x, SquareRootOfLargest(e)), LogOfDouble(e, x), inside);
  return e.Select(e.Compare(kLt, x, e.Constant(-1)), NaN(e), value);
}

ValueId ExpandAsinh(Expressions& e, ValueId x) {
  const ValueId a = e.Unary(OpKind::kAbs, x);
  const ValueId square = e.Mul(a, a);
  const ValueId root = e.Unary(OpKind::kSqrt, e.Add(square, e.Constant(1)));
  const ValueId small =
      e.Unary(OpKind::kLogPlusOne, e.Add(a, e.Div(square, e.Add(root, e.Constant(1)))));
  const ValueId middle = e.Unary(OpKind::kLog, e.Add(a, root));
  const ValueId magnitude = e.Select(e.Compare(kGe, a, SquareRootOfLargest(e)), LogOfDouble(e, a),
                                     e.Select(e.Compare(kLe, a, e.Constant(1)), small, middle));
  return e.Mul(e.Unary(OpKind::kSign, x), magnitude);
}

ValueId ExpandAtanh(Expressions& e, ValueId x) {
  const ValueId difference = e.Sub(e.Unary(OpKind::kLogPlusOne, x),
                                   e.Unary(OpKind::kLogPlusOne, e.Unary(OpKind::kNegate, x)));
  return e.Select(e.Compare(kGt, e.Unary(OpKind::kAbs, x), e.Constant(1)), NaN(e),
                  e.Mul(difference, e.Constant(0.5)));
}

}  // namespace acceld::ir
