#include "kernels/cuda/program/make_program.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/cuda/emit/device_code.h"
#include "kernels/ir/inline_calls.h"

namespace acceld::kernels::cuda {
namespace {

constexpr int64_t kMaxSteps = 200'000;

std::vector<uint32_t> WrittenBy(const Kernel& kernel) {
  std::vector<uint32_t> written;
  for (uint32_t i = 0; i < kernel.buffers.size(); ++i) {
    if (kernel.buffers[i].access != BufferParameter::Access::kRead) written.push_back(i);
  }
  return written;
}

}  // namespace

absl::StatusOr<CudaProgram> MakeProgram(const Plan& plan, const IsOfLibrary& is_of_library,
                                        const CompileSource& compile, std::string* source) {
  CudaProgram program;
  ACCELD_ASSIGN_OR_RETURN(program.steps, InlineCalls(plan, kMaxSteps));
  std::string text(ModulePrelude());
  for (const Kernel& kernel : plan.kernels) {
    const CudaKernel printed = PrintKernel(kernel);
    absl::StrAppend(&text, printed.source, "\n");
    program.kernels.push_back({.name = kernel.name,
                               .buffers = static_cast<int>(kernel.buffers.size()),
                               .blocks = printed.blocks,
                               .threads = printed.threads,
                               .polls = printed.polls,
                               .written = WrittenBy(kernel)});
  }
  LowerConvolutions(is_of_library, program, text);
  if (source != nullptr) *source = text;
  // A program that only moves bytes has no code.
  if (!program.kernels.empty()) {
    ACCELD_ASSIGN_OR_RETURN(program.cubin, compile(text));
  }
  return program;
}

}  // namespace acceld::kernels::cuda
