#include "server/hal/cuda/cuda_code_generator.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::hal::cuda {

std::string CudaCodeGenerator::architecture() const {
  // What the library supports is part of what code is made of.
  const std::string& cublas_lt = libraries_->cublas_lt_version();
  return absl::StrCat(compiler_.name, cublas_lt.empty() ? "" : "-cublaslt", cublas_lt);
}

bool CudaCodeGenerator::SupportsMatmul(const kernels::MatmulStep& matmul) const {
  return matmuls_->Supports(matmul);
}

absl::StatusOr<std::string> CudaCodeGenerator::Generate(const kernels::Plan& plan,
                                                        std::vector<Dump>* dumps) const {
  std::string source;
  absl::StatusOr<kernels::cuda::CudaProgram> program =
      kernels::cuda::MakeProgram(plan, compiler_.compile, dumps == nullptr ? nullptr : &source);
  if (program.ok()) matmuls_->ChooseAlgorithms(*program);
  if (dumps != nullptr) {
    if (program.ok()) dumps->push_back({"80-program.txt", kernels::cuda::ToString(*program)});
    // Also after a failure: that is when the text is wanted most.
    dumps->push_back({"90-kernels.cu", std::move(source)});
  }
  ACCELD_RETURN_IF_ERROR(program.status());
  return kernels::cuda::Serialize(*program);
}

}  // namespace acceld::hal::cuda
