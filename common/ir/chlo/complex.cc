#include <cmath>
#include <limits>
#include <numbers>

#include "common/ir/chlo/formulas.h"

// Functions of complex operands. The inverse ones follow T. Hull, T. Fairgrieve and P. Tang,
// "Implementing the complex arcsine and arccosine functions using exception handling", ACM Trans.
// Math. Softw. 23 (1997), with fewer regions: three for the angle, four for the logarithm.
namespace acceld::ir {
namespace {

constexpr ComparisonDirection kEq = ComparisonDirection::kEq;
constexpr ComparisonDirection kGe = ComparisonDirection::kGe;
constexpr ComparisonDirection kGt = ComparisonDirection::kGt;
constexpr ComparisonDirection kLe = ComparisonDirection::kLe;
constexpr ComparisonDirection kLt = ComparisonDirection::kLt;

ValueId Sqrt(Expressions& r, ValueId x) { return r.Unary(OpKind::kSqrt, x); }
ValueId Log(Expressions& r, ValueId x) { return r.Unary(OpKind::kLog, x); }
ValueId Log1p(Expressions& r, ValueId x) { return r.Unary(OpKind::kLogPlusOne, x); }
ValueId Max(Expressions& r, ValueId a, ValueId b) { return r.Binary(OpKind::kMaximum, a, b); }
ValueId Min(Expressions& r, ValueId a, ValueId b) { return r.Binary(OpKind::kMinimum, a, b); }
ValueId Atan2(Expressions& r, ValueId a, ValueId b) { return r.Binary(OpKind::kAtan2, a, b); }

double Largest(const Expressions& r) {
  return r.dtype() == DType::kF64 ? std::numeric_limits<double>::max()
                                  : std::numeric_limits<float>::max();
}
double SmallestNormal(const Expressions& r) {
  return r.dtype() == DType::kF64 ? std::numeric_limits<double>::min()
                                  : std::numeric_limits<float>::min();
}

// Returns -v where `condition` is negative, else v.
ValueId WithSignOf(Expressions& r, ValueId condition, ValueId v) {
  return r.Select(r.Compare(kLt, condition, r.Constant(0)), r.Neg(v), v);
}

// sqrt(a^2 + b^2) of non-negative numbers, without overflow, and exact where b^2 is negligible.
ValueId Hypot(Expressions& r, ValueId a, ValueId b) {
  const ValueId one = r.Constant(1), two = r.Constant(2);
  const ValueId large = Max(r, a, b), small = Min(r, a, b);
  const ValueId ratio = r.Div(small, large);
  const ValueId square = r.Mul(ratio, ratio);
  const ValueId root = Sqrt(r, r.Add(one, square));
  const ValueId vanishes = r.And(r.Compare(kEq, root, one), r.Compare(kGt, square, r.Constant(0)));
  const ValueId value =
      r.Select(vanishes, r.Add(large, r.Div(r.Mul(large, square), two)), r.Mul(large, root));
  return r.Select(r.Compare(kEq, large, small), r.Mul(Sqrt(r, two), large), value);
}

// For z = x + iy in the first quadrant and a = (|z + 1| + |z - 1|) / 2: asin z is
// atan2(x, adjacent) + i logarithm, with adjacent = sqrt(a^2 - x^2) and
// logarithm = log(a + sqrt(a^2 - 1)).
struct ArcSine {
  ValueId adjacent;
  ValueId logarithm;
};

ArcSine FirstQuadrant(Expressions& r, ValueId x, ValueId y) {
  const ValueId zero = r.Constant(0), half = r.Constant(0.5), one = r.Constant(1);
  const double large = std::sqrt(Largest(r)) / 8;
  const ValueId safe_max = r.Constant(large);
  const ValueId xp1 = r.Add(x, one), xm1 = r.Sub(x, one);
  const ValueId right = Hypot(r, r.Abs(xp1), y);  // |z + 1|
  const ValueId left = Hypot(r, r.Abs(xm1), y);   // |z - 1|
  const ValueId a = r.Mul(half, r.Add(right, left));
  const ValueId right_sum = r.Add(right, xp1);
  const ValueId left_sum = r.Add(left, xm1), left_difference = r.Sub(left, xm1);
  const ValueId square = r.Mul(y, y);

  ArcSine result{};
  const ValueId half_sum = r.Mul(half, r.Add(a, x));
  const ValueId inside = Sqrt(r, r.Mul(half_sum, r.Add(r.Div(square, right_sum), left_difference)));
  const ValueId outside =
      r.Mul(y, Sqrt(r, r.Add(r.Div(half_sum, right_sum), r.Div(half_sum, left_sum))));
  result.adjacent = r.Select(r.Compare(kGe, Max(r, x, y), safe_max), y,
                             r.Select(r.Compare(kLe, x, one), inside, outside));

  // Large z: log 2 + log y + log1p((x / y)^2) / 2, the last term where y is much larger than x.
  const ValueId bound = r.Select(r.Compare(kLt, x, r.Constant(large * 1e12)),
                                 r.Constant(large * 1e-6), r.Constant(large * 1e2));
  const ValueId y_is_large = r.Compare(kGe, y, bound);
  const ValueId larger = r.Select(y_is_large, y, x);
  const ValueId is_infinite =
      r.Compare(kEq, y, r.Constant(std::numeric_limits<double>::infinity()));
  const ValueId ratio = r.Select(r.And(y_is_large, r.Not(is_infinite)), r.Div(x, y), zero);
  const ValueId at_large = r.Add(r.Add(Log(r, r.Constant(2)), Log(r, larger)),
                                 r.Mul(half, Log1p(r, r.Mul(ratio, ratio))));

  // a - 1 without cancellation.
  const ValueId is_flat = r.And(r.Compare(kLt, y, r.Constant(std::sqrt(SmallestNormal(r)) * 4)),
                                r.Compare(kLt, x, one));
  const ValueId ap1 = r.Add(a, one);
  const ValueId half_square = r.Mul(half, square);
  const ValueId right_part = r.Div(half_square, right_sum);
  const ValueId near_one =
      r.Select(r.Compare(kLe, a, r.Constant(1.5)),
               r.Add(right_part, r.Div(half_square, left_difference)), r.Sub(a, one));
  const ValueId regular =
      r.Select(r.Compare(kGe, x, one), r.Add(right_part, r.Mul(half, left_sum)), near_one);
  const ValueId am1 = r.Select(is_flat, r.Neg(r.Div(r.Mul(xp1, xm1), ap1)), regular);
  const ValueId root = Sqrt(r, r.Mul(am1, ap1));
  const ValueId at_small = r.Select(is_flat, r.Div(y, root), Log1p(r, r.Add(am1, root)));
  result.logarithm =
      r.Select(r.Compare(kGe, larger, r.Select(y_is_large, bound, safe_max)), at_large, at_small);
  return result;
}

struct Parts {
  Expressions r;  // on the real numbers of the operand
  ValueId x, y;
};

Parts Split(Expressions& e, ValueId z) {
  Expressions r = e.With(RealPartOf(e.dtype()));
  const ValueId x = r.Real(z), y = r.Imag(z);
  return {r, x, y};
}

}  // namespace

ValueId ExpandComplexAsin(Expressions& e, ValueId z) {
  auto [r, x, y] = Split(e, z);
  const ArcSine s = FirstQuadrant(r, r.Abs(x), r.Abs(y));
  return e.Complex(Atan2(r, x, s.adjacent), WithSignOf(r, y, s.logarithm));
}

ValueId ExpandComplexAcos(Expressions& e, ValueId z) {
  auto [r, x, y] = Split(e, z);
  const ArcSine s = FirstQuadrant(r, r.Abs(x), r.Abs(y));
  return e.Complex(Atan2(r, s.adjacent, x), r.Neg(WithSignOf(r, y, s.logarithm)));
}

// i acos z above the real axis, -i acos z below.
ValueId ExpandComplexAcosh(Expressions& e, ValueId z) {
  auto [r, x, y] = Split(e, z);
  const ArcSine s = FirstQuadrant(r, r.Abs(x), r.Abs(y));
  return e.Complex(s.logarithm, WithSignOf(r, y, Atan2(r, s.adjacent, x)));
}

// -i asin(iz)
ValueId ExpandComplexAsinh(Expressions& e, ValueId z) {
  auto [r, x, y] = Split(e, z);
  const ArcSine s = FirstQuadrant(r, r.Abs(y), r.Abs(x));
  return e.Complex(WithSignOf(r, x, s.logarithm), Atan2(r, y, s.adjacent));
}

// log1p(4x / ((1 - x)^2 + y^2)) / 4 + i atan2(2y, (1 - x)(1 + x) - y^2) / 2. Where the squares
// overflow: x / |z|^2 and a right angle.
ValueId ExpandComplexAtanh(Expressions& e, ValueId z) {
  auto [r, x, y] = Split(e, z);
  const ValueId one = r.Constant(1);
  const ValueId u = r.Abs(x), v = r.Abs(y);
  const ValueId difference = r.Sub(one, u), square = r.Mul(v, v);
  const ValueId distance = r.Add(r.Mul(difference, difference), square);
  const ValueId near_real =
      r.Mul(r.Constant(0.25), Log1p(r, r.Div(r.Mul(r.Constant(4), u), distance)));
  const ValueId angle =
      Atan2(r, r.Mul(r.Constant(2), y), r.Sub(r.Mul(difference, r.Add(one, u)), square));
  const ValueId near_imag = r.Mul(r.Constant(0.5), angle);

  const ValueId infinity = r.Constant(std::numeric_limits<double>::infinity());
  // Holds whatever the other part is, even NaN.
  const ValueId is_infinite = r.Or(r.Compare(kEq, u, infinity), r.Compare(kEq, v, infinity));
  const ValueId large = Max(r, u, v);
  const ValueId ratio = r.Div(Min(r, u, v), large);
  const ValueId inverse = r.Div(r.Div(r.Div(u, large), r.Add(one, r.Mul(ratio, ratio))), large);
  const ValueId far_real = r.Select(is_infinite, r.Constant(0), inverse);
  const ValueId is_far =
      r.Or(is_infinite, r.Compare(kGe, large, r.Constant(std::sqrt(Largest(r)) / 8)));
  const ValueId real = r.Select(is_far, far_real, near_real);
  const ValueId right_angle = r.Constant(std::numbers::pi / 2);
  const ValueId far_imag = r.Select(r.Compare(kEq, y, y), WithSignOf(r, y, right_angle), y);
  const ValueId imag = r.Select(is_far, far_imag, near_imag);
  return e.Complex(WithSignOf(r, x, real), imag);
}

// -i atanh(iz)
ValueId ExpandComplexAtan(Expressions& e, ValueId z) {
  auto [r, x, y] = Split(e, z);
  const ValueId w = ExpandComplexAtanh(e, e.Complex(r.Neg(y), x));
  return e.Complex(r.Imag(w), r.Neg(r.Real(w)));
}

// (x - y)(x + y) + 2xy i; no NaN where x and y are infinite both.
ValueId ExpandComplexSquare(Expressions& e, ValueId z) {
  auto [r, x, y] = Split(e, z);
  const ValueId real =
      // x - x is 0, and NaN for an infinity.
      r.Select(r.Compare(kEq, r.Abs(x), r.Abs(y)), r.Sub(x, x), r.Mul(r.Sub(x, y), r.Add(x, y)));
  return e.Complex(real, r.Mul(r.Constant(2), r.Mul(x, y)));
}

}  // namespace acceld::ir
