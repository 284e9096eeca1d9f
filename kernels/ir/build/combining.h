#pragma once

#include <cstdint>

#include "kernels/ir/kernel.h"

// Operations by which loops combine many values into one: sums, products, minima, maxima, and, or,
// xor. All are associative and commutative (for sums and products of floats, except for rounding).
namespace acceld::kernels {

bool IsCombining(ScalarOp op);

// Returns the bits of the identity element of `combine` for `dtype`: -0 for sums of floats, minus
// infinity for maxima of floats. IsCombining must accept `combine`; for minima and maxima of floats
// the type must have infinities.
uint64_t IdentityOf(ScalarOp combine, DType dtype);

}  // namespace acceld::kernels
