#include "kernels/cuda/emit/contraction.h"

#include <variant>

#include "kernels/ir/analysis/uses.h"

namespace acceld::kernels::cuda {

Contraction::Contraction(const Kernel& kernel) : uses_(CountUses(kernel)) { Visit(kernel.body); }

void Contraction::Visit(const Block& block) {
  for (const Statement& statement : block) {
    if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
      if (scalar->may_contract && uses_[scalar->result] == 1) {
        products_.emplace(scalar->result, scalar);
      }
    } else if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      Visit(loop->body);
    } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
      Visit(loop->condition_body);
      Visit(loop->body);
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      Visit(branch->then_body);
      Visit(branch->else_body);
    }
  }
}

Contraction::Parts Contraction::PartsOf(const ScalarStatement& sum) const {
  const bool subtracts = sum.op == ScalarOp::kSubtract;
  if (!subtracts && sum.op != ScalarOp::kAdd) return {};
  const Var left = sum.operands[0], right = sum.operands[1];
  if (const auto found = products_.find(left); found != products_.end()) {
    return {.product = found->second, .addend = right, .negates_addend = subtracts};
  }
  if (const auto found = products_.find(right); found != products_.end()) {
    return {.product = found->second, .addend = left, .negates_product = subtracts};
  }
  return {};
}

}  // namespace acceld::kernels::cuda
