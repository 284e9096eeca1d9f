#include "server/compiler/plan/for_each_slice.h"

#include <variant>
#include <vector>

namespace acceld::compiler {
namespace {

using kernels::Slice;

struct Visitor {
  absl::FunctionRef<void(Slice&)> visit;

  void At(Slice& slice) const { visit(slice); }
  void At(std::vector<Slice>& slices) const {
    for (Slice& slice : slices) visit(slice);
  }
  void At(kernels::Steps& steps) const { ForEachSlice(steps, visit); }

  void In(kernels::LaunchStep& step) const { At(step.buffers); }
  void In(kernels::MatmulStep& step) const {
    At(step.lhs);
    At(step.rhs);
    At(step.out);
    if (step.epilogue.has_addend()) At(step.epilogue.addend);
    if (step.epilogue.has_bias) At(step.epilogue.bias);
  }
  void In(kernels::ConvolutionStep& step) const {
    At(step.lhs);
    At(step.rhs);
    At(step.out);
    if (step.scratch.size_bytes > 0) At(step.scratch);
  }
  void In(kernels::AttentionStep& step) const {
    for (Slice* slice : {&step.query, &step.key, &step.value, &step.out}) At(*slice);
    if (step.shape.bias.has_value()) At(step.bias);
    At(step.masks);
  }
  void In(kernels::RoutineStep& step) const {
    At(step.operands);
    At(step.results);
  }
  void In(kernels::HostCallStep& step) const {
    At(step.operands);
    At(step.results);
  }
  void In(kernels::CollectiveStep& step) const {
    At(step.operands);
    At(step.results);
  }
  void In(kernels::CopyStep& step) const {
    At(step.from);
    At(step.to);
  }
  void In(kernels::WhileStep& step) const {
    At(step.condition);
    At(step.predicate);
    At(step.body);
  }
  void In(kernels::SwitchStep& step) const {
    At(step.index);
    for (kernels::Steps& branch : step.branches) At(branch);
  }
  void In(kernels::CallStep& step) const {
    At(step.arguments);
    At(step.results);
    At(step.arena);
  }
};

}  // namespace

void ForEachSlice(kernels::Steps& steps, absl::FunctionRef<void(Slice&)> visit) {
  const Visitor visitor{visit};
  for (kernels::Step& step : steps) {
    std::visit([&](auto& value) { visitor.In(value); }, step.value);
  }
}

}  // namespace acceld::compiler
