#include "kernels/cuda/program/make_program.h"

#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/cuda/attention/attention.h"
#include "kernels/cuda/collectives/collective_kernels.h"
#include "kernels/cuda/emit/cuda_kernel.h"
#include "kernels/cuda/emit/device_code.h"
#include "kernels/ir/build/inline_calls.h"

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

// Replaces attention steps by launches of kernels that it adds to the program, one for each shape.
class AttentionLowering {
 public:
  AttentionLowering(CudaProgram& program, std::string& source)
      : program_(program), source_(source) {}

  void In(Steps& steps) {
    for (Step& step : steps) {
      if (auto* const attention = std::get_if<AttentionStep>(&step.value)) {
        step.value = Launch(*attention);
      } else if (auto* const loop = std::get_if<WhileStep>(&step.value)) {
        In(loop->condition);
        In(loop->body);
      } else if (auto* const choice = std::get_if<SwitchStep>(&step.value)) {
        for (Steps& branch : choice->branches) In(branch);
      }
    }
  }

 private:
  LaunchStep Launch(const AttentionStep& step) {
    LaunchStep launch{.kernel = 0, .buffers = {step.query, step.key, step.value}};
    if (step.shape.bias.has_value()) launch.buffers.push_back(step.bias);
    launch.buffers.insert(launch.buffers.end(), step.masks.begin(), step.masks.end());
    launch.buffers.push_back(step.out);
    launch.kernel = KernelOf(step.shape, static_cast<int>(launch.buffers.size()));
    return launch;
  }

  uint32_t KernelOf(const AttentionShape& shape, int buffers) {
    for (const auto& [known, kernel] : known_) {
      if (known == shape) return kernel;
    }
    if (known_.empty()) absl::StrAppend(&source_, AttentionPrelude());
    const std::string name = absl::StrCat("attention_", known_.size());
    const AttentionKernel printed = PrintAttention(shape, name);
    absl::StrAppend(&source_, printed.source, "\n");
    const auto kernel = static_cast<uint32_t>(program_.kernels.size());
    program_.kernels.push_back({.name = name,
                                .buffers = buffers,
                                .blocks = printed.blocks,
                                .threads = printed.threads,
                                .polls = printed.polls,
                                .written = {static_cast<uint32_t>(buffers - 1)}});
    known_.push_back({shape, kernel});
    return kernel;
  }

  CudaProgram& program_;
  std::string& source_;
  std::vector<std::pair<AttentionShape, uint32_t>> known_;
};

}  // namespace

absl::StatusOr<CudaProgram> MakeProgram(const Plan& plan, const UsesLibrary& uses_library,
                                        const CompileSource& compile, std::string* source) {
  CudaProgram program;
  ACCELD_ASSIGN_OR_RETURN(program.steps, InlineCalls(plan, kMaxSteps));
  program.may_share = plan.may_share;
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
  LowerConvolutions(uses_library, program, text);
  AttentionLowering(program, text).In(program.steps);
  LowerCollectives(program, text);
  if (source != nullptr) *source = text;
  // A program that only copies has no code.
  if (!program.kernels.empty()) {
    ACCELD_ASSIGN_OR_RETURN(program.cubin, compile(text));
  }
  return program;
}

}  // namespace acceld::kernels::cuda
