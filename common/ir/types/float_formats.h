#pragma once

#include <cstdint>

#include "common/ir/types/dtype.h"

// Conversions between double and the narrow floating-point formats, one rounding (to nearest even).
// Sources: IEEE 754, OCP 8-bit Floating Point Specification, OCP Microscaling Formats
// Specification, StableHLO specification ("Types").
namespace acceld::ir {

// Returns the value of the low bits of `bits` as a `dtype`. f64 has all 64 bits.
double DecodeFloat(DType dtype, uint64_t bits);

// Returns the bits of the `dtype` value nearest to `value`. Overflow becomes infinity if the format
// has it, else NaN. f8E8M0FNU has no zero and no sign: values that it cannot represent become NaN.
// The formats of 4 and 6 bits have neither infinity nor NaN: overflow and infinity become the
// largest value, and NaN becomes -0, as in XLA.
uint64_t EncodeFloat(DType dtype, double value);

// Returns the value rounded to `dtype`.
inline double RoundToFormat(DType dtype, double value) {
  return DecodeFloat(dtype, EncodeFloat(dtype, value));
}

// The properties of a float format, for code generators.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_infinity;
  bool has_nan;
  bool has_negative_zero;
  bool has_sign;
};
FloatFormat FormatOf(DType dtype);

// Whether the only NaN of the format has the bits that would be -0 (f8E4M3FNUZ and others). It has
// the sign bit, so that it precedes all numbers in IEEE 754's totalOrder.
bool HasNegativeNan(DType dtype);

// Returns the IEEE 754 type in whose encoding reduce_precision of `dtype` is computed: the type
// itself, or for formats of at most 8 bits a type that has all their values and none of their
// special encodings. JAX computes them in the same way.
DType ReducePrecisionTypeOf(DType dtype);

}  // namespace acceld::ir
