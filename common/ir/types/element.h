#pragma once

#include <complex>
#include <cstdint>

#include "common/ir/types/dtype.h"

// Reads and writes single elements of a tensor's row-major bytes, as the widest type of their
// class. The index counts elements and must be within bounds.
namespace acceld::ir {

using Complex = std::complex<double>;

// For integers and i1; a ui64 is read as its bits.
int64_t ReadInt(DType dtype, const void* data, int64_t index);
// For floats.
double ReadFloat(DType dtype, const void* data, int64_t index);
// For complex numbers.
Complex ReadComplex(DType dtype, const void* data, int64_t index);

// Wraps the value to the width.
void WriteInt(DType dtype, void* data, int64_t index, int64_t value);
// Rounds to nearest even.
void WriteFloat(DType dtype, void* data, int64_t index, double value);
void WriteComplex(DType dtype, void* data, int64_t index, Complex value);

// Stores `value` converted to `dtype` at `data`: floats round to nearest even, integers truncate
// and saturate (NaN gives 0), i1 is `value != 0`.
void StoreConverted(DType dtype, void* data, double value);

}  // namespace acceld::ir
