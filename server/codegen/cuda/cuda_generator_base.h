#pragma once

#include <utility>

#include "kernels/cuda/attention/attention.h"
#include "kernels/cuda/emit/convolution.h"
#include "server/codegen/code_generator.h"
#include "server/hal/cuda/cuda_compiler.h"

namespace acceld::codegen::cuda {

// Base class of the code generators for CUDA: the properties of the target that follow from the GPU
// architecture alone. A generator with a device (CudaCodeGenerator) and one without a device
// (MakeDevicelessGenerator) inherit them and so return equal values for equal architectures.
class CudaGeneratorBase : public CodeGenerator {
 public:
  bool SupportsConvolution(const kernels::ConvolutionStep& convolution) const final {
    return kernels::cuda::CanPrintConvolution(convolution);
  }
  bool SupportsAttention(const kernels::AttentionShape& attention) const final {
    return kernels::cuda::CanAttend(attention) && kernels::cuda::IsAttentionParallel(attention) &&
           (attention.dtype == ir::DType::kF32 ||
            compiler_.architecture >= kernels::cuda::kNarrowAttentionArchitecture);
  }
  bool IsMatmulFast(const kernels::MatmulStep& matmul) const final {
    return SupportsMatmul(matmul);
  }
  bool ScalesCollectives() const final { return false; }
  int64_t min_alternating_bytes() const final { return kNeverAlternates; }
  // Enough for several thread blocks on each multiprocessor of the largest GPUs.
  int64_t parallel_units() const final { return 1024; }
  int64_t threads_per_unit() const final { return 256; }

 protected:
  explicit CudaGeneratorBase(hal::cuda::CudaCompiler compiler) : compiler_(std::move(compiler)) {}

  const hal::cuda::CudaCompiler compiler_;
};

}  // namespace acceld::codegen::cuda
