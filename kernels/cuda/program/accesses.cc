#include "kernels/cuda/program/accesses.h"

#include "absl/algorithm/container.h"

namespace acceld::kernels::cuda {
namespace {

class Collector {
 public:
  Collector(const CudaProgram& program, std::vector<Access>& out) : program_(program), out_(out) {}

  void Add(const Steps& steps) {
    for (const Step& step : steps) Add(step);
  }
  void Add(const Step& step) {
    std::visit([this](const auto& value) { Add(value); }, step.value);
  }

 private:
  void Reads(const Slice& slice) { out_.push_back({slice, /*is_written=*/false}); }
  // A write to a result is also one to every argument with which the result may share memory.
  void Writes(const Slice& slice) {
    out_.push_back({slice, /*is_written=*/true});
    if (slice.space != Slice::Space::kResult) return;
    for (const InputOutputAlias& alias : program_.may_share) {
      if (alias.result != slice.index) continue;
      Slice argument = slice;
      argument.space = Slice::Space::kArgument;
      argument.index = alias.argument;
      out_.push_back({argument, /*is_written=*/true});
    }
  }

  void Add(const LaunchStep& launch) {
    const std::vector<uint32_t>& written = program_.kernels[launch.kernel].written;
    for (uint32_t i = 0; i < launch.buffers.size(); ++i) {
      absl::c_binary_search(written, i) ? Writes(launch.buffers[i]) : Reads(launch.buffers[i]);
    }
  }
  void Add(const CopyStep& copy) {
    Reads(copy.from);
    Writes(copy.to);
  }
  void Add(const WhileStep& loop) {
    Add(loop.condition);
    Reads(loop.predicate);
    Add(loop.body);
  }
  void Add(const SwitchStep& step) {
    Reads(step.index);
    for (const Steps& branch : step.branches) Add(branch);
  }
  void Add(const RoutineStep& step) {
    absl::c_for_each(step.operands, [this](const Slice& slice) { Reads(slice); });
    absl::c_for_each(step.results, [this](const Slice& slice) { Writes(slice); });
  }
  void Add(const HostCallStep& step) {
    absl::c_for_each(step.operands, [this](const Slice& slice) { Reads(slice); });
    absl::c_for_each(step.results, [this](const Slice& slice) { Writes(slice); });
  }
  void Add(const CollectiveStep& step) {
    absl::c_for_each(step.operands, [this](const Slice& slice) { Reads(slice); });
    absl::c_for_each(step.results, [this](const Slice& slice) { Writes(slice); });
  }
  void Add(const MatmulStep& step) {
    Reads(step.lhs);
    Reads(step.rhs);
    if (step.epilogue.has_bias) Reads(step.epilogue.bias);
    if (step.epilogue.has_addend()) Reads(step.epilogue.addend);
    Writes(step.out);
  }
  void Add(const ConvolutionStep& step) {
    Reads(step.lhs);
    Reads(step.rhs);
    Writes(step.out);
    Writes(step.scratch);
  }
  // CUDA programs have no such steps.
  void Add(const AttentionStep&) {}
  void Add(const CallStep&) {}

  const CudaProgram& program_;
  std::vector<Access>& out_;
};

}  // namespace

std::vector<Access> AccessesOf(const CudaProgram& program, const Step& step) {
  std::vector<Access> accesses;
  Collector(program, accesses).Add(step);
  return accesses;
}

}  // namespace acceld::kernels::cuda
