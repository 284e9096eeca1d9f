#pragma once

#include <cstdint>

#include "kernels/lowering/element.h"

// Sums of products, as dot_general and convolution make them.
namespace acceld::kernels {

// The type that products and sums are computed in: the result's, widened to hold the operands where
// those are wider floats; f32 for narrow floats.
DType AccumulationType(DType lhs, DType rhs, DType result);

// sum + x * y, all of the accumulation type.
Element MultiplyAdd(KernelBuilder& b, DType accumulation, const Element& x, const Element& y,
                    const Element& sum);

// Whether a sum of so many products may be split into several accumulators: short float sums are
// added in order.
bool MayReorderSum(DType accumulation, int64_t num_products);

}  // namespace acceld::kernels
