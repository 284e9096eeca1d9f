#include "common/ir/interpreter/products.h"

#include "common/ir/interpreter/elements/elementwise.h"
#include "common/ir/types/product_type.h"

namespace acceld::ir::interpreter {
namespace {

template <typename T>
Complex MultiplyAddComplex(const Complex& sum, const Complex& a, const Complex& b) {
  const auto ar = static_cast<T>(a.real()), ai = static_cast<T>(a.imag());
  const auto br = static_cast<T>(b.real()), bi = static_cast<T>(b.imag());
  const T real = ar * br - ai * bi;
  const T imag = ar * bi + ai * br;
  return {static_cast<T>(sum.real()) + real, static_cast<T>(sum.imag()) + imag};
}

// Returns the value as the op convert makes it, rounded to `to`.
Scalar Converted(DType from, DType to, const Scalar& value) {
  const ElementContext context{.operand = from, .result = to, .attributes = nullptr};
  return Rounded(to, ElementFunctionOf(OpKind::kConvert, from)(context, &value));
}

}  // namespace

Arithmetic ArithmeticOf(DType lhs, DType rhs, DType result) {
  const DType accumulation = AccumulationTypeOf(lhs, rhs, result);
  switch (ClassOf(accumulation)) {
    case DTypeClass::kBool:
      return Arithmetic::kBool;
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned:
      return Arithmetic::kInteger;
    case DTypeClass::kFloat:
      return accumulation == DType::kF64 ? Arithmetic::kF64 : Arithmetic::kF32;
    case DTypeClass::kComplex:
      return accumulation == DType::kC128 ? Arithmetic::kC128 : Arithmetic::kC64;
  }
  return Arithmetic::kF32;
}

Scalar MultiplyAdd(Arithmetic arithmetic, const Scalar& sum, const Scalar& a, const Scalar& b) {
  switch (arithmetic) {
    case Arithmetic::kBool:
      return OfInteger(sum.integer | (a.integer & b.integer));
    case Arithmetic::kInteger:
      return OfInteger(static_cast<int64_t>(static_cast<uint64_t>(sum.integer) +
                                            static_cast<uint64_t>(a.integer) *
                                                static_cast<uint64_t>(b.integer)));
    case Arithmetic::kF32: {
      const auto product = static_cast<float>(a.real() * b.real());
      return OfReal(static_cast<float>(sum.real() + product));
    }
    case Arithmetic::kF64:
      return OfReal(sum.real() + a.real() * b.real());
    case Arithmetic::kC64:
      return OfComplex(MultiplyAddComplex<float>(sum.complex, a.complex, b.complex));
    case Arithmetic::kC128:
      return OfComplex(MultiplyAddComplex<double>(sum.complex, a.complex, b.complex));
  }
  return {};
}

Scalar FactorAt(const TensorView& view, int64_t index, Arithmetic arithmetic) {
  const Scalar value = view.At(index);
  const DType dtype = view.type().dtype;
  const bool is_integral = arithmetic == Arithmetic::kBool || arithmetic == Arithmetic::kInteger;
  if (is_integral || IsFloat(dtype) || IsComplex(dtype)) return value;
  const bool is_single = arithmetic == Arithmetic::kF32 || arithmetic == Arithmetic::kC64;
  return Converted(dtype, is_single ? DType::kF32 : DType::kF64, value);
}

Scalar FinishedSum(DType lhs, DType rhs, DType result, const Scalar& sum) {
  const DType product = ProductTypeOf(lhs, rhs, result);
  return product == result ? sum : Converted(product, result, Rounded(product, sum));
}

}  // namespace acceld::ir::interpreter
