#pragma once

#include <cstdint>

#include "common/ir/types/dtype.h"
#include "common/ir/types/element.h"

// One element outside a tensor. Plain values.
namespace acceld::ir::interpreter {

// Which members hold the value follows from the dtype it is kept for: `integer` for i1 and integers
// (ui64 as its bits), `complex.real()` for floats, `complex` for complex numbers.
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

// `value` as an element of `dtype` holds it: integers wrap to the width, floats round once.
Scalar Rounded(DType dtype, const Scalar& value);

// The low bits of an integer element, read as unsigned.
uint64_t UnsignedBits(DType dtype, int64_t value);

// The number that an integer element stands for when it says where something is: unsigned types are
// read as unsigned. Far out of range saturates at +-2^62, so that sums of a few never overflow.
int64_t ReadIndex(DType dtype, const void* data, int64_t index);

}  // namespace acceld::ir::interpreter
