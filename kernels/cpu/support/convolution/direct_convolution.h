#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"
#include "kernels/ir/convolution_shape.h"

namespace acceld::kernels::cpu {

// Convolutions of f32 whose products read the input where it lies, or a copy of it with zeros
// around: nothing is gathered, and so they reach the speed of matrix products also with few
// outputs, over which a gathered matrix would not be worth its making. Forward convolutions and
// gradients of the input are cut by their places; gradients of the kernel, whose sums are long and
// whose places are few, by their sums. How is a matter of the shape alone, so that results do not
// depend on the number of threads. Cells of the input's dilation are left out (SplitDilation).

// Whether features or places of a convolution lie together in input and output, and its kernel, or
// the gradient of that, is so small that it stays in cache.
bool IsDirectConvolution(const ConvolutionShape& shape);

// A CodeStatus; kFailed notes why in the context's RunState.
int32_t DirectConvolution(const LaunchContext* context, const ConvolutionShape& shape,
                          const float* lhs, const float* rhs, float* out);

}  // namespace acceld::kernels::cpu
