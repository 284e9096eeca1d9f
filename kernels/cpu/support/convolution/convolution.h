#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Computes a convolution by matrix products. A ConvolutionFunction (support_abi.h): `descriptor`
// has the fields of a ConvolutionDescriptor. A convolution of f32 whose kernel fits the cache reads
// its input where it is (direct_convolution.h). For others, the output positions are divided into
// blocks. The input elements under the window at the positions of a block are gathered (im2col)
// into a matrix that fits the cache, unless the input is that matrix already, and the library
// multiplies the matrix with the kernel. The blocks do not depend on the number of threads, and one
// thread computes a block, so that results do not depend on the number of threads either. The call
// returns when the output is complete. Returns a CodeStatus; with kFailed, the error is in the
// context's RunState.
int32_t Convolution(const LaunchContext* context, const int64_t* descriptor, const void* lhs,
                    const void* rhs, void* out);

}  // namespace acceld::kernels::cpu
