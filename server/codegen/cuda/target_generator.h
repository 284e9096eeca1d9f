#pragma once

#include <memory>
#include <string>

#include "common/status.h"
#include "server/codegen/code_generator.h"
#include "server/hal/cuda/cuda_compiler.h"

namespace acceld::codegen::cuda {

// Makes code for GPUs that this machine need not have, as one of them does: for the same
// architecture, so that they find it in the cache. What only a device can say is left out: no
// algorithms are measured, products with an epilogue or of 8 bits and convolutions become kernels
// of our own.
//
// `architecture` is one that CudaCodeGenerator has, "cuda-sm_90-nvrtc-13.0-cublaslt13.1.0", or
// "sm_90" for one with the NVRTC and the libraries of this machine. INVALID_ARGUMENT for another
// text, FAILED_PRECONDITION when NVRTC is not here, is of another version or makes no such code.
absl::StatusOr<std::unique_ptr<const CodeGenerator>> MakeTargetGenerator(
    const std::string& architecture, const hal::cuda::FindCompiler& find_compiler);

}  // namespace acceld::codegen::cuda
