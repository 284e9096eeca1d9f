#pragma once

#include <memory>
#include <string>

#include "common/status.h"
#include "server/codegen/code_generator.h"
#include "server/hal/cuda/cuda_compiler.h"

namespace acceld::codegen::cuda {

// Returns a generator of code for GPUs that this machine need not have. The code gets the same
// architecture, which is part of the cache key, as code that is compiled on a machine with such a
// GPU, so that machines with these GPUs find it in the cache. Without a device, no algorithms are
// measured, and convolutions and products that have an epilogue or operands of 8 bits become
// generated kernels instead of library calls.
//
// `architecture` is a value of CudaCodeGenerator::architecture(), for example
// "cuda-sm_90-nvrtc-13.0-cublaslt13.1.0", or a short form such as "sm_90", which stands for the
// NVRTC and the libraries of this machine. Returns INVALID_ARGUMENT for other text, and
// FAILED_PRECONDITION when NVRTC is not installed, has another version, or does not support the
// architecture.
absl::StatusOr<std::unique_ptr<const CodeGenerator>> MakeDevicelessGenerator(
    const std::string& architecture, const hal::cuda::FindCompiler& find_compiler);

}  // namespace acceld::codegen::cuda
