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
  void Writes(const Slice& slice) { out_.push_back({slice, /*is_written=*/true}); }

  void Add(const LaunchStep& launch) {
    const std::vector<uint32_t>& written = program_.kernels[launch.kernel].written;
    for (uint32_t i = 0; i < launch.buffers.size(); ++i) {
      out_.push_back({launch.buffers[i], absl::c_binary_search(written, i)});
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
  // These programs have none.
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
