#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// out[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n]; `descriptor` is a MatmulKey's fields.
// Large products are cut into blocks of the output, the same for any number of threads, and each
// block is one call of the library on one thread: results do not depend on how many there are.
// A CodeStatus; kFailed notes why in the context's RunState.
int32_t Matmul(const LaunchContext* context, const int64_t* descriptor, const void* lhs,
               const void* rhs, void* out);

}  // namespace acceld::kernels::cpu
