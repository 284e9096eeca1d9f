#include "kernels/ir/build/inline_calls.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::kernels {
namespace {

// The argument, result and arena spaces of one call of a function, as slices of the entry's spaces.
struct Frame {
  std::vector<Slice> arguments, results;
  Slice arena;
};

class Inliner {
 public:
  Inliner(const Plan& plan, int64_t max_steps) : plan_(plan), max_steps_(max_steps) {}

  absl::StatusOr<Steps> InlineEntry() {
    Frame frame;
    const PlanFunction& entry = plan_.entry();
    for (uint32_t i = 0; i < entry.arguments.size(); ++i) {
      frame.arguments.push_back({.space = Slice::Space::kArgument, .index = i});
    }
    for (uint32_t i = 0; i < entry.results.size(); ++i) {
      frame.results.push_back({.space = Slice::Space::kResult, .index = i});
    }
    Steps out;
    ACCELD_RETURN_IF_ERROR(Inline(entry.steps, frame, out));
    return out;
  }

 private:
  static Slice In(const Frame& frame, Slice slice) {
    const Slice* space = nullptr;
    switch (slice.space) {
      case Slice::Space::kArgument:
        space = &frame.arguments[slice.index];
        break;
      case Slice::Space::kResult:
        space = &frame.results[slice.index];
        break;
      case Slice::Space::kArena:
        space = &frame.arena;
        break;
      case Slice::Space::kConstant:
        return slice;
    }
    slice.space = space->space;
    slice.index = space->index;
    slice.offset_bytes += space->offset_bytes;
    return slice;
  }

  static std::vector<Slice> In(const Frame& frame, std::vector<Slice> slices) {
    for (Slice& slice : slices) slice = In(frame, slice);
    return slices;
  }

  absl::Status Inline(const Steps& steps, const Frame& frame, Steps& out) {
    for (const Step& step : steps) {
      if (++num_steps_ > max_steps_) {
        return absl::ResourceExhaustedError(
            absl::StrCat("plan: more than ", max_steps_, " steps with its calls inlined"));
      }
      ACCELD_RETURN_IF_ERROR(std::visit(
          [&](const auto& value) { return Add(value, step.comment, frame, out); }, step.value));
    }
    return absl::OkStatus();
  }

  absl::Status Add(LaunchStep step, const std::string& comment, const Frame& frame, Steps& out) {
    step.buffers = In(frame, std::move(step.buffers));
    out.push_back({std::move(step), comment});
    return absl::OkStatus();
  }

  absl::Status Add(MatmulStep step, const std::string& comment, const Frame& frame, Steps& out) {
    step.lhs = In(frame, step.lhs);
    step.rhs = In(frame, step.rhs);
    step.out = In(frame, step.out);
    MatmulEpilogue& epilogue = step.epilogue;
    if (epilogue.has_addend()) epilogue.addend = In(frame, epilogue.addend);
    if (epilogue.has_bias) epilogue.bias = In(frame, epilogue.bias);
    out.push_back({std::move(step), comment});
    return absl::OkStatus();
  }

  absl::Status Add(ConvolutionStep step, const std::string& comment, const Frame& frame,
                   Steps& out) {
    step.lhs = In(frame, step.lhs);
    step.rhs = In(frame, step.rhs);
    step.out = In(frame, step.out);
    step.scratch = In(frame, step.scratch);
    out.push_back({std::move(step), comment});
    return absl::OkStatus();
  }

  absl::Status Add(AttentionStep step, const std::string& comment, const Frame& frame, Steps& out) {
    for (Slice* slice : {&step.query, &step.key, &step.value, &step.out}) {
      *slice = In(frame, *slice);
    }
    if (step.shape.bias.has_value()) step.bias = In(frame, step.bias);
    step.masks = In(frame, std::move(step.masks));
    out.push_back({std::move(step), comment});
    return absl::OkStatus();
  }

  absl::Status Add(RoutineStep step, const std::string& comment, const Frame& frame, Steps& out) {
    step.operands = In(frame, std::move(step.operands));
    step.results = In(frame, std::move(step.results));
    out.push_back({std::move(step), comment});
    return absl::OkStatus();
  }

  absl::Status Add(HostCallStep step, const std::string& comment, const Frame& frame, Steps& out) {
    step.operands = In(frame, std::move(step.operands));
    step.results = In(frame, std::move(step.results));
    out.push_back({std::move(step), comment});
    return absl::OkStatus();
  }

  absl::Status Add(CollectiveStep step, const std::string& comment, const Frame& frame,
                   Steps& out) {
    step.operands = In(frame, std::move(step.operands));
    step.results = In(frame, std::move(step.results));
    out.push_back({std::move(step), comment});
    return absl::OkStatus();
  }

  absl::Status Add(CopyStep step, const std::string& comment, const Frame& frame, Steps& out) {
    step.from = In(frame, step.from);
    step.to = In(frame, step.to);
    out.push_back({step, comment});
    return absl::OkStatus();
  }

  // Inlines the steps inside a WhileStep or SwitchStep.
  absl::Status InlineInside(const Steps& steps, const Frame& frame, Steps& out) {
    if (++depth_ > kMaxStepDepth) {
      return absl::ResourceExhaustedError(absl::StrCat("plan: loops and branches are more than ",
                                                       kMaxStepDepth, " deep with calls inlined"));
    }
    ACCELD_RETURN_IF_ERROR(Inline(steps, frame, out));
    --depth_;
    return absl::OkStatus();
  }

  absl::Status Add(const WhileStep& step, const std::string& comment, const Frame& frame,
                   Steps& out) {
    WhileStep inlined{.predicate = In(frame, step.predicate)};
    ACCELD_RETURN_IF_ERROR(InlineInside(step.condition, frame, inlined.condition));
    ACCELD_RETURN_IF_ERROR(InlineInside(step.body, frame, inlined.body));
    out.push_back({std::move(inlined), comment});
    return absl::OkStatus();
  }

  absl::Status Add(const SwitchStep& step, const std::string& comment, const Frame& frame,
                   Steps& out) {
    SwitchStep inlined{.index = In(frame, step.index),
                       .index_is_predicate = step.index_is_predicate};
    for (const Steps& branch : step.branches) {
      ACCELD_RETURN_IF_ERROR(InlineInside(branch, frame, inlined.branches.emplace_back()));
    }
    out.push_back({std::move(inlined), comment});
    return absl::OkStatus();
  }

  absl::Status Add(const CallStep& step, const std::string&, const Frame& frame, Steps& out) {
    const Frame callee{.arguments = In(frame, step.arguments),
                       .results = In(frame, step.results),
                       .arena = In(frame, step.arena)};
    return Inline(plan_.functions[step.function].steps, callee, out);
  }

  const Plan& plan_;
  const int64_t max_steps_;
  int64_t num_steps_ = 0;
  int depth_ = 0;
};

}  // namespace

absl::StatusOr<Steps> InlineCalls(const Plan& plan, int64_t max_steps) {
  return Inliner(plan, max_steps).InlineEntry();
}

}  // namespace acceld::kernels
