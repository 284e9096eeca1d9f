#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/calls/host_callback.h"
#include "common/ir/calls/sharding_targets.h"
#include "common/ir/calls/uninitialized.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/tensor.h"

// Constants, control flow, calls and tuples. Source: StableHLO specification, the sections of these
// ops.
namespace acceld::ir::interpreter {
namespace {

// The callback sees the tensors, not the tokens.
EvalResult EvalHostCallback(EvalContext& c) {
  ACCELD_ASSIGN_OR_RETURN(const int64_t number, HostCallbackOf(c.As<CustomCallAttributes>()));
  const HostCallback* const callback = c.machine.FindCallback(number);
  if (callback == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("the program calls host callback ", number, ", which is not given"));
  }
  std::vector<Literal> operands;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (c.frame.function.TypeOf(c.op.operands[i]).IsTensor()) operands.push_back(c.operand(i));
  }
  std::vector<TensorType> expected;
  for (ValueId id : c.op.results) {
    const Type& type = c.frame.function.TypeOf(id);
    if (type.IsTensor()) expected.push_back(type.tensor());
  }
  absl::StatusOr<std::vector<Literal>> given = (*callback)(operands);
  if (!given.ok()) return Annotate(given.status(), absl::StrCat("host callback ", number));
  ACCELD_RETURN_IF_ERROR(CheckHostResults(number, expected, *given));
  std::vector<Value> results;
  size_t next = 0;
  for (ValueId id : c.op.results) {
    Value& result = results.emplace_back();
    if (c.frame.function.TypeOf(id).IsTensor()) result.tensor = std::move((*given)[next++]);
  }
  return results;
}

}  // namespace

// Tokens carry no value: everything here runs in program order.
EvalResult EvalAfterAll(EvalContext&) { return OneResult(Value()); }

EvalResult EvalCall(EvalContext& c) {
  return c.machine.RunFunction(c.As<CallAttributes>().callee.name, c.OperandValues());
}

// An index out of range takes the last branch.
EvalResult EvalCase(EvalContext& c) {
  const auto branches = static_cast<int64_t>(c.op.regions.size());
  const int64_t index = TensorView(c.operand(0)).IndexAt(0);
  const int64_t branch = index < 0 || index >= branches ? branches - 1 : index;
  return c.machine.RunRegion(c.frame, c.op.regions[branch], {});
}

// A composite is executed as a call of its decomposition.
EvalResult EvalComposite(EvalContext& c) {
  return c.machine.RunFunction(c.As<CompositeAttributes>().decomposition.name, c.OperandValues());
}

EvalResult EvalConstant(EvalContext& c) {
  return OneResult(Value{.tensor = c.As<ConstantAttributes>().value, .elements = {}});
}

EvalResult EvalCreateToken(EvalContext&) { return OneResult(Value()); }

EvalResult EvalCustomCall(EvalContext& c) {
  const std::string& target = c.As<CustomCallAttributes>().call_target_name;
  const bool is_identity =
      IsPlacementTarget(target) && c.op.operands.size() == 1 && c.op.results.size() == 1 &&
      c.frame.function.TypeOf(c.op.operands[0]) == c.frame.function.TypeOf(c.op.results[0]);
  if (is_identity) return c.OperandValues();
  if (target == kHostCallbackTarget) return EvalHostCallback(c);
  if (target == kUninitializedTarget) {
    const TensorType& type = c.frame.function.TensorOf(c.op.results[0]);
    const double value = IsFloat(type.dtype) ? std::numeric_limits<double>::quiet_NaN() : 1;
    return OneResult(Value{.tensor = Literal::Filled(type, value), .elements = {}});
  }
  return absl::UnimplementedError(
      absl::StrCat("the interpreter gives no meaning to the target '", target, "'"));
}

EvalResult EvalFusion(EvalContext& c) {
  return c.machine.RunRegion(c.frame, c.op.regions[0], c.OperandValues());
}

EvalResult EvalGetTupleElement(EvalContext& c) {
  return OneResult(c.operands[0]->elements[c.As<IndexAttributes>().index]);
}

EvalResult EvalIf(EvalContext& c) {
  const bool condition = TensorView(c.operand(0)).IndexAt(0) != 0;
  return c.machine.RunRegion(c.frame, c.op.regions[condition ? 0 : 1], {});
}

EvalResult EvalOptimizationBarrier(EvalContext& c) { return c.OperandValues(); }

EvalResult EvalTuple(EvalContext& c) {
  return OneResult(Value{.tensor = Literal(), .elements = c.OperandValues()});
}

EvalResult EvalWhile(EvalContext& c) {
  std::vector<Value> carried = c.OperandValues();
  while (true) {
    ACCELD_ASSIGN_OR_RETURN(const std::vector<Value> condition,
                            c.machine.RunRegion(c.frame, c.op.regions[0], carried));
    if (TensorView(condition[0].tensor).IndexAt(0) == 0) return carried;
    ACCELD_ASSIGN_OR_RETURN(carried,
                            c.machine.RunRegion(c.frame, c.op.regions[1], std::move(carried)));
    ACCELD_RETURN_IF_ERROR(c.machine.Charge(1));
  }
}

}  // namespace acceld::ir::interpreter
