#include "kernels/cuda/program/convolutions.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/cuda/emit/convolution.h"
#include "kernels/cuda/emit/device_code.h"

namespace acceld::kernels::cuda {
namespace {

class Lowering {
 public:
  Lowering(const IsOfLibrary& is_of_library, CudaProgram& program, std::string& source)
      : is_of_library_(is_of_library), program_(program), source_(source) {}

  void Lower(Steps& steps) {
    Steps lowered;
    for (Step& step : steps) {
      const auto* const convolution = std::get_if<ConvolutionStep>(&step.value);
      if (convolution != nullptr && !is_of_library_(*convolution)) {
        Launch(*convolution, step.comment, lowered);
        continue;
      }
      if (auto* const loop = std::get_if<WhileStep>(&step.value)) {
        Lower(loop->condition);
        Lower(loop->body);
      } else if (auto* const choice = std::get_if<SwitchStep>(&step.value)) {
        for (Steps& branch : choice->branches) Lower(branch);
      }
      lowered.push_back(std::move(step));
    }
    steps = std::move(lowered);
  }

 private:
  void Launch(const ConvolutionStep& step, const std::string& comment, Steps& steps) {
    const uint32_t kernel = KernelsOf(step);
    if (PartsBytesOf(step) == 0) {
      steps.push_back({LaunchStep{kernel, {step.lhs, step.rhs, step.out}}, comment});
      return;
    }
    steps.push_back({LaunchStep{kernel, {step.lhs, step.rhs, step.scratch}}, comment});
    steps.push_back({LaunchStep{kernel + 1, {step.scratch, step.out}}, comment});
  }

  // The number of the first.
  uint32_t KernelsOf(const ConvolutionStep& step) {
    const auto next = static_cast<uint32_t>(program_.kernels.size());
    const auto [known, is_new] = known_.emplace(KeyOf(step), next);
    if (!is_new) return known->second;
    if (known_.size() == 1) absl::StrAppend(&source_, ConvolutionPrelude());
    const std::string name = absl::StrCat("convolve_", known_.size());
    const std::vector<CudaKernel> printed = PrintConvolution(step, name);
    for (size_t i = 0; i < printed.size(); ++i) {
      absl::StrAppend(&source_, printed[i].source, "\n");
      const int buffers = i == 0 ? 3 : 2;
      program_.kernels.push_back({.name = i == 0 ? name : absl::StrCat(name, "_sum"),
                                  .buffers = buffers,
                                  .blocks = printed[i].blocks,
                                  .threads = printed[i].threads,
                                  .written = {static_cast<uint32_t>(buffers - 1)}});
    }
    return next;
  }

  // All but the places.
  static std::string KeyOf(const ConvolutionStep& step) {
    const auto* const fields = reinterpret_cast<const int64_t*>(&step.shape);
    return absl::StrCat(ir::DTypeName(step.input_dtype), " ", ir::DTypeName(step.output_dtype), " ",
                        absl::StrJoin(fields, fields + kConvolutionShapeFields, " "));
  }

  const IsOfLibrary& is_of_library_;
  CudaProgram& program_;
  std::string& source_;
  absl::flat_hash_map<std::string, uint32_t> known_;
};

}  // namespace

void LowerConvolutions(const IsOfLibrary& is_of_library, CudaProgram& program,
                       std::string& source) {
  Lowering(is_of_library, program, source).Lower(program.steps);
}

}  // namespace acceld::kernels::cuda
