#pragma once

#include <cstdint>

#include "common/ir/interpreter/scalar.h"
#include "common/ir/interpreter/tensor.h"

// Sums of products, as dot_general and convolution make them.
namespace acceld::ir::interpreter {

// What one element of a product is computed in: the result's class; floats in f64 when anything is
// f64, else in f32 with a rounding after each product and each sum, also for f16 and narrower.
enum class Arithmetic : uint8_t { kBool, kInteger, kF32, kF64, kC64, kC128 };
Arithmetic ArithmeticOf(DType lhs, DType rhs, DType result);

// sum + a * b. Narrow integers are widened, not wrapped; the result's type does that in the end.
Scalar MultiplyAdd(Arithmetic arithmetic, const Scalar& sum, const Scalar& a, const Scalar& b);

// The element at `index` as a factor: a float or complex result takes integers too, as numbers.
Scalar FactorAt(const TensorView& view, int64_t index, Arithmetic arithmetic);

}  // namespace acceld::ir::interpreter
