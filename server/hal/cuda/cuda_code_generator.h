#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/hal/code_generator.h"
#include "server/hal/cuda/cuda_device.h"

namespace acceld::hal::cuda {

// Plans to CUDA programs. Immutable and, as far as the compiler is, thread-safe.
class CudaCodeGenerator final : public CodeGenerator {
 public:
  CudaCodeGenerator(CudaCompiler compiler, bool has_cublas_lt)
      : compiler_(std::move(compiler)), has_cublas_lt_(has_cublas_lt) {}

  std::string architecture() const override;
  bool SupportsMatmul(const kernels::MatmulStep& matmul) const override;
  bool SupportsConvolution(const kernels::ConvolutionStep&) const override { return false; }
  bool IsMatmulFast(const kernels::MatmulStep& matmul) const override {
    return SupportsMatmul(matmul);
  }
  absl::StatusOr<std::string> Generate(const kernels::Plan& plan,
                                       std::vector<Dump>* dumps) const override;

 private:
  const CudaCompiler compiler_;
  const bool has_cublas_lt_;
};

}  // namespace acceld::hal::cuda
