// Elementwise ops on several classes of element types that are one scalar operation for real types.
#include "kernels/lowering/elements/complex_math.h"
#include "kernels/lowering/elements/elementwise.h"

namespace acceld::kernels {
namespace {

Element Unary(KernelBuilder& b, ScalarOp op, const ElementwiseArguments& a) {
  return {b.Apply(op, {a.operands[0].re})};
}

Element Binary(KernelBuilder& b, ScalarOp op, const ElementwiseArguments& a) {
  return {b.Apply(op, {a.operands[0].re, a.operands[1].re})};
}

// Lexicographic order of complex numbers.
Var ComplexGreaterOrEqual(KernelBuilder& b, const Element& x, const Element& y) {
  const Var greater = b.Apply(ScalarOp::kGt, {x.re, y.re});
  const Var equal = b.Apply(ScalarOp::kEq, {x.re, y.re});
  const Var by_im = b.Apply(ScalarOp::kGe, {x.im, y.im});
  return b.Apply(ScalarOp::kOr, {greater, b.Apply(ScalarOp::kAnd, {equal, by_im})});
}

// Whether the real or the imaginary part is NaN.
Var HasNan(KernelBuilder& b, const Element& x) {
  return b.Apply(ScalarOp::kOr,
                 {b.Apply(ScalarOp::kNe, {x.re, x.re}), b.Apply(ScalarOp::kNe, {x.im, x.im})});
}

Element SelectElement(KernelBuilder& b, Var condition, const Element& x, const Element& y,
                      bool is_complex) {
  Element result{b.Select(condition, x.re, y.re)};
  if (is_complex) result.im = b.Select(condition, x.im, y.im);
  return result;
}

Element MinMax(KernelBuilder& b, bool max, const Element& x, const Element& y,
               const ElementwiseArguments& a) {
  if (a.is_bool()) return {b.Apply(max ? ScalarOp::kOr : ScalarOp::kAnd, {x.re, y.re})};
  if (!a.is_complex()) return {b.Apply(max ? ScalarOp::kMax : ScalarOp::kMin, {x.re, y.re})};
  const Var x_first = max ? ComplexGreaterOrEqual(b, x, y) : ComplexGreaterOrEqual(b, y, x);
  const Element ordered = SelectElement(b, x_first, x, y, true);
  // An operand that has a NaN is the result.
  const Element with_y = SelectElement(b, HasNan(b, y), y, ordered, true);
  return SelectElement(b, HasNan(b, x), x, with_y, true);
}

}  // namespace

Element EmitAbs(KernelBuilder& b, const ElementwiseArguments& a) {
  if (a.is_complex()) return ComplexAbs(b, a.operands[0]);
  return Unary(b, ScalarOp::kAbs, a);
}

Element EmitAdd(KernelBuilder& b, const ElementwiseArguments& a) {
  if (a.is_bool()) return Binary(b, ScalarOp::kOr, a);
  if (a.is_complex()) return ComplexAdd(b, a.operands[0], a.operands[1]);
  return Binary(b, ScalarOp::kAdd, a);
}

Element EmitSubtract(KernelBuilder& b, const ElementwiseArguments& a) {
  if (a.is_complex()) return ComplexSubtract(b, a.operands[0], a.operands[1]);
  return Binary(b, ScalarOp::kSubtract, a);
}

Element EmitMultiply(KernelBuilder& b, const ElementwiseArguments& a) {
  if (a.is_bool()) return Binary(b, ScalarOp::kAnd, a);
  if (a.is_complex()) return ComplexMultiply(b, a.operands[0], a.operands[1]);
  return {b.Product(a.operands[0].re, a.operands[1].re)};
}

Element EmitDivide(KernelBuilder& b, const ElementwiseArguments& a) {
  if (a.is_complex()) return ComplexDivide(b, a.operands[0], a.operands[1]);
  return Binary(b, ScalarOp::kDivide, a);
}

Element EmitRemainder(KernelBuilder& b, const ElementwiseArguments& a) {
  if (a.is_complex()) return ComplexRemainder(b, a.operands[0], a.operands[1]);
  return Binary(b, ScalarOp::kRemainder, a);
}

Element EmitPower(KernelBuilder& b, const ElementwiseArguments& a) {
  if (a.is_complex()) return ComplexPower(b, a.operands[0], a.operands[1]);
  return Binary(b, ScalarOp::kPower, a);
}

Element EmitNegate(KernelBuilder& b, const ElementwiseArguments& a) {
  const Element& x = a.operands[0];
  if (!a.is_complex()) return Unary(b, ScalarOp::kNegate, a);
  return {b.Apply(ScalarOp::kNegate, {x.re}), b.Apply(ScalarOp::kNegate, {x.im})};
}

Element EmitMaximum(KernelBuilder& b, const ElementwiseArguments& a) {
  return MinMax(b, true, a.operands[0], a.operands[1], a);
}

Element EmitMinimum(KernelBuilder& b, const ElementwiseArguments& a) {
  return MinMax(b, false, a.operands[0], a.operands[1], a);
}

// clamp(min, x, max) = min(max(x, lower), upper).
Element EmitClamp(KernelBuilder& b, const ElementwiseArguments& a) {
  const Element raised = MinMax(b, true, a.operands[1], a.operands[0], a);
  return MinMax(b, false, raised, a.operands[2], a);
}

Element EmitSelect(KernelBuilder& b, const ElementwiseArguments& a) {
  return SelectElement(b, a.operands[0].re, a.operands[1], a.operands[2], a.is_complex());
}

Element EmitAnd(KernelBuilder& b, const ElementwiseArguments& a) {
  return Binary(b, ScalarOp::kAnd, a);
}

Element EmitOr(KernelBuilder& b, const ElementwiseArguments& a) {
  return Binary(b, ScalarOp::kOr, a);
}

Element EmitXor(KernelBuilder& b, const ElementwiseArguments& a) {
  return Binary(b, ScalarOp::kXor, a);
}

Element EmitNot(KernelBuilder& b, const ElementwiseArguments& a) {
  return Unary(b, ScalarOp::kNot, a);
}

Element EmitPopcnt(KernelBuilder& b, const ElementwiseArguments& a) {
  return Unary(b, ScalarOp::kPopcnt, a);
}

Element EmitCountLeadingZeros(KernelBuilder& b, const ElementwiseArguments& a) {
  return Unary(b, ScalarOp::kCountLeadingZeros, a);
}

Element EmitShiftLeft(KernelBuilder& b, const ElementwiseArguments& a) {
  return Binary(b, ScalarOp::kShiftLeft, a);
}

Element EmitShiftRightArithmetic(KernelBuilder& b, const ElementwiseArguments& a) {
  return Binary(b, ScalarOp::kShiftRightArithmetic, a);
}

Element EmitShiftRightLogical(KernelBuilder& b, const ElementwiseArguments& a) {
  return Binary(b, ScalarOp::kShiftRightLogical, a);
}

Element EmitSign(KernelBuilder& b, const ElementwiseArguments& a) {
  const Element& x = a.operands[0];
  if (a.is_complex()) return ComplexSign(b, x);
  const DType dtype = b.TypeOf(x.re);
  if (!a.is_float()) {
    const Var at_most_one = b.Apply(ScalarOp::kMin, {x.re, b.ConstantInt(dtype, 1)});
    return {b.Apply(ScalarOp::kMax, {at_most_one, b.ConstantInt(dtype, -1)})};
  }
  // Zeros keep their sign and NaN stays NaN.
  const Var zero = b.ConstantFloat(dtype, 0);
  const Var not_positive =
      b.Select(b.Apply(ScalarOp::kLt, {x.re, zero}), b.ConstantFloat(dtype, -1), x.re);
  return {b.Select(b.Apply(ScalarOp::kGt, {x.re, zero}), b.ConstantFloat(dtype, 1), not_positive)};
}

}  // namespace acceld::kernels
