#pragma once

#include "common/ir/types/dtype.h"

// The element types in which dot_general and convolution compute. StableHLO allows any element type
// for the result and leaves the rest to the implementation; these are the rules of XLA on the CPU.
namespace acceld::ir {

// Returns the element type of the products and of their sum before it is converted to the result's
// type. That is the result's type, unless an operand is of a wider class (i1, integers, floats,
// complex numbers, in this order); then it is the widest type among the operands of that class. For
// example, products of floats with an integer result are summed as floats.
DType ProductTypeOf(DType lhs, DType rhs, DType result);

// Returns the element type to which both operands are converted before they are multiplied, and in
// which the sum is kept: the product type, but f32 for narrower floats, and f64 if any real operand
// is f64.
DType AccumulationTypeOf(DType lhs, DType rhs, DType result);

}  // namespace acceld::ir
