#include "server/codegen/cpu/cpu_code_generator.h"

#include <utility>

#include "kernels/cpu/cpu_convolution.h"
#include "kernels/cpu/cpu_matmul.h"

namespace acceld::codegen::cpu {

CpuCodeGenerator::CpuCodeGenerator()
    : CpuCodeGenerator(
          std::make_shared<const kernels::cpu::CpuCompiler>(kernels::cpu::CpuTarget::Host())) {}

CpuCodeGenerator::CpuCodeGenerator(std::shared_ptr<const kernels::cpu::CpuCompiler> compiler)
    : compiler_(std::move(compiler)), architecture_(compiler_->target().ToString()) {}

bool CpuCodeGenerator::SupportsMatmul(const kernels::MatmulStep& matmul) const {
  return kernels::cpu::CanMatmul(matmul) && !kernels::cpu::LoopsAreFaster(matmul);
}

bool CpuCodeGenerator::SupportsConvolution(const kernels::ConvolutionStep& convolution) const {
  return kernels::cpu::CanConvolve(convolution);
}

bool CpuCodeGenerator::IsMatmulFast(const kernels::MatmulStep& matmul) const {
  return kernels::cpu::IsMatmulFast(matmul);
}

absl::StatusOr<std::string> CpuCodeGenerator::Generate(const kernels::Plan& plan,
                                                       std::vector<Dump>* dumps,
                                                       const StopFlag* stop) const {
  if (dumps == nullptr) return compiler_->Compile(plan, nullptr, stop);
  kernels::cpu::CpuDumps texts;
  absl::StatusOr<std::string> object = compiler_->Compile(plan, &texts, stop);
  // The texts are kept also after a failure, whose cause they help to find.
  if (!texts.llvm_ir.empty()) dumps->push_back({"80-llvm.ll", std::move(texts.llvm_ir)});
  if (!texts.optimized_llvm_ir.empty()) {
    dumps->push_back({"90-llvm-optimized.ll", std::move(texts.optimized_llvm_ir)});
  }
  return object;
}

}  // namespace acceld::codegen::cpu
