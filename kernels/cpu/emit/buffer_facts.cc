#include "kernels/cpu/emit/buffer_facts.h"

#include <algorithm>
#include <functional>

#include "absl/types/span.h"

namespace acceld::kernels::cpu {
namespace {

void ForEachStep(const Steps& steps, const std::function<void(const Step&)>& visit) {
  for (const Step& step : steps) {
    visit(step);
    if (const auto* loop = std::get_if<WhileStep>(&step.value)) {
      ForEachStep(loop->condition, visit);
      ForEachStep(loop->body, visit);
    } else if (const auto* choice = std::get_if<SwitchStep>(&step.value)) {
      for (const Steps& branch : choice->branches) ForEachStep(branch, visit);
    }
  }
}

// Functions in an order in which callers come before callees.
std::vector<uint32_t> CallersFirst(const Plan& plan) {
  std::vector<int> open_calls(plan.functions.size(), 0);
  const auto ForEachCall = [&](uint32_t caller, const std::function<void(uint32_t)>& visit) {
    ForEachStep(plan.functions[caller].steps, [&](const Step& step) {
      if (const auto* call = std::get_if<CallStep>(&step.value)) visit(call->function);
    });
  };
  for (uint32_t f = 0; f < plan.functions.size(); ++f) {
    ForEachCall(f, [&](uint32_t callee) { ++open_calls[callee]; });
  }
  std::vector<uint32_t> order;
  for (uint32_t f = 0; f < plan.functions.size(); ++f) {
    if (open_calls[f] == 0) order.push_back(f);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    ForEachCall(order[i], [&](uint32_t callee) {
      if (--open_calls[callee] == 0) order.push_back(callee);
    });
  }
  return order;
}

// What is known of the memory of a function's arguments, results and arena.
struct Spaces {
  bool disjoint = true;  // all are disjoint, except for the pairs in may_share
  absl::Span<const InputOutputAlias> may_share;

  bool MayShare(const Slice& a, const Slice& b) const {
    if (!disjoint) return true;
    const bool argument_first = a.space == Slice::Space::kArgument;
    const Slice& argument = argument_first ? a : b;
    const Slice& result = argument_first ? b : a;
    return argument.space == Slice::Space::kArgument && result.space == Slice::Space::kResult &&
           std::find(may_share.begin(), may_share.end(),
                     InputOutputAlias{argument.index, result.index}) != may_share.end();
  }
};

// Whether two slices of one function may share bytes.
bool MayOverlap(const Slice& a, const Slice& b, const Spaces& spaces) {
  if (a.size_bytes == 0 || b.size_bytes == 0) return false;
  if (a.space == b.space && a.index == b.index) {
    return a.offset_bytes < b.offset_bytes + b.size_bytes &&
           b.offset_bytes < a.offset_bytes + a.size_bytes;
  }
  if (a.space == Slice::Space::kConstant || b.space == Slice::Space::kConstant) return false;
  return spaces.MayShare(a, b);
}

// Returns whether the callee's argument, result and arena spaces are disjoint. Arguments may
// coincide with each other, as they are only read.
bool KeepsSpacesDisjoint(const CallStep& call, const Spaces& spaces) {
  std::vector<Slice> written = call.results;
  written.push_back(call.arena);
  for (size_t i = 0; i < written.size(); ++i) {
    for (const Slice& argument : call.arguments) {
      if (MayOverlap(written[i], argument, spaces)) return false;
    }
    for (size_t j = 0; j < i; ++j) {
      if (MayOverlap(written[i], written[j], spaces)) return false;
    }
  }
  return true;
}

void AddLaunch(const Kernel& kernel, const LaunchStep& launch, const Spaces& spaces,
               std::vector<BufferFacts>& facts) {
  facts.resize(kernel.buffers.size());
  const auto IsWritten = [&](size_t i) {
    return kernel.buffers[i].access != BufferParameter::Access::kRead;
  };
  for (size_t i = 0; i < facts.size(); ++i) {
    const Slice& slice = launch.buffers[i];
    if (slice.offset_bytes % kBufferAlignment != 0) facts[i].aligned = false;
    for (size_t j = 0; j < facts.size(); ++j) {
      if (i == j || !(IsWritten(i) || IsWritten(j))) continue;
      if (MayOverlap(slice, launch.buffers[j], spaces)) facts[i].no_alias = false;
    }
  }
}

}  // namespace

PlanFacts FindPlanFacts(const Plan& plan) {
  PlanFacts facts;
  facts.kernels.resize(plan.kernels.size());
  std::vector<Spaces> spaces(plan.functions.size());
  spaces[0].may_share = plan.may_share;
  for (uint32_t f : CallersFirst(plan)) {
    ForEachStep(plan.functions[f].steps, [&](const Step& step) {
      if (const auto* launch = std::get_if<LaunchStep>(&step.value)) {
        AddLaunch(plan.kernels[launch->kernel], *launch, spaces[f], facts.kernels[launch->kernel]);
      } else if (const auto* call = std::get_if<CallStep>(&step.value)) {
        if (!KeepsSpacesDisjoint(*call, spaces[f])) {
          spaces[call->function].disjoint = false;
        }
      }
    });
  }
  return facts;
}

}  // namespace acceld::kernels::cpu
