#pragma once

#include "common/status.h"
#include "server/hal/cuda/cuda_compiler.h"

namespace acceld::codegen::cuda {

// Returns a compiler for GPUs of `architecture` (90 for sm_90) that uses NVRTC, NVIDIA's run-time
// compiler. It generates code for the newest architecture that NVRTC supports, that has the same
// major version and that is not newer than `architecture`. Returns FAILED_PRECONDITION when NVRTC
// is not installed or supports no such architecture. The function is a hal::cuda::FindCompiler.
absl::StatusOr<hal::cuda::CudaCompiler> FindNvrtcCompiler(int architecture);

}  // namespace acceld::codegen::cuda
