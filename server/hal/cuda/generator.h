#pragma once

#include <utility>

#include "kernels/cuda/attention/attention.h"
#include "kernels/cuda/emit/convolution.h"
#include "server/hal/code_generator.h"
#include "server/hal/cuda/cuda_device.h"

namespace acceld::hal::cuda {

// What follows from the architecture alone, with a device at hand or without. Code depends on it.
class Generator : public CodeGenerator {
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
  // Some blocks of threads for each multiprocessor of the largest.
  int64_t parallel_units() const final { return 1024; }
  int64_t threads_per_unit() const final { return 256; }

 protected:
  explicit Generator(CudaCompiler compiler) : compiler_(std::move(compiler)) {}

  const CudaCompiler compiler_;
};

}  // namespace acceld::hal::cuda
