// Ops on floating-point and complex numbers only.
#include "common/ir/types/float_formats.h"
#include "kernels/lowering/elements/complex_math.h"
#include "kernels/lowering/elements/elementwise.h"

namespace acceld::kernels {
namespace {

Element Unary(KernelBuilder& b, ScalarOp op, const ElementwiseArguments& a) {
  return {b.Apply(op, {a.operands[0].re})};
}

Element Function(KernelBuilder& b, ScalarOp real,
                 Element (*complex)(KernelBuilder&, const Element&),
                 const ElementwiseArguments& a) {
  return a.is_complex() ? complex(b, a.operands[0]) : Unary(b, real, a);
}

}  // namespace

Element EmitAtan2(KernelBuilder& b, const ElementwiseArguments& a) {
  if (a.is_complex()) return ComplexAtan2(b, a.operands[0], a.operands[1]);
  return {b.Apply(ScalarOp::kAtan2, {a.operands[0].re, a.operands[1].re})};
}

Element EmitCbrt(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kCbrt, ComplexCbrt, a);
}

Element EmitCeil(KernelBuilder& b, const ElementwiseArguments& a) {
  return Unary(b, ScalarOp::kCeil, a);
}

Element EmitComplex(KernelBuilder&, const ElementwiseArguments& a) {
  return {a.operands[0].re, a.operands[1].re};
}

Element EmitCosine(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kCos, ComplexCos, a);
}

Element EmitExponential(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kExp, ComplexExp, a);
}

Element EmitExponentialMinusOne(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kExpm1, ComplexExpm1, a);
}

Element EmitFloor(KernelBuilder& b, const ElementwiseArguments& a) {
  return Unary(b, ScalarOp::kFloor, a);
}

Element EmitImag(KernelBuilder& b, const ElementwiseArguments& a) {
  if (a.is_complex()) return {a.operands[0].im};
  return {b.ConstantFloat(b.TypeOf(a.operands[0].re), 0)};
}

Element EmitIsFinite(KernelBuilder& b, const ElementwiseArguments& a) {
  return Unary(b, ScalarOp::kIsFinite, a);
}

Element EmitLog(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kLog, ComplexLog, a);
}

Element EmitLogPlusOne(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kLog1p, ComplexLog1p, a);
}

Element EmitLogistic(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kLogistic, ComplexLogistic, a);
}

Element EmitReal(KernelBuilder&, const ElementwiseArguments& a) { return {a.operands[0].re}; }

Element EmitRoundNearestAfz(KernelBuilder& b, const ElementwiseArguments& a) {
  return Unary(b, ScalarOp::kRoundAfz, a);
}

Element EmitRoundNearestEven(KernelBuilder& b, const ElementwiseArguments& a) {
  return Unary(b, ScalarOp::kRoundEven, a);
}

Element EmitRsqrt(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kRsqrt, ComplexRsqrt, a);
}

Element EmitSine(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kSin, ComplexSin, a);
}

Element EmitSqrt(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kSqrt, ComplexSqrt, a);
}

Element EmitTan(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kTan, ComplexTan, a);
}

Element EmitTanh(KernelBuilder& b, const ElementwiseArguments& a) {
  return Function(b, ScalarOp::kTanh, ComplexTanh, a);
}

// Works on the encoding: rounds the mantissa to nearest even, overflows to infinity, flushes
// subnormal results to zero, and keeps NaN.
Element EmitReducePrecision(KernelBuilder& b, const ElementwiseArguments& a) {
  const auto& attributes = a.op.As<ir::ReducePrecisionAttributes>();
  const DType dtype = ir::ReducePrecisionTypeOf(a.operand_dtype);
  const ir::FloatFormat format = ir::FormatOf(dtype);
  const DType bits_type = ir::UnsignedOfWidth(ir::BitsOf(dtype));
  const auto constant = [&](uint64_t v) { return b.Constant(bits_type, v); };
  const Var bits = BitsOfElement(b, dtype, a.operands[0]);
  const uint64_t sign_mask = uint64_t{1} << (ir::BitsOf(dtype) - 1);
  const uint64_t infinity = ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  const Var sign = b.Apply(ScalarOp::kAnd, {bits, constant(sign_mask)});
  Var magnitude = b.Apply(ScalarOp::kAnd, {bits, constant(sign_mask - 1)});
  const Var is_nan = b.Apply(ScalarOp::kGt, {magnitude, constant(infinity)});

  const int64_t dropped = format.mantissa_bits - attributes.mantissa_bits;
  if (dropped > 0) {
    const Var last_kept = b.Apply(
        ScalarOp::kAnd,
        {b.Apply(ScalarOp::kShiftRightLogical, {magnitude, constant(dropped)}), constant(1)});
    const Var half =
        b.Apply(ScalarOp::kAdd, {last_kept, constant((uint64_t{1} << (dropped - 1)) - 1)});
    magnitude = b.Apply(ScalarOp::kAnd, {b.Apply(ScalarOp::kAdd, {magnitude, half}),
                                         constant(~((uint64_t{1} << dropped) - 1))});
  }
  if (attributes.exponent_bits < format.exponent_bits) {
    const int64_t bias = (int64_t{1} << (attributes.exponent_bits - 1)) - 1;
    const uint64_t highest = static_cast<uint64_t>(format.bias + bias);
    const uint64_t lowest = static_cast<uint64_t>(format.bias - bias + 1);
    const Var exponent =
        b.Apply(ScalarOp::kShiftRightLogical, {magnitude, constant(format.mantissa_bits)});
    magnitude = b.Select(b.Apply(ScalarOp::kGt, {exponent, constant(highest)}), constant(infinity),
                         magnitude);
    magnitude =
        b.Select(b.Apply(ScalarOp::kLt, {exponent, constant(lowest)}), constant(0), magnitude);
  }
  const Var rounded = b.Apply(ScalarOp::kOr, {magnitude, sign});
  return ElementOfBits(b, dtype, b.Select(is_nan, bits, rounded));
}

}  // namespace acceld::kernels
