#include "kernels/cpu/emit/step_groups.h"

#include <utility>
#include <variant>

namespace acceld::kernels::cpu {
namespace {

// The most code of one function, in the unit of CodeOf.
constexpr size_t kMaxCode = 128;
// The code of a step besides the addresses of its slices, and the number of slices whose addresses
// are as much code as that.
constexpr size_t kStepCode = 1, kSlicesPerStep = 8;

struct Groups {
  std::vector<size_t> sizes;
  // The code of the function that contains what was grouped: a call for each group if there are
  // several.
  size_t code = 0;
};

// Groups consecutive items of which each has this much code.
class Grouping {
 public:
  void Add(size_t code) {
    if (sizes_.empty() || filled_ + code > kMaxCode) {
      sizes_.push_back(0);
      filled_ = 0;
    }
    filled_ += code;
    ++sizes_.back();
  }
  Groups Take() && {
    const size_t code = sizes_.size() <= 1 ? filled_ : kStepCode * sizes_.size();
    return {std::move(sizes_), code};
  }

 private:
  std::vector<size_t> sizes_;
  size_t filled_ = 0;  // the code of the last group
};

Groups GroupsOf(absl::Span<const Step> steps);
Groups GroupsOf(const SwitchStep& step);

size_t CodeOf(const WhileStep& step) {
  return 2 * kStepCode + GroupsOf(step.condition).code + GroupsOf(step.body).code;
}

size_t CodeOf(const SwitchStep& step) { return kStepCode + GroupsOf(step).code; }

size_t CodeOfSlices(size_t num_slices) { return kStepCode + num_slices / kSlicesPerStep; }

size_t CodeOf(const LaunchStep& step) { return CodeOfSlices(step.buffers.size()); }
size_t CodeOf(const CallStep& step) {
  return CodeOfSlices(step.arguments.size() + step.results.size());
}
size_t CodeOf(const RoutineStep& step) {
  return CodeOfSlices(step.operands.size() + step.results.size());
}
size_t CodeOf(const HostCallStep& step) {
  return CodeOfSlices(step.operands.size() + step.results.size());
}
size_t CodeOf(const CollectiveStep& step) {
  return CodeOfSlices(step.operands.size() + step.results.size());
}
size_t CodeOf(const MatmulStep&) { return kStepCode; }
size_t CodeOf(const CopyStep&) { return kStepCode; }
size_t CodeOf(const ConvolutionStep&) { return kStepCode; }
size_t CodeOf(const AttentionStep&) { return kStepCode; }

// The code of a step in the function that contains it, where lists of steps that are too large for
// that function are only called. Recurses as deep as plans nest, which the verifier bounds.
size_t CodeOf(const Step& step) {
  return std::visit([](const auto& value) { return CodeOf(value); }, step.value);
}

Groups GroupsOf(absl::Span<const Step> steps) {
  Grouping grouping;
  for (const Step& step : steps) grouping.Add(CodeOf(step));
  return std::move(grouping).Take();
}

Groups GroupsOf(const SwitchStep& step) {
  Grouping grouping;
  for (const Steps& branch : step.branches) grouping.Add(kStepCode + GroupsOf(branch).code);
  return std::move(grouping).Take();
}

}  // namespace

std::vector<size_t> GroupSteps(absl::Span<const Step> steps) { return GroupsOf(steps).sizes; }

std::vector<size_t> GroupBranches(const SwitchStep& step) { return GroupsOf(step).sizes; }

}  // namespace acceld::kernels::cpu
