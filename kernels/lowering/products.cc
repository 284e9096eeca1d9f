#include "kernels/lowering/products.h"

#include "common/ir/types/product_type.h"
#include "kernels/lowering/elements/complex_math.h"

namespace acceld::kernels {
namespace {

// Float sums of more products than this may be split into several accumulators.
constexpr int64_t kMaxOrderedSum = 8;

}  // namespace

Element FinishSum(KernelBuilder& b, DType lhs, DType rhs, DType result, const Element& sum) {
  const DType accumulation = ir::AccumulationTypeOf(lhs, rhs, result);
  const DType product = ir::ProductTypeOf(lhs, rhs, result);
  if (product == result) return ConvertElement(b, accumulation, result, sum);
  return ConvertElement(b, product, result, ConvertElement(b, accumulation, product, sum));
}

Element MultiplyAdd(KernelBuilder& b, DType accumulation, const Element& x, const Element& y,
                    const Element& sum) {
  const auto mul = [&](Var a, Var c) { return b.Apply(ScalarOp::kMultiply, {a, c}); };
  if (accumulation == DType::kI1) {
    return {b.Apply(ScalarOp::kOr, {sum.re, b.Apply(ScalarOp::kAnd, {x.re, y.re})})};
  }
  if (ir::IsComplex(accumulation)) {
    const Element product{b.Apply(ScalarOp::kSubtract, {mul(x.re, y.re), mul(x.im, y.im)}),
                          b.Apply(ScalarOp::kAdd, {mul(x.re, y.im), mul(x.im, y.re)})};
    return ComplexAdd(b, sum, product);
  }
  return {b.Apply(ScalarOp::kAdd, {sum.re, b.Product(x.re, y.re)})};
}

bool MayReorderSum(DType accumulation, int64_t num_products) {
  if (accumulation == DType::kI1) return false;
  return !ir::IsFloat(accumulation) || num_products > kMaxOrderedSum;
}

}  // namespace acceld::kernels
