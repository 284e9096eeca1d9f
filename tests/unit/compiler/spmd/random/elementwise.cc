#include <algorithm>

#include "tests/unit/compiler/spmd/random/sharded_function.h"

// Ops that compute each element from the elements at the same index.
namespace acceld::compiler::spmd {

using ir::DType;
using ir::OpKind;

void ShardedFunction::TryUnary() {
  static constexpr OpKind kKinds[] = {
      OpKind::kAbs,   OpKind::kNegate, OpKind::kSign,     OpKind::kNot,
      OpKind::kFloor, OpKind::kCeil,   OpKind::kPopcnt,   OpKind::kCountLeadingZeros,
      OpKind::kReal,  OpKind::kImag,   OpKind::kIsFinite, OpKind::kRoundNearestEven};
  const OpKind kind = dice_.Pick(kKinds);
  const Value x = AnyValue();
  // A rounded value decides nothing.
  const bool is_continuous = kind == OpKind::kAbs || kind == OpKind::kNegate ||
                             kind == OpKind::kReal || kind == OpKind::kImag;
  if (!x.exact && !is_continuous) return;
  const bool keeps_bound = is_continuous || kind == OpKind::kFloor || kind == OpKind::kCeil ||
                           kind == OpKind::kRoundNearestEven;
  // The absolute value of a complex number is a root.
  const bool is_root = kind == OpKind::kAbs && ir::IsComplex(TypeOf(x).dtype);
  int64_t bound = keeps_bound && !is_root ? x.bound : 0;
  if (kind == OpKind::kSign) bound = ir::IsFloat(TypeOf(x).dtype) && x.bound == 0 ? 0 : 1;
  if (ir::IsUnsigned(TypeOf(x).dtype) && kind == OpKind::kNegate) bound = 0;
  Keep(Make(kind, {x}), bound, true, {x});
}

void ShardedFunction::TryBinary() {
  static constexpr OpKind kKinds[] = {
      OpKind::kAdd,     OpKind::kAdd,     OpKind::kSubtract, OpKind::kMultiply, OpKind::kMultiply,
      OpKind::kMaximum, OpKind::kMinimum, OpKind::kAnd,      OpKind::kOr,       OpKind::kXor,
      OpKind::kComplex, OpKind::kDivide,  OpKind::kRemainder};
  OpKind kind = dice_.Pick(kKinds);
  Value x = AnyValue();
  Value y = ValueOf(ir::TensorType(TypeOf(x)), x.exact);
  const DType dtype = TypeOf(x).dtype;
  int64_t bound = 0;
  switch (kind) {
    case OpKind::kMultiply:
      bound = x.bound * y.bound * (ir::IsComplex(dtype) ? 2 : 1);
      break;
    case OpKind::kDivide:
    case OpKind::kRemainder:
      // Of integers, and where each quotient is far from a change.
      if (!x.exact || !y.exact || ir::IsComplex(dtype)) return;
      break;
    case OpKind::kAnd:
    case OpKind::kOr:
    case OpKind::kXor:
      if (!ir::IsInteger(dtype) && dtype != DType::kI1) kind = OpKind::kAdd;
      [[fallthrough]];
    case OpKind::kAdd:
    case OpKind::kSubtract:
      bound = x.bound > 0 && y.bound > 0 ? x.bound + y.bound : 0;
      if (ir::IsUnsigned(dtype) && kind == OpKind::kSubtract) bound = 0;
      break;
    default:
      if (ir::IsComplex(dtype)) return;
      bound = x.bound > 0 && y.bound > 0 ? std::max(x.bound, y.bound) : 0;
  }
  if (kind == OpKind::kXor || kind == OpKind::kOr || kind == OpKind::kAnd) bound = 0;
  // Products of large numbers are not small.
  if (bound > int64_t{1} << 20) {
    x = Small(x);
    y = Small(y);
    bound = 200;
    if (ir::IsComplex(dtype)) return;
  }
  Keep(Make(kind, {x, y}), bound, true, {x, y});
}

void ShardedFunction::TryTranscendental() {
  static constexpr OpKind kKinds[] = {OpKind::kTanh,   OpKind::kLogistic, OpKind::kCosine,
                                      OpKind::kSqrt,   OpKind::kRsqrt,    OpKind::kExponential,
                                      OpKind::kDivide, OpKind::kPower};
  const Value x = AnyValue();
  if (!ir::IsFloat(TypeOf(x).dtype)) return;
  const OpKind kind = dice_.Pick(kKinds);
  const bool is_steep = kind != OpKind::kTanh && kind != OpKind::kLogistic;
  if (!x.exact && is_steep) return;
  if (ir::InfoOf(kind).min_operands == 1) return Keep(Make(kind, {x}), 0, true, {x});
  const Value y = ValueOf(ir::TensorType(TypeOf(x)));
  Keep(Make(kind, {x, y}), 0, true, {x, y});
}

void ShardedFunction::TryCompare() {
  static constexpr ir::ComparisonDirection kDirections[] = {
      ir::ComparisonDirection::kEq, ir::ComparisonDirection::kNe, ir::ComparisonDirection::kGe,
      ir::ComparisonDirection::kGt, ir::ComparisonDirection::kLe, ir::ComparisonDirection::kLt};
  const Value x = NumberValue(0, /*integer=*/true, /*real=*/true);
  const Value y = ValueOf(ir::TensorType(TypeOf(x)));
  Keep(Make(OpKind::kCompare, {x, y}, ir::CompareAttributes{dice_.Pick(kDirections)}), 1, true,
       {x, y});
}

void ShardedFunction::TrySelect() {
  const Value x = AnyValue();
  const ir::TensorType type = TypeOf(x);
  const ir::Dims dims = dice_.OneIn(3) ? ir::Dims{} : type.dims;
  if (dice_.OneIn(2) || ir::IsComplex(type.dtype)) {
    const Value y = ValueOf(type, /*exact=*/false);
    const Value p = ValueOf({DType::kI1, dims});
    const int64_t bound = x.bound > 0 && y.bound > 0 ? std::max(x.bound, y.bound) : 0;
    return Keep(Make(OpKind::kSelect, {p, x, y}), bound, true, {p, x, y});
  }
  const Value low = ValueOf({type.dtype, dims}), high = ValueOf({type.dtype, dims});
  const bool has_bounds = x.bound > 0 && low.bound > 0 && high.bound > 0;
  const int64_t bound = has_bounds ? std::max({x.bound, low.bound, high.bound}) : 0;
  Keep(Make(OpKind::kClamp, {low, x, high}), bound, true, {low, x, high});
}

void ShardedFunction::TryConvert() {
  Value x = AnyValue();
  if (!x.exact) return;
  ir::TensorType to{AnyDType(), TypeOf(x).dims};
  const DType from = TypeOf(x).dtype;
  const auto is_number = [](DType dtype) { return ir::IsInteger(dtype) || dtype == DType::kI1; };
  if (dice_.OneIn(3) && is_number(from) && is_number(to.dtype)) {
    const int64_t from_bits = ir::BitsOf(from), to_bits = ir::BitsOf(to.dtype);
    if (to_bits > from_bits && !to.dims.empty()) to.dims.pop_back();
    if (to_bits < from_bits) to.dims.push_back(from_bits / to_bits);
    return Keep(Make(OpKind::kBitcastConvert, {x}, ir::NoAttributes{}, &to), 0, true, {x});
  }
  if (ir::IsComplex(from) && !ir::IsComplex(to.dtype)) return;
  if (!is_number(to.dtype) && !ir::IsComplex(from)) x = Small(x);
  const bool is_negative = ir::IsUnsigned(to.dtype) && !ir::IsUnsigned(from);
  const bool keeps_bound = x.bound > 0 && x.bound <= 100 && !is_negative;
  Keep(Make(OpKind::kConvert, {x}, ir::NoAttributes{}, &to), keeps_bound ? x.bound : 0, true, {x});
}

}  // namespace acceld::compiler::spmd
