#include "server/hal/cuda/cuda_code_generator.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/cuda/attention/attention.h"

namespace acceld::hal::cuda {
namespace {

// A line for each routine: whether the device computes it, and if not, why.
void DescribeRoutines(const kernels::Steps& steps, DeviceRoutines& routines, std::string& out) {
  for (const kernels::Step& step : steps) {
    if (const auto* routine = std::get_if<kernels::RoutineStep>(&step.value)) {
      const absl::Status prepared = routines.Prepare(routine->call).status();
      absl::StrAppend(
          &out, ToString(routine->call), ": ",
          prepared.ok() ? "on the device" : absl::StrCat("on the host, since ", prepared.message()),
          "\n");
    } else if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      DescribeRoutines(loop->condition, routines, out);
      DescribeRoutines(loop->body, routines, out);
    } else if (const auto* choice = std::get_if<kernels::SwitchStep>(&step.value)) {
      for (const kernels::Steps& branch : choice->branches) {
        DescribeRoutines(branch, routines, out);
      }
    }
  }
}

}  // namespace

std::string CudaCodeGenerator::architecture() const {
  // What the library supports is part of what code is made of.
  const std::string& cublas_lt = libraries_->cublas_lt_version();
  return absl::StrCat(compiler_.name, cublas_lt.empty() ? "" : "-cublaslt", cublas_lt);
}

bool CudaCodeGenerator::SupportsMatmul(const kernels::MatmulStep& matmul) const {
  return matmuls_->Supports(matmul);
}

bool CudaCodeGenerator::SupportsAttention(const kernels::AttentionShape& attention) const {
  return kernels::cuda::CanAttend(attention) && kernels::cuda::IsAttentionParallel(attention) &&
         (attention.dtype == ir::DType::kF32 ||
          compiler_.architecture >= kernels::cuda::kNarrowAttentionArchitecture);
}

absl::StatusOr<std::string> CudaCodeGenerator::Generate(const kernels::Plan& plan,
                                                        std::vector<Dump>* dumps) const {
  std::string source;
  absl::StatusOr<kernels::cuda::CudaProgram> program =
      kernels::cuda::MakeProgram(plan, compiler_.compile, dumps == nullptr ? nullptr : &source);
  if (program.ok()) matmuls_->ChooseAlgorithms(*program);
  if (dumps != nullptr) {
    if (program.ok()) {
      dumps->push_back({"80-program.txt", kernels::cuda::ToString(*program)});
      std::string routines;
      DescribeRoutines(program->steps, libraries_->routines(), routines);
      if (!routines.empty()) dumps->push_back({"85-routines.txt", std::move(routines)});
    }
    // Also after a failure: that is when the text is wanted most.
    dumps->push_back({"90-kernels.cu", std::move(source)});
  }
  ACCELD_RETURN_IF_ERROR(program.status());
  return kernels::cuda::Serialize(*program);
}

}  // namespace acceld::hal::cuda
