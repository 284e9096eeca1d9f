#pragma once

#include "common/status.h"
#include "server/hal/cuda/cuda_compiler.h"

namespace acceld::codegen::cuda {

// NVRTC as the compiler for an architecture (90 for sm_90): for the newest one of the same major
// version that NVRTC knows and that is not newer. FAILED_PRECONDITION where NVRTC is missing or
// knows none. A FindCompiler.
absl::StatusOr<hal::cuda::CudaCompiler> FindNvrtcCompiler(int architecture);

}  // namespace acceld::codegen::cuda
