#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Computes out[b, m, n] = sum over k of lhs[b, m, k] * rhs[b, k, n]. A MatmulFunction
// (support_abi.h): `descriptor` has the fields of a MatmulKey. The output of large products is
// divided into blocks, which do not depend on the number of threads. One thread computes a block,
// so that results do not depend on the number of threads either. The call returns when the output
// is complete. Returns a CodeStatus; with kFailed, the error is in the context's RunState.
int32_t Matmul(const LaunchContext* context, const int64_t* descriptor, const void* lhs,
               const void* rhs, void* out);

}  // namespace acceld::kernels::cpu
