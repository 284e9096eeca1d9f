#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"
#include "kernels/ir/convolution_shape.h"

namespace acceld::kernels::cpu {

// Convolutions of f32 that read the input where it is, or from a copy padded with zeros, instead of
// gathering the elements under the window into a matrix. They reach the speed of matrix products
// even with few output features, for which gathering would not pay. Forward convolutions and
// gradients of the input are divided by output positions; gradients of the kernel, which have long
// sums for few output positions, are divided by parts of the sums. The division depends on the
// shape alone, so that results do not depend on the number of threads. Cells without an element in
// a dilated input are left out (SplitDilation).

// Returns whether DirectConvolution supports the shape: the output's features are consecutive in
// memory, so are the input's features or its positions along the innermost dimension, and the
// kernel, or its gradient, is small enough for the cache.
bool IsDirectConvolution(const ConvolutionShape& shape);

// Computes a convolution for which IsDirectConvolution is true, on the context's threads. Returns
// when the output is complete. Returns a CodeStatus; with kFailed, the error is in the context's
// RunState.
int32_t DirectConvolution(const LaunchContext* context, const ConvolutionShape& shape,
                          const float* lhs, const float* rhs, float* out);

}  // namespace acceld::kernels::cpu
