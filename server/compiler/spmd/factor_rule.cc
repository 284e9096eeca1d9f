#include "server/compiler/spmd/factor_rule.h"

#include <algorithm>

#include "common/ir/op_table.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/spmd/rules/rules.h"

namespace acceld::compiler::spmd {
namespace {

using Rule = void (*)(const RuleContext&);
constexpr ir::OpTable<Rule> kRules = {
#define ACCELD_ELEMENTWISE_OP(Kind, ...) {ir::OpKind::k##Kind, &ElementwiseFactors},
#define ACCELD_OP(Kind, ...) {ir::OpKind::k##Kind, &Kind##Factors},
#include "common/ir/ops.def"
};

std::vector<DimensionFactors> Undivided(const ir::Function& function,
                                        const std::vector<ir::ValueId>& ids) {
  std::vector<DimensionFactors> all;
  for (const ir::ValueId id : ids) {
    const ir::Type& type = function.TypeOf(id);
    all.emplace_back(type.IsTensor() ? static_cast<size_t>(type.tensor().rank()) : 0);
  }
  return all;
}

}  // namespace

FactorRule FactorRule::Replicated(const ir::Function& function, const ir::Op& op) {
  return {.factors = {},
          .operands = Undivided(function, op.operands),
          .results = Undivided(function, op.results)};
}

FactorRules::FactorRules(const ir::Function& function)
    : function_(function), constants_(function.value_types.size()) {
  ForEachOp(function.body, [&](const ir::Op& op) {
    if (op.kind == ir::OpKind::kConstant) {
      constants_[op.results[0]] = &op.As<ir::ConstantAttributes>().value;
    } else if (op.kind == ir::OpKind::kBroadcastInDim) {
      const ir::Literal* const value = constants_[op.operands[0]];
      if (value != nullptr && value->is_splat()) constants_[op.results[0]] = value;
    }
  });
}

FactorRule FactorRules::Of(const ir::Op& op) const {
  FactorRule rule = FactorRule::Replicated(function_, op);
  kRules[op.kind]({function_, op, constants_, rule});
  return rule;
}

PartsRule FactorRules::PartsOf(const ir::Op& op, ir::OpKind combiner) const {
  FactorRule unused;
  return PartsRuleOf({function_, op, constants_, unused}, combiner);
}

void RuleContext::Keep(int64_t from, int64_t to) const {
  const int factor = rule.Add(operand(0).dims[static_cast<size_t>(from)]);
  rule.operands[0][static_cast<size_t>(from)] = {factor};
  rule.results[0][static_cast<size_t>(to)] = {factor};
}

void RuleContext::KeepAll(const std::vector<bool>& blocked) const {
  const ir::Dims& dims = result().dims;
  DimensionFactors factors(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i >= blocked.size() || !blocked[i]) factors[i] = {rule.Add(dims[i])};
  }
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (operand(i).dims == dims) rule.operands[i] = factors;
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (result(i).dims == dims) rule.results[i] = factors;
  }
}

}  // namespace acceld::compiler::spmd
