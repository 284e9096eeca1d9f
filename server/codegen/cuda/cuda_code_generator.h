#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/codegen/cuda/algorithm_tuner.h"
#include "server/codegen/cuda/cuda_generator_base.h"
#include "server/hal/cuda/cuda_device.h"
#include "server/hal/cuda/libraries.h"

namespace acceld::codegen::cuda {

// Compiles plans to CUDA programs for one opened device. The libraries that were found for the
// device decide which products, convolutions and routines run in libraries. Thread-safe.
class CudaCodeGenerator final : public CudaGeneratorBase {
 public:
  // Shares ownership of the context, the libraries and the memory pool of `opened`, so the
  // generator may outlive the device itself.
  explicit CudaCodeGenerator(const hal::cuda::OpenedCudaDevice& opened)
      : CudaGeneratorBase(opened.compiler),
        libraries_(opened.libraries),
        algorithm_tuner_(opened.context, opened.libraries, opened.memory) {}

  std::string architecture() const override;
  bool SupportsMatmul(const kernels::MatmulStep& matmul) const override;
  int64_t ScratchBytesOf(const kernels::ConvolutionStep& convolution) const override;
  // See CodeGenerator. Also measures on the device which algorithms of its libraries are fastest.
  absl::StatusOr<std::string> Generate(const kernels::Plan& plan, std::vector<Dump>* dumps,
                                       const StopFlag* stop) const override;

 private:
  const std::shared_ptr<const hal::cuda::Libraries> libraries_;
  const AlgorithmTuner algorithm_tuner_;
};

}  // namespace acceld::codegen::cuda
