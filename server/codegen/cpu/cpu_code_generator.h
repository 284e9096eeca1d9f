#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/cpu_compiler.h"
#include "server/codegen/code_generator.h"

namespace acceld::codegen::cpu {

// Compiles plans to object code for the processor of this machine. Thread-safe.
class CpuCodeGenerator : public CodeGenerator {
 public:
  // Makes a compiler of its own for this machine's processor.
  CpuCodeGenerator();
  // Shares `compiler` with other generators, as the devices of one processor do.
  explicit CpuCodeGenerator(std::shared_ptr<const kernels::cpu::CpuCompiler> compiler);
  std::string architecture() const override { return architecture_; }
  bool SupportsMatmul(const kernels::MatmulStep& matmul) const override;
  bool SupportsConvolution(const kernels::ConvolutionStep& convolution) const override;
  int64_t ScratchBytesOf(const kernels::ConvolutionStep&) const override { return 0; }
  bool SupportsAttention(const kernels::AttentionShape&) const override { return false; }
  bool IsMatmulFast(const kernels::MatmulStep& matmul) const override;
  bool ScalesCollectives() const override { return true; }
  int64_t min_alternating_bytes() const override { return int64_t{4} << 10; }
  int64_t parallel_units() const override { return 64; }
  int64_t threads_per_unit() const override { return 1; }
  absl::StatusOr<std::string> Generate(const kernels::Plan& plan, std::vector<Dump>* dumps,
                                       const StopFlag* stop) const override;

 private:
  const std::shared_ptr<const kernels::cpu::CpuCompiler> compiler_;
  const std::string architecture_;
};

}  // namespace acceld::codegen::cpu
