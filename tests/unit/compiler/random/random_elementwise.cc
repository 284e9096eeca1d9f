#include "tests/unit/compiler/random/random_function.h"

namespace acceld::compiler {

using ir::DType;
using ir::OpKind;

// Ops whose every right implementation gives the same bits.
void RandomFunction::TryElementwise() {
  static constexpr OpKind kUnary[] = {OpKind::kAbs,
                                      OpKind::kCeil,
                                      OpKind::kCountLeadingZeros,
                                      OpKind::kFloor,
                                      OpKind::kImag,
                                      OpKind::kIsFinite,
                                      OpKind::kNegate,
                                      OpKind::kNot,
                                      OpKind::kPopcnt,
                                      OpKind::kReal,
                                      OpKind::kRoundNearestAfz,
                                      OpKind::kRoundNearestEven,
                                      OpKind::kSign,
                                      OpKind::kSqrt};
  static constexpr OpKind kBinary[] = {
      OpKind::kAdd,      OpKind::kAdd,       OpKind::kAnd,
      OpKind::kComplex,  OpKind::kDivide,    OpKind::kMaximum,
      OpKind::kMinimum,  OpKind::kMultiply,  OpKind::kMultiply,
      OpKind::kOr,       OpKind::kRemainder, OpKind::kShiftLeft,
      OpKind::kSubtract, OpKind::kSubtract,  OpKind::kShiftRightArithmetic,
      OpKind::kXor,      OpKind::kPower,     OpKind::kShiftRightLogical};
  // Lipschitz: they pass on rounding errors without making them larger.
  static constexpr OpKind kSmooth[] = {OpKind::kAbs,     OpKind::kNegate,   OpKind::kAdd,
                                       OpKind::kMaximum, OpKind::kSubtract, OpKind::kMinimum};
  const Value x = AnyValue();
  const DType dtype = TypeOf(x).dtype;
  if (!x.exact) {
    if (ir::IsComplex(dtype)) return;
    const OpKind kind = dice_.Pick(kSmooth);
    if (ir::InfoOf(kind).min_operands == 1) return Keep(Make(kind, {x}), false);
    return Keep(Make(kind, {x, ValueOf(TypeOf(x))}), false);
  }
  if (dice_.OneIn(3)) {
    const OpKind kind = dice_.Pick(kUnary);
    const bool rounds = ir::IsComplex(dtype) && kind != OpKind::kReal && kind != OpKind::kImag &&
                        kind != OpKind::kNegate;
    return Keep(Make(kind, {x}), !rounds);
  }
  const OpKind kind = dice_.Pick(kBinary);
  const bool rounds = (kind == OpKind::kPower && !ir::IsInteger(dtype)) ||
                      (ir::IsComplex(dtype) && kind != OpKind::kAdd && kind != OpKind::kSubtract);
  if (rounds && ir::IsComplex(dtype) && (kind == OpKind::kMaximum || kind == OpKind::kMinimum)) {
    return;
  }
  Keep(Make(kind, {x, ValueOf(TypeOf(x), /*exact=*/true)}), !rounds);
}

void RandomFunction::TryTranscendental() {
  static constexpr OpKind kContracting[] = {OpKind::kCosine, OpKind::kLogistic, OpKind::kSine,
                                            OpKind::kTanh};
  static constexpr OpKind kSteep[] = {
      OpKind::kCbrt, OpKind::kExponential, OpKind::kExponentialMinusOne,
      OpKind::kLog,  OpKind::kLogPlusOne,  OpKind::kRsqrt};
  const Value x = AnyValue();
  if (x.exact && ir::IsFloat(TypeOf(x).dtype) && dice_.OneIn(5)) {
    return Keep(Make(OpKind::kAtan2, {x, ValueOf(TypeOf(x), /*exact=*/true)}), false);
  }
  // Errors in the argument of a steep function become large.
  const OpKind kind = x.exact && dice_.OneIn(2) ? dice_.Pick(kSteep) : dice_.Pick(kContracting);
  if (!x.exact && ir::IsComplex(TypeOf(x).dtype)) return;
  Keep(Make(kind, {x}), false);
}

void RandomFunction::TryConvert() {
  const Value x = AnyValue(/*exact=*/true);
  const ir::Dims dims = TypeOf(x).dims;
  ir::TensorType to{AnyDType(), dims};
  if (dice_.OneIn(3)) {
    if (dice_.OneIn(2)) {
      return Keep(Make(OpKind::kReducePrecision, {x},
                       ir::ReducePrecisionAttributes{dice_.Between(2, 11), dice_.Between(0, 23)}),
                  true);
    }
    // Bits of NaN differ between implementations, so none is looked at.
    if (ir::IsFloat(TypeOf(x).dtype) || ir::IsComplex(TypeOf(x).dtype) || ir::IsFloat(to.dtype)) {
      return;
    }
    const int64_t from_bits = ir::BitsOf(TypeOf(x).dtype), to_bits = ir::BitsOf(to.dtype);
    if (to_bits > from_bits && !to.dims.empty()) to.dims.pop_back();
    if (to_bits < from_bits) to.dims.push_back(from_bits / to_bits);
    return Keep(Make(OpKind::kBitcastConvert, {x}, ir::NoAttributes{}, &to), true);
  }
  Keep(Make(OpKind::kConvert, {x}, ir::NoAttributes{}, &to), true);
}

void RandomFunction::TrySelect() {
  if (dice_.OneIn(2)) {
    const Value x = AnyValue(/*exact=*/true);
    if (ir::IsComplex(TypeOf(x).dtype)) return;
    static constexpr ir::ComparisonDirection kDirections[] = {
        ir::ComparisonDirection::kEq, ir::ComparisonDirection::kNe, ir::ComparisonDirection::kGe,
        ir::ComparisonDirection::kGt, ir::ComparisonDirection::kLe, ir::ComparisonDirection::kLt};
    const auto type = ir::IsFloat(TypeOf(x).dtype) && dice_.OneIn(4)
                          ? ir::ComparisonType::kTotalOrder
                          : ir::ComparisonType::kNone;
    if (type == ir::ComparisonType::kTotalOrder) return;  // Orders the bits of NaN.
    return Keep(Make(OpKind::kCompare, {x, ValueOf(TypeOf(x), /*exact=*/true)},
                     ir::CompareAttributes{dice_.Pick(kDirections), type}),
                true);
  }
  const Value x = AnyValue();
  const Value y = ValueOf(TypeOf(x));
  const bool exact = x.exact && y.exact;
  const ir::Dims dims = dice_.OneIn(3) ? ir::Dims{} : TypeOf(x).dims;
  if (dice_.OneIn(2) || ir::IsComplex(TypeOf(x).dtype)) {
    return Keep(Make(OpKind::kSelect, {ValueOf({DType::kI1, dims}, true), x, y}), exact);
  }
  const ir::TensorType bound{TypeOf(x).dtype, dims};
  Keep(Make(OpKind::kClamp, {ValueOf(bound, true), x, ValueOf(bound, true)}), x.exact);
}

}  // namespace acceld::compiler
