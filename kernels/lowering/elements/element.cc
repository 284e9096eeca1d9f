#include "kernels/lowering/elements/element.h"

#include "common/check.h"

namespace acceld::kernels {

bool IsNarrowFloat(DType dtype) { return ir::IsFloat(dtype) && ir::BitsOf(dtype) <= 16; }

DType ComputeTypeOf(DType dtype) {
  return IsNarrowFloat(dtype) ? DType::kF32 : ir::RealPartOf(dtype);
}

BufferParameter BufferFor(std::string name, const ir::TensorType& type,
                          BufferParameter::Access access) {
  const int64_t parts = ir::IsComplex(type.dtype) ? 2 : 1;
  return {std::move(name), ir::RealPartOf(type.dtype), type.num_elements() * parts, access};
}

namespace {

Var PartIndex(KernelBuilder& b, Var linear, int64_t part) {
  const Var start = b.Apply(ScalarOp::kMultiply, {linear, b.Index(2)});
  return b.Apply(ScalarOp::kAdd, {start, b.Index(part)});
}

}  // namespace

Element LoadElement(KernelBuilder& b, uint32_t buffer, DType dtype, Var linear) {
  if (ir::IsComplex(dtype)) {
    return {b.Load(buffer, PartIndex(b, linear, 0)), b.Load(buffer, PartIndex(b, linear, 1))};
  }
  return {b.Convert(ComputeTypeOf(dtype), b.Load(buffer, linear))};
}

void StoreElement(KernelBuilder& b, uint32_t buffer, DType dtype, Var linear,
                  const Element& element) {
  if (ir::IsComplex(dtype)) {
    b.Store(buffer, PartIndex(b, linear, 0), element.re);
    b.Store(buffer, PartIndex(b, linear, 1), element.im);
    return;
  }
  b.Store(buffer, linear, b.Convert(dtype, element.re));
}

Element RoundElement(KernelBuilder& b, DType dtype, const Element& element) {
  if (!IsNarrowFloat(dtype)) return element;
  return {b.Convert(DType::kF32, b.Convert(dtype, element.re))};
}

Element ConstantElement(KernelBuilder& b, const ir::Literal& literal, int64_t index) {
  const DType dtype = literal.type().dtype;
  const char* data = literal.bytes().data();
  if (literal.is_splat()) index = 0;
  if (ir::IsComplex(dtype)) {
    const ir::Complex value = ir::ReadComplex(dtype, data, index);
    const DType part = ir::RealPartOf(dtype);
    return {b.ConstantFloat(part, value.real()), b.ConstantFloat(part, value.imag())};
  }
  if (ir::IsFloat(dtype)) {
    return {b.ConstantFloat(ComputeTypeOf(dtype), ir::ReadFloat(dtype, data, index))};
  }
  return {b.ConstantInt(dtype, ir::ReadInt(dtype, data, index))};
}

Var BitsOfElement(KernelBuilder& b, DType dtype, const Element& element) {
  return b.Bitcast(ir::UnsignedOfWidth(ir::BitsOf(dtype)), b.Convert(dtype, element.re));
}

Element ElementOfBits(KernelBuilder& b, DType dtype, Var bits) {
  return {b.Convert(ComputeTypeOf(dtype), b.Bitcast(dtype, bits))};
}

}  // namespace acceld::kernels
