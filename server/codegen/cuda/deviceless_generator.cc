#include "server/codegen/cuda/deviceless_generator.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "kernels/cuda/cublas/matmul.h"
#include "kernels/cuda/emit/convolution.h"
#include "kernels/cuda/program/make_program.h"
#include "kernels/cuda/program/program.h"
#include "server/codegen/cuda/cuda_generator_base.h"
#include "server/hal/cuda/driver/library_versions.h"

namespace acceld::codegen::cuda {
namespace {

class DevicelessGenerator final : public CudaGeneratorBase {
 public:
  DevicelessGenerator(hal::cuda::CudaCompiler compiler, std::string libraries)
      : CudaGeneratorBase(std::move(compiler)), libraries_(std::move(libraries)) {}

  std::string architecture() const override { return absl::StrCat(compiler_.name, libraries_); }
  bool SupportsMatmul(const kernels::MatmulStep& matmul) const override {
    // Every GPU supports these products.
    return absl::StrContains(libraries_, "-cublaslt") && kernels::cuda::CanMatmul(matmul) &&
           ir::BitsOf(matmul.input_dtype) > 8 && matmul.epilogue.IsNone();
  }
  int64_t ScratchBytesOf(const kernels::ConvolutionStep& convolution) const override {
    return kernels::cuda::ConvolutionScratchBytes(convolution, /*uses_library=*/false);
  }
  absl::StatusOr<std::string> Generate(const kernels::Plan& plan, std::vector<Dump>* dumps,
                                       const StopFlag* stop) const override {
    ACCELD_RETURN_IF_ERROR(CheckStop(stop));
    std::string source;
    const auto uses_library = [](const kernels::ConvolutionStep&) { return false; };
    absl::StatusOr<kernels::cuda::CudaProgram> program = kernels::cuda::MakeProgram(
        plan, uses_library, compiler_.compile, dumps == nullptr ? nullptr : &source);
    if (dumps != nullptr) {
      if (program.ok()) {
        dumps->push_back({"80-program.txt", kernels::cuda::ToString(*program)});
      }
      dumps->push_back({"90-kernels.cu", std::move(source)});
    }
    ACCELD_RETURN_IF_ERROR(program.status());
    return kernels::cuda::Serialize(*program);
  }

 private:
  const std::string libraries_;  // "-cublaslt13.1.0-cudnn9.12.0"
};

// Returns the index at which the part of an architecture that names libraries begins, or the size
// of the text if it names none.
size_t LibraryVersionsBegin(absl::string_view text) {
  return std::min({text.find("-cublaslt"), text.find("-cudnn"), text.size()});
}

}  // namespace

absl::StatusOr<std::unique_ptr<const CodeGenerator>> MakeDevicelessGenerator(
    const std::string& architecture, const hal::cuda::FindCompiler& find_compiler) {
  const size_t begin = LibraryVersionsBegin(architecture);
  const absl::string_view compiler = absl::string_view(architecture).substr(0, begin);
  absl::string_view rest = compiler;
  absl::ConsumePrefix(&rest, "cuda-");
  int number = 0;
  if (!absl::ConsumePrefix(&rest, "sm_") ||
      !absl::SimpleAtoi(rest.substr(0, rest.find('-')), &number) || number <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("target '", architecture,
                     "' is no architecture of a GPU, as in cuda-sm_90-nvrtc-13.0 or sm_90"));
  }
  ACCELD_ASSIGN_OR_RETURN(hal::cuda::CudaCompiler found, find_compiler(number));
  const bool is_short = architecture == absl::StrCat("sm_", number);
  if (found.architecture != number || (!is_short && found.name != compiler)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "target '", architecture, "': this machine makes code for ", found.name, " instead"));
  }
  std::string libraries =
      is_short ? hal::cuda::InstalledLibraryVersionSuffix() : architecture.substr(begin);
  return std::make_unique<DevicelessGenerator>(std::move(found), std::move(libraries));
}

}  // namespace acceld::codegen::cuda
