#include "server/compiler/plan/alternate_buffers.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "server/compiler/plan/for_each_slice.h"

namespace acceld::compiler {
namespace {

using kernels::CopyStep;
using kernels::Slice;
using kernels::Step;
using kernels::Steps;

// The most steps of a body, those of inner loops and branches included.
constexpr size_t kMaxBodySteps = 24;
constexpr size_t kMaxConditionSteps = 4;

// The number of steps with code, inner ones included.
size_t CountSteps(const Steps& steps) {
  size_t count = steps.size();
  for (const Step& step : steps) {
    if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      count += CountSteps(loop->condition) + CountSteps(loop->body);
    } else if (const auto* choice = std::get_if<kernels::SwitchStep>(&step.value)) {
      for (const Steps& branch : choice->branches) count += CountSteps(branch);
    }
  }
  return count;
}

// Whether a step waits for the client or for other participants.
bool Waits(const Steps& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      return Waits(loop->condition) || Waits(loop->body);
    }
    if (const auto* choice = std::get_if<kernels::SwitchStep>(&step.value)) {
      return std::any_of(choice->branches.begin(), choice->branches.end(), Waits);
    }
    // What a callee does is not looked at.
    return std::holds_alternative<kernels::HostCallStep>(step.value) ||
           std::holds_alternative<kernels::CollectiveStep>(step.value) ||
           std::holds_alternative<kernels::CallStep>(step.value);
  });
}

bool IsSimple(const Steps& condition) {
  return condition.size() <= kMaxConditionSteps &&
         std::all_of(condition.begin(), condition.end(), [](const Step& step) {
           return std::holds_alternative<kernels::LaunchStep>(step.value) ||
                  std::holds_alternative<CopyStep>(step.value);
         });
}

bool IsSame(const Slice& a, const Slice& b) { return a.space == b.space && a.index == b.index; }

// The steps with the two buffers of each value exchanged.
Steps Exchanged(Steps steps, const std::vector<CopiedBack>& values) {
  ForEachSlice(steps, [&](Slice& slice) {
    for (const CopiedBack& value : values) {
      if (IsSame(slice, value.carried)) {
        slice = value.temporary;
      } else if (IsSame(slice, value.temporary)) {
        slice = value.carried;
      } else {
        continue;
      }
      return;
    }
  });
  return steps;
}

bool CopiesBack(const Step& step, const CopiedBack& value) {
  const auto* copy = std::get_if<CopyStep>(&step.value);
  return copy != nullptr && IsSame(copy->from, value.temporary) && IsSame(copy->to, value.carried);
}

}  // namespace

std::vector<CopiedBack> FindCopiedBack(const kernels::WhileStep& loop, int64_t min_bytes) {
  std::vector<CopiedBack> found;
  if (!IsSimple(loop.condition) || Waits(loop.body) || CountSteps(loop.body) > kMaxBodySteps) {
    return found;
  }
  std::vector<const CopyStep*> copies;
  for (auto step = loop.body.rbegin(); step != loop.body.rend(); ++step) {
    const auto* copy = std::get_if<CopyStep>(&step->value);
    if (copy == nullptr) break;
    copies.push_back(copy);
  }
  for (const CopyStep* copy : copies) {
    const bool is_alone = std::all_of(copies.begin(), copies.end(), [&](const CopyStep* other) {
      return other == copy || (!IsSame(other->from, copy->from) && !IsSame(other->to, copy->to) &&
                               !IsSame(other->to, copy->from));
    });
    if (is_alone && copy->from.size_bytes >= min_bytes &&
        copy->from.space == Slice::Space::kArena) {
      found.push_back({.carried = copy->to, .temporary = copy->from});
    }
  }
  return found;
}

void AlternateBuffers(const std::vector<CopiedBack>& values, kernels::WhileStep& loop) {
  Steps& body = loop.body;
  kernels::SwitchStep choice{.index = loop.predicate, .index_is_predicate = true, .branches = {}};
  choice.branches.resize(2);
  for (const CopiedBack& value : values) {
    const auto copy = std::find_if(body.begin(), body.end(),
                                   [&](const Step& step) { return CopiesBack(step, value); });
    choice.branches[1].push_back(std::move(*copy));
    body.erase(copy);
  }
  choice.branches[0] = Exchanged(body, values);
  Steps condition = Exchanged(loop.condition, values);
  std::move(condition.begin(), condition.end(), std::back_inserter(body));
  body.push_back({std::move(choice), "the next iteration"});
}

}  // namespace acceld::compiler
