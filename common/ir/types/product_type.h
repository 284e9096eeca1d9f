#pragma once

#include "common/ir/types/dtype.h"

// The element types in which dot_general and convolution compute. StableHLO lets the result have
// any element type and leaves the rest to the implementation; these are XLA's rules on the CPU.
namespace acceld::ir {

// The element type that the products have as if they were the result: the result's own, unless an
// operand is of a wider class (i1, integers, floats, complex numbers, in this order). The sum of
// such products, in the widest type among the operands of that class, is converted to the result's
// type at the end: products of floats that make integers are summed as floats.
DType ProductTypeOf(DType lhs, DType rhs, DType result);

// The element type that both operands are converted to before they are multiplied and that the sum
// is kept in: the product type, but f32 for narrower floats, and f64 if any real operand is f64.
DType AccumulationTypeOf(DType lhs, DType rhs, DType result);

}  // namespace acceld::ir
