#pragma once

#include <cstdint>

#include "common/ir/interpreter/elements/scalar.h"
#include "common/ir/interpreter/tensor.h"

// Sums of products, as dot_general and convolution make them.
namespace acceld::ir::interpreter {

// What one element of a product is computed in: AccumulationTypeOf, with a rounding to it after
// each product and each sum, but all integers in 64 bits.
enum class Arithmetic : uint8_t { kBool, kInteger, kF32, kF64, kC64, kC128 };
Arithmetic ArithmeticOf(DType lhs, DType rhs, DType result);

// sum + a * b. Narrow integers are widened, not wrapped; the result's type does that in the end.
Scalar MultiplyAdd(Arithmetic arithmetic, const Scalar& sum, const Scalar& a, const Scalar& b);

// The element at `index` as a factor: for float or complex arithmetic, integers are converted to
// its real type.
Scalar FactorAt(const TensorView& view, int64_t index, Arithmetic arithmetic);

// A finished sum of products as the value of a `result` element: ProductTypeOf holds it, then it is
// converted.
Scalar FinishedSum(DType lhs, DType rhs, DType result, const Scalar& sum);

}  // namespace acceld::ir::interpreter
