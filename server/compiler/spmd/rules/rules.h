#pragma once

#include "absl/types/span.h"
#include "server/compiler/spmd/factor_rule.h"

// The rules of the kinds of ops: a function for each kind in one of the sources of this folder. If
// one is missing, the program does not link.
namespace acceld::compiler::spmd {

// What a rule is made from, and the rule, which is Replicated at first.
struct RuleContext {
  const ir::Function& function;
  const ir::Op& op;
  // By ValueId: constants, and the scalars of which broadcasts consist; nullptr for other values.
  absl::Span<const ir::Literal* const> constants;
  FactorRule& rule;

  const ir::TensorType& operand(size_t i) const { return function.TensorOf(op.operands[i]); }
  const ir::TensorType& result(size_t i = 0) const { return function.TensorOf(op.results[i]); }
  template <typename Attributes>
  const Attributes& As() const {
    return op.As<Attributes>();
  }
  // Adds a factor of the size of dimension `from` of operand 0, which dimension `to` of result 0
  // has too.
  void Keep(int64_t from, int64_t to) const;
  // Gives each operand and each result whose shape is that of result 0 the same factors, one for
  // each dimension but those in `blocked`.
  void KeepAll(const std::vector<bool>& blocked = {}) const;
};

void ElementwiseFactors(const RuleContext& context);
#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands)
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  void Kind##Factors(const RuleContext& context);
#include "common/ir/ops.def"

// The rule of any op for values in parts.
PartsRule PartsRuleOf(const RuleContext& context, ir::OpKind combiner);

}  // namespace acceld::compiler::spmd
