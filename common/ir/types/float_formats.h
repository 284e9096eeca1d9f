#pragma once

#include <cstdint>

#include "common/ir/types/dtype.h"

// Conversions between double and the narrow floating-point formats, one rounding (to nearest even).
// Sources: IEEE 754, OCP 8-bit Floating Point Specification, OCP Microscaling Formats
// Specification, StableHLO specification ("Types").
namespace acceld::ir {

// The value of `bits` (in the low bits) read as `dtype`. F64 takes all 64 bits.
double DecodeFloat(DType dtype, uint64_t bits);

// The bits of the `dtype` value nearest to `value`. Overflow gives infinity where the format has
// one, else NaN; f8E8M0FNU has no zero and no sign: what it cannot hold gives NaN. The formats of 4
// and 6 bits have neither: overflow and infinity give the largest value, NaN gives -0, as in XLA.
uint64_t EncodeFloat(DType dtype, double value);

// The value after rounding through `dtype`.
inline double RoundToFormat(DType dtype, double value) {
  return DecodeFloat(dtype, EncodeFloat(dtype, value));
}

// Exponent and mantissa widths and limits, for printers of code.
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

// Whether the one NaN of the format is what would be -0 (f8E4M3FNUZ and others): it has the sign
// bit, so that it comes before all numbers in IEEE 754's totalOrder.
bool HasNegativeNan(DType dtype);

// The IEEE 754 type on whose encoding reduce_precision of `dtype` is defined: the type itself, or
// for formats of at most 8 bits a type that holds all their values and has the exponents of none of
// their special encodings. JAX computes them the same way.
DType ReducePrecisionTypeOf(DType dtype);

}  // namespace acceld::ir
