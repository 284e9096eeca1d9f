#pragma once

#include <cstdint>

#include "common/ir/interpreter/elements/scalar.h"
#include "common/ir/interpreter/tensor.h"

// Sums of products, for dot_general and convolution.
namespace acceld::ir::interpreter {

// The arithmetic in which an element of a product is computed: that of AccumulationTypeOf, with a
// rounding after each product and each sum; integers of all types are computed in 64 bits.
enum class Arithmetic : uint8_t { kBool, kInteger, kF32, kF64, kC64, kC128 };
Arithmetic ArithmeticOf(DType lhs, DType rhs, DType result);

// Returns sum + a * b. Integers are computed in 64 bits; storing the result wraps them to its type.
Scalar MultiplyAdd(Arithmetic arithmetic, const Scalar& sum, const Scalar& a, const Scalar& b);

// Returns the element at `index` as a factor. For float or complex arithmetic, integers are
// converted to the real type of the arithmetic.
Scalar FactorAt(const TensorView& view, int64_t index, Arithmetic arithmetic);

// Converts a complete sum of products to an element of `result`: first to ProductTypeOf, then to
// `result`.
Scalar FinishedSum(DType lhs, DType rhs, DType result, const Scalar& sum);

}  // namespace acceld::ir::interpreter
