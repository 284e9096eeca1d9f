#pragma once

#include <cstdint>

#include "common/ir/types/dtype.h"
#include "common/ir/types/element.h"

// Single elements of tensors as plain values.
namespace acceld::ir::interpreter {

// One element of some dtype. `integer` is the value of an i1 or integer (for ui64 its bits),
// `complex.real()` that of a float, `complex` that of a complex number.
struct Scalar {
  int64_t integer = 0;
  Complex complex;

  double real() const { return complex.real(); }
};

inline Scalar OfInteger(int64_t value) { return {.integer = value, .complex = {}}; }
inline Scalar OfReal(double value) { return {.integer = 0, .complex = {value, 0}}; }
inline Scalar OfComplex(Complex value) { return {.integer = 0, .complex = value}; }

Scalar ReadScalar(DType dtype, const void* data, int64_t index);
void WriteScalar(DType dtype, void* data, int64_t index, const Scalar& value);

// Returns `value` as an element of `dtype`: integers wrap to the width, floats are rounded once.
Scalar Rounded(DType dtype, const Scalar& value);

// Returns the bits of an integer element as an unsigned number.
uint64_t UnsignedBits(DType dtype, int64_t value);

// Returns an integer element that is used as an index or size; elements of unsigned types are not
// negative. Values out of range are replaced by +-2^62, so that sums of a few never overflow.
int64_t ReadIndex(DType dtype, const void* data, int64_t index);

}  // namespace acceld::ir::interpreter
