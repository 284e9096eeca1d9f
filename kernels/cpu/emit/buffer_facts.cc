#include "kernels/cpu/emit/buffer_facts.h"

#include <algorithm>
#include <functional>

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

// Whether two slices of one function may share bytes. `spaces_disjoint`: its arguments, results
// and arena are different memory.
bool MayOverlap(const Slice& a, const Slice& b, bool spaces_disjoint) {
  if (a.size_bytes == 0 || b.size_bytes == 0) return false;
  if (a.space == b.space && a.index == b.index) {
    return a.offset_bytes < b.offset_bytes + b.size_bytes &&
           b.offset_bytes < a.offset_bytes + a.size_bytes;
  }
  if (a.space == Slice::Space::kConstant || b.space == Slice::Space::kConstant) return false;
  return !spaces_disjoint;
}

// Whether the callee's argument, result and arena spaces are different memory (arguments among
// themselves may coincide: nobody writes them).
bool KeepsSpacesDisjoint(const CallStep& call, bool spaces_disjoint) {
  std::vector<Slice> written = call.results;
  written.push_back(call.arena);
  for (size_t i = 0; i < written.size(); ++i) {
    for (const Slice& argument : call.arguments) {
      if (MayOverlap(written[i], argument, spaces_disjoint)) return false;
    }
    for (size_t j = 0; j < i; ++j) {
      if (MayOverlap(written[i], written[j], spaces_disjoint)) return false;
    }
  }
  return true;
}

void AddLaunch(const Kernel& kernel, const LaunchStep& launch, bool spaces_disjoint,
               std::vector<BufferFacts>& facts) {
  facts.resize(kernel.buffers.size());
  const auto IsWritten = [&](size_t i) {
    return kernel.buffers[i].access != BufferParameter::Access::kRead;
  };
  for (size_t i = 0; i < facts.size(); ++i) {
    const Slice& place = launch.buffers[i];
    if (place.offset_bytes % kBufferAlignment != 0) facts[i].aligned = false;
    for (size_t j = 0; j < facts.size(); ++j) {
      if (i == j || !(IsWritten(i) || IsWritten(j))) continue;
      if (MayOverlap(place, launch.buffers[j], spaces_disjoint)) facts[i].no_alias = false;
    }
  }
}

}  // namespace

PlanFacts FindPlanFacts(const Plan& plan) {
  PlanFacts facts;
  facts.kernels.resize(plan.kernels.size());
  std::vector<bool> disjoint(plan.functions.size(), true);
  for (uint32_t f : CallersFirst(plan)) {
    ForEachStep(plan.functions[f].steps, [&](const Step& step) {
      if (const auto* launch = std::get_if<LaunchStep>(&step.value)) {
        AddLaunch(plan.kernels[launch->kernel], *launch, disjoint[f],
                  facts.kernels[launch->kernel]);
      } else if (const auto* call = std::get_if<CallStep>(&step.value)) {
        if (!KeepsSpacesDisjoint(*call, disjoint[f])) disjoint[call->function] = false;
      }
    });
  }
  return facts;
}

}  // namespace acceld::kernels::cpu
