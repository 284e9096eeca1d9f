#pragma once

#include <cstdint>

#include "kernels/lowering/elements/element.h"

// Sums of products, which the lowerings of dot_general and convolution have in common.
namespace acceld::kernels {

// Converts a sum from the accumulation type (ir::AccumulationTypeOf) to an element of the result,
// by way of ir::ProductTypeOf.
Element FinishSum(KernelBuilder& b, DType lhs, DType rhs, DType result, const Element& sum);

// sum + x * y, all of the accumulation type; for i1, sum or (x and y).
Element MultiplyAdd(KernelBuilder& b, DType accumulation, const Element& x, const Element& y,
                    const Element& sum);

// Whether a sum of `num_products` products may be split into several accumulators. Short sums of
// floats must be added in order.
bool MayReorderSum(DType accumulation, int64_t num_products);

}  // namespace acceld::kernels
