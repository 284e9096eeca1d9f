#include "kernels/lowering/elements/element.h"
#include "kernels/lowering/elements/elementwise.h"

namespace acceld::kernels {
namespace {

// Prepares a 64-bit integer for conversion to a narrow float by way of f64, which may round it
// twice. Folding the low bits into one sticky bit keeps the first rounding from producing a tie for
// the second one.
Var WithStickyLowBits(KernelBuilder& b, Var value) {
  const DType dtype = b.TypeOf(value);
  const auto constant = [&](int64_t v) { return b.ConstantInt(dtype, v); };
  const Var low = b.Apply(ScalarOp::kAnd, {value, constant(0xfff)});
  const Var high = b.Apply(ScalarOp::kAnd, {value, constant(~int64_t{0xfff})});
  const Var sticky =
      b.Select(b.Apply(ScalarOp::kNe, {low, constant(0)}), constant(0x800), constant(0));
  Var large;
  if (ir::IsSigned(dtype)) {
    const Var limit = constant(int64_t{1} << 53);
    large =
        b.Apply(ScalarOp::kOr, {b.Apply(ScalarOp::kGt, {value, limit}),
                                b.Apply(ScalarOp::kLt, {value, constant(-(int64_t{1} << 53))})});
  } else {
    large = b.Apply(ScalarOp::kGt, {value, constant(int64_t{1} << 53)});
  }
  return b.Select(large, b.Apply(ScalarOp::kOr, {high, sticky}), value);
}

Var ConvertReal(KernelBuilder& b, DType from, DType to, Var value) {
  if (!IsNarrowFloat(to)) return b.Convert(to, value);
  if (ir::IsFloat(from)) return b.Convert(DType::kF32, b.Convert(to, value));
  // Integers are converted by way of f64, which represents them exactly, so that the value is
  // rounded only once.
  if (ir::BitsOf(from) == 64) value = WithStickyLowBits(b, value);
  return b.Convert(DType::kF32, b.Convert(to, b.Convert(DType::kF64, value)));
}

}  // namespace

Element ConvertElement(KernelBuilder& b, DType from, DType to, const Element& element) {
  if (from == to) return element;
  const DType from_part = ir::RealPartOf(from);
  const DType to_part = ir::RealPartOf(to);
  if (ir::IsComplex(from) && to == DType::kI1) {
    return {b.Apply(ScalarOp::kOr,
                    {b.Convert(DType::kI1, element.re), b.Convert(DType::kI1, element.im)})};
  }
  const Var re = ConvertReal(b, from_part, to_part, element.re);
  if (!ir::IsComplex(to)) return {re};
  if (!ir::IsComplex(from)) return {re, b.ConstantFloat(to_part, 0)};
  return {re, ConvertReal(b, from_part, to_part, element.im)};
}

Element EmitConvert(KernelBuilder& b, const ElementwiseArguments& a) {
  return ConvertElement(b, a.operand_dtype, a.result_dtype, a.operands[0]);
}

}  // namespace acceld::kernels
