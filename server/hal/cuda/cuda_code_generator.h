#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/hal/cuda/algorithm_times.h"
#include "server/hal/cuda/cuda_device.h"
#include "server/hal/cuda/generator.h"
#include "server/hal/cuda/libraries.h"

namespace acceld::hal::cuda {

// Plans to CUDA programs. Thread-safe as far as the compiler is.
class CudaCodeGenerator final : public Generator {
 public:
  CudaCodeGenerator(CudaCompiler compiler, std::shared_ptr<const Libraries> libraries,
                    std::unique_ptr<const AlgorithmTimes> times)
      : Generator(std::move(compiler)),
        libraries_(std::move(libraries)),
        times_(std::move(times)) {}

  std::string architecture() const override;
  bool SupportsMatmul(const kernels::MatmulStep& matmul) const override;
  int64_t ScratchBytesOf(const kernels::ConvolutionStep& convolution) const override;
  // Also measures on the device.
  absl::StatusOr<std::string> Generate(const kernels::Plan& plan, std::vector<Dump>* dumps,
                                       const StopFlag* stop) const override;

 private:
  const std::shared_ptr<const Libraries> libraries_;
  const std::unique_ptr<const AlgorithmTimes> times_;
};

}  // namespace acceld::hal::cuda
