#pragma once

#include <cstdint>

#include "kernels/ir/kernel.h"

// Operations by which loops combine many values into one: sums, products, minima, maxima, and, or,
// xor. All are associative and commutative (sums and products of floats but for rounding).
namespace acceld::kernels {

bool IsCombining(ScalarOp op);

// The bits of the value of type `dtype` that changes no other when `combine`, an operation that
// IsCombining accepts, is applied to both: -0 for sums of floats, minus infinity for maxima of
// floats, which the type must have.
uint64_t IdentityOf(ScalarOp combine, DType dtype);

}  // namespace acceld::kernels
