#include "common/ir/transform/iteration_values.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/ir/op_table.h"
#include "common/ir/transform/counted_loop.h"

namespace acceld::ir {
namespace {

bool IsCheap(const Function& body, const Op& op) {
  switch (op.kind) {
    case OpKind::kBroadcastInDim:
    case OpKind::kConstant:
    case OpKind::kDynamicSlice:
    case OpKind::kReshape:
    case OpKind::kSlice:
    case OpKind::kTranspose:
      return true;
    default:
      break;
  }
  if (FamilyOf(op.kind) != OpFamily::kElementwise) return false;
  const TensorType& type = body.TensorOf(op.results[0]);
  return type.rank() == 0 && (IsInteger(type.dtype) || type.dtype == DType::kI1);
}

}  // namespace

IterationValues::IterationValues(const Function& body, std::vector<bool> invariant,
                                 size_t counter_argument, const LoopCounter& counter)
    : body_(body),
      invariant_(std::move(invariant)),
      counter_argument_(counter_argument),
      counter_(counter),
      has_(body.value_types.size()) {
  for (size_t i = 0; i < body.body.parameters.size(); ++i) {
    has_[body.body.parameters[i]] = invariant_[i] || i == counter_argument_;
  }
  for (const Op& op : body.body.ops) {
    if (!IsCheap(body, op)) continue;
    has_[op.results[0]] =
        std::all_of(op.operands.begin(), op.operands.end(), [this](ValueId id) { return Has(id); });
  }
}

std::vector<bool> IterationValues::NeededFor(absl::Span<const ValueId> ids) const {
  std::vector<bool> needed(body_.value_types.size());
  for (const ValueId id : ids) needed[id] = true;
  for (auto op = body_.body.ops.rbegin(); op != body_.body.ops.rend(); ++op) {
    if (op->results.empty() || !needed[op->results[0]]) continue;
    for (const ValueId id : op->operands) needed[id] = true;
  }
  return needed;
}

std::vector<bool> IterationValues::ArgumentsOf(absl::Span<const ValueId> ids) const {
  const std::vector<bool> needed = NeededFor(ids);
  std::vector<bool> arguments;
  for (size_t i = 0; i < body_.body.parameters.size(); ++i) {
    arguments.push_back(invariant_[i] && needed[body_.body.parameters[i]]);
  }
  return arguments;
}

std::vector<ValueId> IterationValues::Emit(Emitter& e, FunctionBuilder& builder, ValueId iteration,
                                           absl::Span<const ValueId> arguments,
                                           absl::Span<const ValueId> ids) const {
  const std::vector<bool> needed = NeededFor(ids);
  absl::flat_hash_map<ValueId, ValueId> copies;  // by values of the body
  for (size_t i = 0; i < body_.body.parameters.size(); ++i) {
    const ValueId parameter = body_.body.parameters[i];
    if (!needed[parameter]) continue;
    copies[parameter] = invariant_[i]
                            ? arguments[i]
                            : CountAt(e, counter_, body_.TensorOf(parameter).dtype, iteration);
  }
  for (const Op& op : body_.body.ops) {
    if (!op.results.empty() && needed[op.results[0]]) builder.Clone(op, body_, copies);
  }
  std::vector<ValueId> values;
  for (const ValueId id : ids) values.push_back(copies.at(id));
  return values;
}

}  // namespace acceld::ir
