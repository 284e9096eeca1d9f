#include "absl/strings/str_cat.h"
#include "common/ir/verify/limits.h"
#include "kernels/cpu/emit/buffer_facts.h"
#include "kernels/ir/analysis/verify_kernel.h"

namespace acceld::kernels::cpu {
namespace {

class PlanChecker {
 public:
  explicit PlanChecker(const Plan& plan) : plan_(plan) {}

  absl::Status Check() {
    if (plan_.functions.empty()) return absl::InternalError("plan: it has no functions");
    for (const Kernel& kernel : plan_.kernels) ACCELD_RETURN_IF_ERROR(VerifyKernel(kernel));
    for (const InputOutputAlias& alias : plan_.may_share) {
      const PlanFunction& entry = plan_.entry();
      if (alias.argument >= entry.arguments.size() || alias.result >= entry.results.size() ||
          entry.arguments[alias.argument].size_bytes() !=
              entry.results[alias.result].size_bytes()) {
        return absl::InternalError("plan: an argument and a result of two sizes share memory");
      }
    }
    for (const PlanFunction& function : plan_.functions) {
      function_ = &function;
      callees_.emplace_back();
      ACCELD_RETURN_IF_ERROR(CheckSteps(function.steps, 0));
    }
    states_.resize(plan_.functions.size(), State::kUnseen);
    for (uint32_t f = 0; f < plan_.functions.size(); ++f) {
      ACCELD_RETURN_IF_ERROR(CheckCalls(f, 0));
    }
    return absl::OkStatus();
  }

 private:
  enum class State : uint8_t { kUnseen, kOpen, kDone };

  absl::Status Wrong(absl::string_view what) const {
    return absl::InternalError(absl::StrCat("plan function '", function_->name, "': ", what));
  }

  absl::Status CheckSlice(const Slice& slice) const {
    int64_t bytes = 0;
    switch (slice.space) {
      case Slice::Space::kArgument:
        if (slice.index >= function_->arguments.size()) {
          return Wrong(absl::StrCat("no argument ", slice.index));
        }
        bytes = function_->arguments[slice.index].size_bytes();
        break;
      case Slice::Space::kResult:
        if (slice.index >= function_->results.size()) {
          return Wrong(absl::StrCat("no result ", slice.index));
        }
        bytes = function_->results[slice.index].size_bytes();
        break;
      case Slice::Space::kArena:
        bytes = function_->arena_bytes;
        break;
      case Slice::Space::kConstant:
        bytes = static_cast<int64_t>(plan_.constants.size());
        break;
    }
    if (slice.offset_bytes < 0 || slice.size_bytes < 0 || slice.size_bytes > bytes ||
        slice.offset_bytes > bytes - slice.size_bytes) {
      return Wrong(
          absl::StrCat("slice ", ToString(slice), " ends past its space of ", bytes, " bytes"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckSlices(const std::vector<Slice>& slices) const {
    for (const Slice& slice : slices) ACCELD_RETURN_IF_ERROR(CheckSlice(slice));
    return absl::OkStatus();
  }

  absl::Status CheckStep(const LaunchStep& step, int) const {
    if (step.kernel >= plan_.kernels.size()) {
      return Wrong(absl::StrCat("no kernel ", step.kernel));
    }
    const Kernel& kernel = plan_.kernels[step.kernel];
    if (step.buffers.size() != kernel.buffers.size()) {
      return Wrong(absl::StrCat("kernel '", kernel.name, "' takes ", kernel.buffers.size(),
                                " buffers, not ", step.buffers.size()));
    }
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      ACCELD_RETURN_IF_ERROR(CheckSlice(step.buffers[i]));
      const BufferParameter& buffer = kernel.buffers[i];
      const int64_t needed = buffer.num_elements * ir::StorageBytesOf(buffer.dtype);
      if (step.buffers[i].size_bytes < needed) {
        return Wrong(absl::StrCat("kernel '", kernel.name, "' needs ", needed, " bytes for '",
                                  buffer.name, "', not ", step.buffers[i].size_bytes));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckStep(const MatmulStep& step, int) const {
    if (!step.epilogue.IsNone()) return Wrong("a product with an epilogue");
    return CheckSlices({step.lhs, step.rhs, step.out});
  }

  absl::Status CheckStep(const ConvolutionStep& step, int) const {
    return CheckSlices({step.lhs, step.rhs, step.out});
  }

  absl::Status CheckStep(const AttentionStep&, int) const { return Wrong("attention"); }

  absl::Status CheckStep(const RoutineStep& step, int) const {
    if (const absl::Status status = CheckRoutine(step.call); !status.ok()) {
      return Wrong(status.message());
    }
    ACCELD_RETURN_IF_ERROR(CheckBuffers(step.operands, step.call.operands));
    return CheckBuffers(step.results, step.call.results);
  }

  absl::Status CheckStep(const HostCallStep& step, int) const {
    ACCELD_RETURN_IF_ERROR(CheckBuffers(step.operands, step.call.operands));
    return CheckBuffers(step.results, step.call.results);
  }

  absl::Status CheckStep(const CollectiveStep& step, int) const {
    if (const absl::Status status = CheckCollective(step.collective); !status.ok()) {
      return Wrong(status.message());
    }
    ACCELD_RETURN_IF_ERROR(CheckBuffers(step.operands, step.collective.operands));
    return CheckBuffers(step.results, step.collective.results);
  }

  absl::Status CheckBuffers(const std::vector<Slice>& slices,
                            const std::vector<ir::TensorType>& types) const {
    if (slices.size() != types.size()) {
      return Wrong(absl::StrCat("call: ", slices.size(), " slices for ", types.size()));
    }
    for (size_t i = 0; i < slices.size(); ++i) {
      if (slices[i].size_bytes != types[i].size_bytes()) {
        return Wrong(absl::StrCat("call: ", types[i].ToString(), " in ", ToString(slices[i])));
      }
    }
    return CheckSlices(slices);
  }

  absl::Status CheckStep(const CopyStep& step, int) const {
    if (step.from.size_bytes != step.to.size_bytes) {
      return Wrong(
          absl::StrCat("copy of ", step.from.size_bytes, " bytes to ", step.to.size_bytes));
    }
    return CheckSlices({step.from, step.to});
  }

  absl::Status CheckStep(const WhileStep& step, int depth) {
    ACCELD_RETURN_IF_ERROR(CheckSlice(step.predicate));
    if (step.predicate.size_bytes < 1) return Wrong("while: the predicate has no bytes");
    ACCELD_RETURN_IF_ERROR(CheckSteps(step.condition, depth + 1));
    return CheckSteps(step.body, depth + 1);
  }

  absl::Status CheckStep(const SwitchStep& step, int depth) {
    ACCELD_RETURN_IF_ERROR(CheckSlice(step.index));
    if (step.index.size_bytes < (step.index_is_predicate ? 1 : 4)) {
      return Wrong("switch: the index has too few bytes");
    }
    if (step.branches.empty() || (step.index_is_predicate && step.branches.size() != 2)) {
      return Wrong(absl::StrCat("switch: ", step.branches.size(), " branches"));
    }
    for (const Steps& branch : step.branches) {
      ACCELD_RETURN_IF_ERROR(CheckSteps(branch, depth + 1));
    }
    return absl::OkStatus();
  }

  absl::Status CheckStep(const CallStep& step, int) {
    if (step.function >= plan_.functions.size()) {
      return Wrong(absl::StrCat("no function ", step.function));
    }
    if (step.function == 0) return Wrong("a call of the first function");
    const PlanFunction& callee = plan_.functions[step.function];
    if (step.arguments.size() != callee.arguments.size() ||
        step.results.size() != callee.results.size()) {
      return Wrong(absl::StrCat("call of '", callee.name, "' with ", step.arguments.size(),
                                " arguments and ", step.results.size(), " results"));
    }
    callees_.back().push_back(step.function);
    ACCELD_RETURN_IF_ERROR(CheckSlices(step.arguments));
    ACCELD_RETURN_IF_ERROR(CheckSlices(step.results));
    return CheckSlice(step.arena);
  }

  absl::Status CheckSteps(const Steps& steps, int depth) {
    // A region of the program may become two levels of steps, for example if its condition is a
    // kernel.
    if (depth > 2 * ir::limits::kMaxRegionDepth) return Wrong("steps are nested too deep");
    for (const Step& step : steps) {
      ACCELD_RETURN_IF_ERROR(
          std::visit([&](const auto& value) { return CheckStep(value, depth); }, step.value));
    }
    return absl::OkStatus();
  }

  absl::Status CheckCalls(uint32_t function, int depth) {
    if (states_[function] == State::kDone) return absl::OkStatus();
    function_ = &plan_.functions[function];
    if (states_[function] == State::kOpen) return Wrong("it calls itself");
    if (depth > ir::limits::kMaxCallDepth) return Wrong("calls are nested too deep");
    states_[function] = State::kOpen;
    for (uint32_t callee : callees_[function]) {
      ACCELD_RETURN_IF_ERROR(CheckCalls(callee, depth + 1));
    }
    states_[function] = State::kDone;
    return absl::OkStatus();
  }

  const Plan& plan_;
  const PlanFunction* function_ = nullptr;
  std::vector<std::vector<uint32_t>> callees_;
  std::vector<State> states_;
};

}  // namespace

absl::Status CheckPlan(const Plan& plan) { return PlanChecker(plan).Check(); }

}  // namespace acceld::kernels::cpu
