#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/hal/code_generator.h"
#include "server/hal/cuda/cuda_device.h"
#include "server/hal/cuda/libraries.h"

namespace acceld::hal::cuda {

// Plans to CUDA programs. Immutable and, as far as the compiler is, thread-safe.
class CudaCodeGenerator final : public CodeGenerator {
 public:
  CudaCodeGenerator(CudaCompiler compiler, std::shared_ptr<const Libraries> libraries)
      : compiler_(std::move(compiler)), libraries_(std::move(libraries)) {}

  std::string architecture() const override;
  bool SupportsMatmul(const kernels::MatmulStep& matmul) const override;
  bool SupportsConvolution(const kernels::ConvolutionStep&) const override { return false; }
  absl::StatusOr<std::string> Generate(const kernels::Plan& plan,
                                       std::vector<Dump>* dumps) const override;

 private:
  const CudaCompiler compiler_;
  const std::shared_ptr<const Libraries> libraries_;
};

}  // namespace acceld::hal::cuda
