#include "common/ir/specialize/known_values.h"

#include <utility>

#include "common/ir/interpreter.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {
namespace {

// Sizes are computed in vectors of one or two elements per dimension.
constexpr int64_t kMaxElements = 4 * limits::kMaxRank;

// Enough for a reduction of so many elements with a body of several ops, but not for a body that
// loops.
constexpr InterpreterLimits kLimits = {.max_element_ops = 16 * kMaxElements,
                                       .max_tensor_bytes = 1 << 20};

bool HoldsSizes(const Type& type) {
  return type.IsTensor() && type.tensor().IsStatic() &&
         (IsInteger(type.tensor().dtype) || type.tensor().dtype == DType::kI1) &&
         type.tensor().num_elements() <= kMaxElements;
}

bool CanEvaluate(const Op& op) {
  const OpFamily family = FamilyOf(op.kind);
  return op.results.size() == 1 &&
         (family == OpFamily::kElementwise || family == OpFamily::kIndexing ||
          op.kind == OpKind::kConstant || op.kind == OpKind::kReduce);
}

}  // namespace

const Literal* KnownValues::Find(ValueId id) const {
  const auto found = values_.find(id);
  return found == values_.end() ? nullptr : &found->second;
}

void KnownValues::Set(ValueId id, Literal value) { values_[id] = std::move(value); }

void KnownValues::Evaluate(const Function& function, const Op& op) {
  if (!CanEvaluate(op) || !HoldsSizes(function.TypeOf(op.results[0]))) return;
  std::vector<Literal> operands;
  for (ValueId id : op.operands) {
    const Literal* value = Find(id);
    if (value == nullptr) return;
    operands.push_back(*value);
  }
  absl::StatusOr<std::vector<Literal>> results = InterpretOp(function, op, operands, kLimits);
  // The result of an op that cannot be evaluated, such as one whose region captures values, is
  // unknown.
  if (results.ok()) Set(op.results[0], std::move((*results)[0]));
}

}  // namespace acceld::ir
