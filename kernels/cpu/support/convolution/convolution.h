#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// A convolution as matrix products: one of f32 whose kernel fits the cache reads its input where it
// lies (direct_convolution.h). For others, the input elements under the window are gathered, for
// each block of places, into a matrix that fits the cache (nothing is gathered where the input is
// that matrix already) and multiplied with the kernel by the library. `descriptor` is a
// ConvolutionDescriptor's fields. Blocks are the same for any number of threads, and each is
// computed by one: results do not depend on how many there are. A CodeStatus; kFailed notes why in
// the context's RunState.
int32_t Convolution(const LaunchContext* context, const int64_t* descriptor, const void* lhs,
                    const void* rhs, void* out);

}  // namespace acceld::kernels::cpu
