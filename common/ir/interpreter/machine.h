#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/interpreter.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

// The state of the interpreter: values, frames, and the machine that runs regions and functions.
// One machine serves one call of Interpret, or one of several processes; thread-compatible.
namespace acceld::ir::interpreter {

struct Process;  // processes/rendezvous.h

// A value of the program. A tensor is `tensor`; a tuple is `elements`; a token is neither.
struct Value {
  Literal tensor;
  std::vector<Value> elements;
};

// The values of one running function and of its regions, by ValueId.
struct Frame {
  explicit Frame(const Function& f) : function(f) {}
  const Function& function;
  std::vector<Value> values;
};

// Runs functions, regions and ops on values, within the limits.
class Machine {
 public:
  // `module` may be nullptr if no op calls a function. `process` is nullptr for a program that runs
  // alone. The module, the callbacks and the process must outlive the machine.
  Machine(const Module* module, const InterpreterLimits& limits,
          absl::Span<const HostCallback> callbacks = {}, const Process* process = nullptr);
  // Returns a machine like this one, with what is left of its limits, for a process that an op
  // starts.
  Machine ForProcess(const Process& process) const;

  // Runs a function. `arguments` must match its parameters.
  absl::StatusOr<std::vector<Value>> RunFunction(const Function& function,
                                                 std::vector<Value> arguments);
  // Runs the function with this name; NOT_FOUND if the module has none.
  absl::StatusOr<std::vector<Value>> RunFunction(absl::string_view name,
                                                 std::vector<Value> arguments);
  // Runs a region of the frame's function; returns its results.
  absl::StatusOr<std::vector<Value>> RunRegion(Frame& frame, const Region& region,
                                               std::vector<Value> arguments);
  // Runs one op; returns its results.
  absl::StatusOr<std::vector<Value>> RunOp(Frame& frame, const Op& op,
                                           std::vector<const Value*> operands);

  // Returns the function that a host callback calls, or nullptr if there is none.
  const HostCallback* FindCallback(int64_t number) const {
    const bool is_there = number < static_cast<int64_t>(callbacks_.size()) &&
                          callbacks_[static_cast<size_t>(number)] != nullptr;
    return is_there ? &callbacks_[static_cast<size_t>(number)] : nullptr;
  }

  // nullptr if there is none.
  const Module* module() const { return module_; }
  // Returns the process that runs on this machine; nullptr for a program that runs alone.
  const Process* process() const { return process_; }

  // Counts computed elements; RESOURCE_EXHAUSTED when they exceed the limit.
  absl::Status Charge(int64_t element_ops);
  int64_t remaining_element_ops() const { return remaining_element_ops_; }

 private:
  absl::Status CheckResultTypes(const Function& function, const Op& op) const;

  const Module* module_;
  const InterpreterLimits limits_;
  const absl::Span<const HostCallback> callbacks_;
  const Process* process_;
  int64_t remaining_element_ops_;
  int depth_ = 0;  // of the nested calls and regions that are running
};

// Returns the op's name and, if it is known, its position in the text, for messages.
std::string Describe(const Op& op);

// The input of a handler: the function below that computes an op of one kind.
struct EvalContext {
  Machine& machine;
  Frame& frame;
  const Op& op;
  std::vector<const Value*> operands;

  const Literal& operand(size_t i) const { return operands[i]->tensor; }
  // Returns the type of a tensor result, which is static and within the limits.
  const TensorType& result(size_t i = 0) const { return frame.function.TensorOf(op.results[i]); }
  template <typename Attributes>
  const Attributes& As() const {
    return op.As<Attributes>();
  }
  // Returns copies of all operands, for use as arguments.
  std::vector<Value> OperandValues() const;
};

using EvalResult = absl::StatusOr<std::vector<Value>>;

// The handlers: Eval<Kind> for each kind of op that is not elementwise, and one handler for all
// elementwise ops. A handler returns one value for each result of the op. If
// one is missing, the program does not link.
EvalResult EvalElementwise(EvalContext& context);
#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands)
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  EvalResult Eval##Kind(EvalContext& context);
#include "common/ir/ops.def"

}  // namespace acceld::ir::interpreter
