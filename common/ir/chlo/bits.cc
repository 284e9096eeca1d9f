#include <limits>

#include "common/ir/chlo/formulas.h"
#include "common/ir/types/literal.h"

namespace acceld::ir {
namespace {

DType SignedOf(int bits) { return bits <= 16 ? DType::kI32 : DType::kI64; }

ValueId HighHalf64(Expressions& e, ValueId a, ValueId b) {
  // Products of 32-bit halves. The carries of the middle ones fit: (2^32-1)^2 + 2 (2^32-1) < 2^64.
  Expressions u = e.With(DType::kUI64);
  const bool is_signed = IsSigned(e.dtype());
  const ValueId x = is_signed ? u.Bitcast(a) : a, y = is_signed ? u.Bitcast(b) : b;
  const ValueId width = u.Constant(32), mask = u.Constant(4294967295.0);
  const auto low = [&](ValueId v) { return u.Binary(OpKind::kAnd, v, mask); };
  const auto high = [&](ValueId v) { return u.Binary(OpKind::kShiftRightLogical, v, width); };
  const ValueId cross = u.Mul(high(x), low(y));
  const ValueId middle = u.Add(cross, high(u.Mul(low(x), low(y))));
  const ValueId other = u.Add(u.Mul(low(x), high(y)), low(middle));
  const ValueId product = u.Add(u.Add(u.Mul(high(x), high(y)), high(middle)), high(other));
  if (!is_signed) return product;
  // The unsigned value of a negative factor is larger by 2^64.
  const ValueId zero = e.Constant(0);
  ValueId result = e.Bitcast(product);
  result = e.Sub(result, e.Select(e.Compare(ComparisonDirection::kLt, a, zero), b, zero));
  return e.Sub(result, e.Select(e.Compare(ComparisonDirection::kLt, b, zero), a, zero));
}

}  // namespace

ValueId ExpandNextAfter(Expressions& e, ValueId x, ValueId y) {
  constexpr ComparisonDirection kEq = ComparisonDirection::kEq;
  constexpr ComparisonDirection kNe = ComparisonDirection::kNe;
  const int width = BitsOf(e.dtype());
  Expressions u = e.With(UnsignedOfWidth(width));
  const ValueId zero = u.Constant(0), one = u.Constant(1);
  const ValueId sign_bit = u.Binary(OpKind::kShiftLeft, one, u.Constant(width - 1));
  const ValueId others = u.Unary(OpKind::kNot, sign_bit);
  const ValueId x_bits = u.Bitcast(x), y_bits = u.Bitcast(y);
  const ValueId x_magnitude = u.Binary(OpKind::kAnd, x_bits, others);
  const ValueId y_magnitude = u.Binary(OpKind::kAnd, y_bits, others);
  const ValueId x_sign = u.Binary(OpKind::kAnd, x_bits, sign_bit);
  const ValueId y_sign = u.Binary(OpKind::kAnd, y_bits, sign_bit);

  // The bits of numbers of one sign are ordered by magnitude: a step adds or subtracts one.
  const ValueId towards_zero = u.Or(u.Compare(ComparisonDirection::kGt, x_magnitude, y_magnitude),
                                    u.Compare(kNe, x_sign, y_sign));
  const ValueId step = u.Select(towards_zero, u.Sub(x_bits, one), u.Add(x_bits, one));
  const ValueId from_zero = u.Binary(OpKind::kOr, y_sign, one);
  ValueId bits = u.Select(u.Compare(kEq, x_magnitude, zero), from_zero, step);
  bits = u.Select(e.Compare(kEq, x, y), y_bits, bits);
  const ValueId is_nan = u.Or(e.Compare(kNe, x, x), e.Compare(kNe, y, y));
  return e.Select(is_nan, e.Constant(std::numeric_limits<double>::quiet_NaN()), e.Bitcast(bits));
}

ValueId ExpandMulhi(Expressions& e, ValueId a, ValueId b) {
  const int width = BitsOf(e.dtype());
  if (width == 64) return HighHalf64(e, a, b);
  const DType wide = IsSigned(e.dtype()) ? SignedOf(width) : UnsignedOfWidth(width <= 16 ? 32 : 64);
  Expressions w = e.With(wide);
  const ValueId product = w.Mul(w.Convert(a), w.Convert(b));
  const OpKind shift =
      IsSigned(e.dtype()) ? OpKind::kShiftRightArithmetic : OpKind::kShiftRightLogical;
  return e.Convert(w.Binary(shift, product, w.Constant(width)));
}

}  // namespace acceld::ir
