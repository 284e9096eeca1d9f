#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/interpreter.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

// What the handlers of the interpreter work with: values, frames and the machine that runs regions
// and functions. One machine serves one call of Interpret; thread-compatible.
namespace acceld::ir::interpreter {

// A value of the program. A tensor is `tensor`; a tuple is `elements`; a token is neither.
struct Value {
  Literal tensor;
  std::vector<Value> elements;
};

// The values of one running function by ValueId, those of its regions among them.
struct Frame {
  explicit Frame(const Function& f) : function(f) {}
  const Function& function;
  std::vector<Value> values;
};

class Machine {
 public:
  // `module` may be null when no op calls a function. All outlive the machine.
  Machine(const Module* module, const InterpreterLimits& limits,
          absl::Span<const HostCallback> callbacks = {});

  // Runs a function whose parameters `arguments` match.
  absl::StatusOr<std::vector<Value>> RunFunction(const Function& function,
                                                 std::vector<Value> arguments);
  // Runs the function of this name; for calls.
  absl::StatusOr<std::vector<Value>> RunFunction(absl::string_view name,
                                                 std::vector<Value> arguments);
  absl::StatusOr<std::vector<Value>> RunRegion(Frame& frame, const Region& region,
                                               std::vector<Value> arguments);
  absl::StatusOr<std::vector<Value>> RunOp(Frame& frame, const Op& op,
                                           std::vector<const Value*> operands);

  // What a host callback of the program calls; nullptr: nobody has said.
  const HostCallback* FindCallback(int64_t number) const {
    const bool is_there = number < static_cast<int64_t>(callbacks_.size()) &&
                          callbacks_[static_cast<size_t>(number)] != nullptr;
    return is_there ? &callbacks_[static_cast<size_t>(number)] : nullptr;
  }

  // Counts element computations; RESOURCE_EXHAUSTED when they pass the limit.
  absl::Status Charge(int64_t element_ops);

 private:
  absl::Status CheckResultTypes(const Function& function, const Op& op) const;

  const Module* module_;
  const InterpreterLimits limits_;
  const absl::Span<const HostCallback> callbacks_;
  int64_t remaining_element_ops_;
  int depth_ = 0;  // of running functions and regions together
};

// What a handler may know and do.
struct EvalContext {
  Machine& machine;
  Frame& frame;
  const Op& op;
  std::vector<const Value*> operands;

  const Literal& operand(size_t i) const { return operands[i]->tensor; }
  // The type of a tensor result; static and within the limits.
  const TensorType& result(size_t i = 0) const { return frame.function.TensorOf(op.results[i]); }
  template <typename Attributes>
  const Attributes& As() const {
    return op.As<Attributes>();
  }
  // Copies of all operands, as arguments of a region or function.
  std::vector<Value> OperandValues() const;
};

using EvalResult = absl::StatusOr<std::vector<Value>>;

// The handlers: Eval<Kind> for every op that is not elementwise, and one for all that are. Each
// gives one value per result of the op. A handler that is missing does not link.
EvalResult EvalElementwise(EvalContext& context);
#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands)
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  EvalResult Eval##Kind(EvalContext& context);
#include "common/ir/ops.def"

}  // namespace acceld::ir::interpreter
