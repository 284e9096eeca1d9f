#include "server/codegen/cuda/cuda_code_generator.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/cuda/emit/convolution.h"
#include "server/hal/cuda/driver/library_versions.h"

namespace acceld::codegen::cuda {
namespace {

// Appends a line for each routine to `out`: whether the device computes it, and if not, why.
void DescribeRoutines(const kernels::Steps& steps, hal::cuda::DeviceRoutines& routines,
                      std::string& out) {
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
  return absl::StrCat(compiler_.name,
                      hal::cuda::LibraryVersionSuffix(libraries_->cublas_lt_version(),
                                                      libraries_->convolutions().version()));
}

bool CudaCodeGenerator::SupportsMatmul(const kernels::MatmulStep& matmul) const {
  return libraries_->SupportsMatmul(matmul);
}

int64_t CudaCodeGenerator::ScratchBytesOf(const kernels::ConvolutionStep& convolution) const {
  return kernels::cuda::ConvolutionScratchBytes(convolution,
                                                libraries_->convolutions().Supports(convolution));
}

absl::StatusOr<std::string> CudaCodeGenerator::Generate(const kernels::Plan& plan,
                                                        std::vector<Dump>* dumps,
                                                        const StopFlag* stop) const {
  ACCELD_RETURN_IF_ERROR(CheckStop(stop));
  std::string source;
  const auto uses_library = [this](const kernels::ConvolutionStep& convolution) {
    return libraries_->convolutions().Supports(convolution);
  };
  absl::StatusOr<kernels::cuda::CudaProgram> program = kernels::cuda::MakeProgram(
      plan, uses_library, compiler_.compile, dumps == nullptr ? nullptr : &source);
  ACCELD_RETURN_IF_ERROR(CheckStop(stop));
  if (program.ok()) algorithm_tuner_.ChooseAlgorithms(*program);
  if (dumps != nullptr) {
    if (program.ok()) {
      dumps->push_back({"80-program.txt", kernels::cuda::ToString(*program)});
      std::string routines;
      DescribeRoutines(program->steps, libraries_->routines(), routines);
      if (!routines.empty()) dumps->push_back({"85-routines.txt", std::move(routines)});
    }
    // The source is kept also after a failure, whose cause it helps to find.
    dumps->push_back({"90-kernels.cu", std::move(source)});
  }
  ACCELD_RETURN_IF_ERROR(program.status());
  return kernels::cuda::Serialize(*program);
}

}  // namespace acceld::codegen::cuda
