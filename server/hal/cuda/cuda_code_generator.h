#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/program/make_program.h"
#include "server/hal/code_generator.h"

namespace acceld::hal::cuda {

// Plans to CUDA programs, whose code `compile` makes. Immutable and, as far as `compile` is,
// thread-safe.
class CudaCodeGenerator final : public CodeGenerator {
 public:
  // `architecture` names the device's and the compiler.
  CudaCodeGenerator(std::string architecture, kernels::cuda::CompileSource compile)
      : architecture_(std::move(architecture)), compile_(std::move(compile)) {}

  std::string architecture() const override { return architecture_; }
  bool SupportsMatmul(const kernels::MatmulStep&) const override { return false; }
  bool SupportsConvolution(const kernels::ConvolutionStep&) const override { return false; }
  absl::StatusOr<std::string> Generate(const kernels::Plan& plan,
                                       std::vector<Dump>* dumps) const override;

 private:
  const std::string architecture_;
  const kernels::cuda::CompileSource compile_;
};

}  // namespace acceld::hal::cuda
