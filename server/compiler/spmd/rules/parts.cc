#include <utility>

#include "server/compiler/spmd/neutral_element.h"
#include "server/compiler/spmd/rules/rules.h"

// Ops on values in parts: those for which the combination of the results is the result of the
// combinations.
namespace acceld::compiler::spmd {
namespace {

using ir::OpKind;

PartsRule OneOf(std::vector<size_t> operands) {
  return {.operands = std::move(operands), .is_joint = false};
}
PartsRule AllOf(std::vector<size_t> operands) {
  return {.operands = std::move(operands), .is_joint = true};
}

// Ops that move elements, for which it does not matter how parts are combined.
PartsRule RuleOfMove(const ir::Op& op) {
  switch (op.kind) {
    case OpKind::kBroadcastInDim:
    case OpKind::kDynamicSlice:
    case OpKind::kReshape:
    case OpKind::kReverse:
    case OpKind::kSlice:
    case OpKind::kTranspose:
      return AllOf({0});
    case OpKind::kDynamicUpdateSlice:
    case OpKind::kPad:
      return AllOf({0, 1});
    case OpKind::kSelect:
      return AllOf({1, 2});
    case OpKind::kConcatenate: {
      PartsRule rule = AllOf({});
      for (size_t i = 0; i < op.operands.size(); ++i) rule.operands.push_back(i);
      return rule;
    }
    default:
      return {};
  }
}

// A conversion of a sum is the sum of the conversions, up to rounding, if it only changes the
// precision; one of a maximum is the maximum of the conversions if it keeps the order.
bool KeepsCombination(ir::DType from, ir::DType to) {
  return (ir::IsFloat(from) && ir::IsFloat(to)) || (ir::IsComplex(from) && ir::IsComplex(to));
}

// Ops that are linear in some operands.
PartsRule RuleOfSum(const RuleContext& context) {
  const ir::Op& op = context.op;
  if (context.result().dtype == ir::DType::kI1) return {};
  switch (op.kind) {
    case OpKind::kAdd:
    case OpKind::kComplex:
    case OpKind::kSubtract:
      return AllOf({0, 1});
    case OpKind::kConvert:
      if (!KeepsCombination(context.operand(0).dtype, context.result().dtype)) return {};
      return AllOf({0});
    case OpKind::kGather:
    case OpKind::kImag:
    case OpKind::kNegate:
    case OpKind::kReal:
      return AllOf({0});
    case OpKind::kConvolution:
    case OpKind::kDotGeneral:
    case OpKind::kMultiply:
      return OneOf({0, 1});
    case OpKind::kDivide:
      return ir::IsInteger(context.result().dtype) ? PartsRule() : OneOf({0});
    case OpKind::kReduce:
    case OpKind::kScatter: {
      const bool adds = op.results.size() == 1 && CombinerOf(op.regions[0]) == OpKind::kAdd;
      if (!adds) return {};
      if (op.kind == OpKind::kScatter) return AllOf({0, 2});
      // The initial value must be zero.
      const bool may_split =
          IsSplittableReduction(context.function, op, context.constants[op.operands[1]]);
      return may_split ? AllOf({0}) : PartsRule();
    }
    default:
      return {};
  }
}

// Ops that keep the order of elements.
PartsRule RuleOfExtremum(const RuleContext& context, OpKind combiner) {
  const ir::Op& op = context.op;
  switch (op.kind) {
    case OpKind::kConvert:
      if (!ir::IsFloat(context.operand(0).dtype) || !ir::IsFloat(context.result().dtype)) return {};
      return AllOf({0});
    case OpKind::kMaximum:
    case OpKind::kMinimum:
      return op.kind == combiner ? AllOf({0, 1}) : PartsRule();
    case OpKind::kReduce:
      return op.results.size() == 1 && CombinerOf(op.regions[0]) == combiner ? AllOf({0})
                                                                             : PartsRule();
    default:
      return {};
  }
}

}  // namespace

PartsRule PartsRuleOf(const RuleContext& context, OpKind combiner) {
  if (context.op.results.size() != 1) return {};
  PartsRule rule = RuleOfMove(context.op);
  if (!rule.operands.empty()) return rule;
  return combiner == OpKind::kAdd ? RuleOfSum(context) : RuleOfExtremum(context, combiner);
}

}  // namespace acceld::compiler::spmd
