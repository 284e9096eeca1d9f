#include "kernels/cuda/program/convolutions.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/cuda/cudnn/convolution_form.h"
#include "kernels/cuda/emit/convolution.h"
#include "kernels/cuda/emit/device_code.h"
#include "kernels/cuda/program/repack_filter.h"

namespace acceld::kernels::cuda {
namespace {

// The smallest convolution, in multiplications, that cuDNN computes inside loops and branches.
constexpr double kMinWorkInLoops = int64_t{1} << 28;
// The largest convolution that cuDNN computes: some seconds of a large GPU, because the library's
// kernels cannot be cancelled.
constexpr double kMaxWorkOfLibrary = int64_t{1} << 46;

int64_t FilterBytesOf(const CudnnForm& form, ir::DType dtype) {
  return form.filter_elements() * ir::StorageBytesOf(dtype);
}

class Lowering {
 public:
  Lowering(const UsesLibrary& uses_library, CudaProgram& program, std::string& source)
      : is_of_library_(uses_library), program_(program), source_(source) {}

  void Lower(Steps& steps) {
    Steps lowered;
    for (Step& step : steps) {
      if (const auto* const convolution = std::get_if<ConvolutionStep>(&step.value)) {
        if (MayCallLibrary(*convolution) && is_of_library_(*convolution) &&
            HasScratchForLibrary(*convolution)) {
          CallLibrary(*convolution, step.comment, lowered);
        } else {
          Launch(*convolution, step.comment, lowered);
        }
        continue;
      }
      ++depth_;
      if (auto* const loop = std::get_if<WhileStep>(&step.value)) {
        Lower(loop->condition);
        Lower(loop->body);
      } else if (auto* const choice = std::get_if<SwitchStep>(&step.value)) {
        for (Steps& branch : choice->branches) Lower(branch);
      }
      --depth_;
      lowered.push_back(std::move(step));
    }
    steps = std::move(lowered);
  }

 private:
  // Loops and branches that contain a convolution of the library are run by the host (segments.h),
  // which costs the time of several launches.
  bool MayCallLibrary(const ConvolutionStep& step) const {
    const double work = step.shape.num_multiplications();
    return work <= kMaxWorkOfLibrary && (depth_ == 0 || work >= kMinWorkInLoops);
  }

  // The scratch may be too small if the library could not be queried when the plan was made.
  static bool HasScratchForLibrary(const ConvolutionStep& step) {
    return step.scratch.size_bytes >= ConvolutionScratchBytes(step, /*uses_library=*/true);
  }

  void Launch(const ConvolutionStep& step, const std::string& comment, Steps& steps) {
    const uint32_t kernel = KernelsOf(step);
    const int64_t parts_bytes = PartialSumBytesOf(step);
    if (parts_bytes == 0) {
      steps.push_back({LaunchStep{kernel, {step.lhs, step.rhs, step.out}}, comment});
      return;
    }
    const Slice parts = BeginOf(step.scratch, parts_bytes);
    steps.push_back({LaunchStep{kernel, {step.lhs, step.rhs, parts}}, comment});
    steps.push_back({LaunchStep{kernel + 1, {parts, step.out}}, comment});
  }

  void CallLibrary(ConvolutionStep step, const std::string& comment, Steps& steps) {
    const CudnnForm form = *CudnnFormOf(step);
    if (form.HasPackedFilter()) {
      step.scratch = {};
      steps.push_back({std::move(step), comment});
      return;
    }
    const bool makes_filter = form.function == CudnnForm::Function::kBackwardFilter;
    const uint32_t repack = RepackOf(form, step.input_dtype, makes_filter);
    const Slice packed = BeginOf(step.scratch, FilterBytesOf(form, step.input_dtype));
    const Slice own = std::exchange(makes_filter ? step.out : step.rhs, packed);
    step.shape = WithPackedFilter(step, form);
    step.scratch = {};
    if (!makes_filter) steps.push_back({LaunchStep{repack, {own, packed}}, comment});
    steps.push_back({std::move(step), comment});
    if (makes_filter) steps.push_back({LaunchStep{repack, {packed, own}}, comment});
  }

  static Slice BeginOf(Slice slice, int64_t size_bytes) {
    slice.size_bytes = size_bytes;
    return slice;
  }

  // Returns the number of the first of the convolution's kernels, which are added if they are new.
  uint32_t KernelsOf(const ConvolutionStep& step) {
    const auto next = static_cast<uint32_t>(program_.kernels.size());
    const auto [known, is_new] = known_.emplace(KeyOf(step), next);
    if (!is_new) return known->second;
    if (!std::exchange(has_prelude_, true)) absl::StrAppend(&source_, ConvolutionPrelude());
    const std::string name = absl::StrCat("convolve_", known_.size());
    std::vector<CudaKernel> printed = PrintConvolution(step, name);
    for (size_t i = 0; i < printed.size(); ++i) {
      Add(i == 0 ? name : absl::StrCat(name, "_sum"), printed[i], i == 0 ? 3 : 2);
    }
    return next;
  }

  uint32_t RepackOf(const CudnnForm& form, ir::DType dtype, bool back) {
    const auto next = static_cast<uint32_t>(program_.kernels.size());
    Kernel kernel = RepackFilter(form, dtype, back, "repack");
    const auto [known, is_new] = known_.emplace(ToString(kernel), next);
    if (!is_new) return known->second;
    kernel.name = absl::StrCat("repack_", known_.size());
    Add(kernel.name, PrintKernel(kernel), 2);
    return next;
  }

  // Adds a kernel that writes only the last of its buffers.
  void Add(const std::string& name, const CudaKernel& printed, int buffers) {
    absl::StrAppend(&source_, printed.source, "\n");
    program_.kernels.push_back({.name = name,
                                .buffers = buffers,
                                .blocks = printed.blocks,
                                .threads = printed.threads,
                                .polls = printed.polls,
                                .written = {static_cast<uint32_t>(buffers - 1)}});
  }

  // Describes the convolution without its slices.
  static std::string KeyOf(const ConvolutionStep& step) {
    const auto* const fields = reinterpret_cast<const int64_t*>(&step.shape);
    return absl::StrCat(ir::DTypeName(step.input_dtype), " ", ir::DTypeName(step.output_dtype), " ",
                        absl::StrJoin(fields, fields + kConvolutionShapeFields, " "));
  }

  const UsesLibrary& is_of_library_;
  CudaProgram& program_;
  std::string& source_;
  bool has_prelude_ = false;
  int depth_ = 0;  // the nesting of loops and branches
  // The number of each kernel that has been added, by KeyOf or by its kernel IR.
  absl::flat_hash_map<std::string, uint32_t> known_;
};

}  // namespace

int64_t ConvolutionScratchBytes(const ConvolutionStep& convolution, bool uses_library) {
  if (!uses_library) return PartialSumBytesOf(convolution);
  const absl::optional<CudnnForm> form = CudnnFormOf(convolution);
  // Enough for both: whether the library computes it is decided again when code is generated.
  const int64_t parts = PartialSumBytesOf(convolution);
  return form.has_value() && !form->HasPackedFilter()
             ? std::max(parts, FilterBytesOf(*form, convolution.input_dtype))
             : parts;
}

void LowerConvolutions(const UsesLibrary& uses_library, CudaProgram& program, std::string& source) {
  Lowering(uses_library, program, source).Lower(program.steps);
}

}  // namespace acceld::kernels::cuda
