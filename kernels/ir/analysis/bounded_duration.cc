#include "kernels/ir/analysis/bounded_duration.h"

#include <algorithm>
#include <variant>

namespace acceld::kernels {
namespace {

bool HasWhile(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& statement) {
    if (std::holds_alternative<WhileStatement>(statement.value)) return true;
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) return HasWhile(loop->body);
    if (const auto* choice = std::get_if<IfStatement>(&statement.value)) {
      return HasWhile(choice->then_body) || HasWhile(choice->else_body);
    }
    return false;
  });
}

// A CallStep is accepted, because HasBoundedDuration checks every function of the plan.
bool HasBoundedDurationStep(const Step& step) {
  return std::holds_alternative<LaunchStep>(step.value) ||
         std::holds_alternative<CopyStep>(step.value) ||
         std::holds_alternative<MatmulStep>(step.value) ||
         std::holds_alternative<ConvolutionStep>(step.value) ||
         std::holds_alternative<AttentionStep>(step.value) ||
         std::holds_alternative<CollectiveStep>(step.value) ||
         std::holds_alternative<CallStep>(step.value);
}

bool HasCollective(const Steps& steps) {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    if (std::holds_alternative<CollectiveStep>(step.value)) return true;
    if (const auto* loop = std::get_if<WhileStep>(&step.value)) {
      return HasCollective(loop->condition) || HasCollective(loop->body);
    }
    const auto* choice = std::get_if<SwitchStep>(&step.value);
    return choice != nullptr &&
           std::any_of(choice->branches.begin(), choice->branches.end(), HasCollective);
  });
}

}  // namespace

bool HasBoundedDuration(const Plan& plan) {
  const auto has_while = [](const Kernel& kernel) { return HasWhile(kernel.body); };
  if (std::any_of(plan.kernels.begin(), plan.kernels.end(), has_while)) return false;
  return std::all_of(
      plan.functions.begin(), plan.functions.end(), [](const PlanFunction& function) {
        return std::all_of(function.steps.begin(), function.steps.end(), HasBoundedDurationStep);
      });
}

bool HasCollectives(const Plan& plan) {
  return std::any_of(plan.functions.begin(), plan.functions.end(),
                     [](const PlanFunction& function) { return HasCollective(function.steps); });
}

}  // namespace acceld::kernels
