#pragma once

#include <cstdint>

#include "kernels/lowering/elements/element.h"

// Sums of products, as dot_general and convolution make them.
namespace acceld::kernels {

// A finished sum of the accumulation type (ir::AccumulationTypeOf) as an element of the result:
// ir::ProductTypeOf holds it, then it is converted.
Element FinishSum(KernelBuilder& b, DType lhs, DType rhs, DType result, const Element& sum);

// sum + x * y, all of the accumulation type.
Element MultiplyAdd(KernelBuilder& b, DType accumulation, const Element& x, const Element& y,
                    const Element& sum);

// Whether a sum of so many products may be split into several accumulators: short float sums are
// added in order.
bool MayReorderSum(DType accumulation, int64_t num_products);

}  // namespace acceld::kernels
