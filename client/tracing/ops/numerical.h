#pragma once

#include "client/tracing/tensor.h"

// Functions that are known by their values at points, and polynomials. Names and values are those
// of jax.numpy.
namespace acceld::client {

// The function through the points (xp, fp), vectors whose `xp` ascends, which is linear between
// neighbours; at each element of `x`. Outside it is that of the first, or the last, point.
Tensor Interp(const Operand& x, const Operand& xp, const Operand& fp);
// The integral of the same function along `axis`: of points at distance `dx`, or at `x`.
Tensor Trapezoid(const Operand& y, const Operand& dx = 1, int64_t axis = -1);
Tensor TrapezoidAt(const Operand& y, const Operand& x, int64_t axis = -1);

// The polynomial whose coefficients are the vector `p`, that of the highest power first.
Tensor Polyval(const Operand& p, const Operand& x);

// What of a convolution is wanted: all elements, as many as the longer vector has, or those for
// which the vectors overlap completely.
enum class ConvolveMode { kFull, kSame, kValid };
// The sums of products of two vectors of which the second is reversed, at all distances; and of
// those where it is not (numpy.correlate conjugates it).
Tensor Convolve(const Operand& a, const Operand& v, ConvolveMode mode = ConvolveMode::kFull);
Tensor Correlate(const Operand& a, const Operand& v, ConvolveMode mode = ConvolveMode::kValid);

}  // namespace acceld::client
