#include "common/ir/types/float_formats.h"
#include "kernels/lowering/elements/elementwise.h"

namespace acceld::kernels {
namespace {

using ir::ComparisonDirection;

ScalarOp ScalarOpOf(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return ScalarOp::kEq;
    case ComparisonDirection::kNe:
      return ScalarOp::kNe;
    case ComparisonDirection::kGe:
      return ScalarOp::kGe;
    case ComparisonDirection::kGt:
      return ScalarOp::kGt;
    case ComparisonDirection::kLe:
      return ScalarOp::kLe;
    case ComparisonDirection::kLt:
      return ScalarOp::kLt;
  }
  return ScalarOp::kEq;
}

Var And(KernelBuilder& b, Var x, Var y) { return b.Apply(ScalarOp::kAnd, {x, y}); }
Var Or(KernelBuilder& b, Var x, Var y) { return b.Apply(ScalarOp::kOr, {x, y}); }
Var Not(KernelBuilder& b, Var x) { return b.Apply(ScalarOp::kNot, {x}); }

Var CompareBool(KernelBuilder& b, ComparisonDirection direction, Var x, Var y) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return Not(b, b.Apply(ScalarOp::kXor, {x, y}));
    case ComparisonDirection::kNe:
      return b.Apply(ScalarOp::kXor, {x, y});
    case ComparisonDirection::kGe:
      return Or(b, x, Not(b, y));
    case ComparisonDirection::kGt:
      return And(b, x, Not(b, y));
    case ComparisonDirection::kLe:
      return Or(b, Not(b, x), y);
    case ComparisonDirection::kLt:
      return And(b, Not(b, x), y);
  }
  return x;
}

// Lexicographic order: compares the real parts, and the imaginary parts if the real parts are
// equal.
Var CompareComplex(KernelBuilder& b, ComparisonDirection direction, const Element& x,
                   const Element& y) {
  const Var equal_re = b.Apply(ScalarOp::kEq, {x.re, y.re});
  const Var im = b.Apply(ScalarOpOf(direction), {x.im, y.im});
  if (direction == ComparisonDirection::kEq) return And(b, equal_re, im);
  const Var re = b.Apply(ScalarOpOf(direction), {x.re, y.re});
  if (direction == ComparisonDirection::kNe) return Or(b, re, im);
  const bool greater =
      direction == ComparisonDirection::kGe || direction == ComparisonDirection::kGt;
  const Var strict = b.Apply(greater ? ScalarOp::kGt : ScalarOp::kLt, {x.re, y.re});
  return Or(b, strict, And(b, equal_re, im));
}

// Maps a float to a signed integer of its compute type's width, so that the order of the integers
// is IEEE 754's totalOrder of the floats. `type` is the dtype of the op's operands.
Var TotalOrderKey(KernelBuilder& b, DType type, Var x) {
  const bool wide = b.TypeOf(x) == DType::kF64;
  const DType dtype = wide ? DType::kI64 : DType::kI32;
  const Var bits = b.Bitcast(dtype, x);
  const Var magnitude_mask = b.ConstantInt(dtype, wide ? INT64_MAX : INT32_MAX);
  const Var flipped = b.Apply(ScalarOp::kXor, {bits, magnitude_mask});
  const Var key = b.Select(b.Apply(ScalarOp::kLt, {bits, b.ConstantInt(dtype, 0)}), flipped, bits);
  if (!ir::HasNegativeNan(type)) return key;
  const Var is_nan = b.Apply(ScalarOp::kNe, {x, x});
  return b.Select(is_nan, b.ConstantInt(dtype, wide ? INT64_MIN : INT32_MIN), key);
}

}  // namespace

Element EmitCompare(KernelBuilder& b, const ElementwiseArguments& a) {
  const auto& attributes = a.op.As<ir::CompareAttributes>();
  const ComparisonDirection direction = attributes.comparison_direction;
  const Element& x = a.operands[0];
  const Element& y = a.operands[1];
  if (a.is_bool()) return {CompareBool(b, direction, x.re, y.re)};
  if (a.is_complex()) return {CompareComplex(b, direction, x, y)};
  if (a.is_float() && attributes.compare_type == ir::ComparisonType::kTotalOrder) {
    return {b.Apply(ScalarOpOf(direction), {TotalOrderKey(b, a.operand_dtype, x.re),
                                            TotalOrderKey(b, a.operand_dtype, y.re)})};
  }
  return {b.Apply(ScalarOpOf(direction), {x.re, y.re})};
}

}  // namespace acceld::kernels
