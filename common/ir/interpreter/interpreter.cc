#include "common/ir/interpreter.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/processes/rendezvous.h"

namespace acceld::ir {
namespace {

using interpreter::Frame;
using interpreter::Machine;
using interpreter::Process;
using interpreter::Value;

absl::StatusOr<std::vector<Literal>> TensorsOf(const Function& function,
                                               const std::vector<ValueId>& ids,
                                               std::vector<Value> values) {
  std::vector<Literal> literals;
  literals.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Type& type = function.TypeOf(ids[i]);
    if (!type.IsTensor()) {
      return absl::InvalidArgumentError(absl::StrCat("result ", i, " has type ", type.ToString(),
                                                     "; the interpreter gives tensors only"));
    }
    literals.push_back(std::move(values[i].tensor));
  }
  return literals;
}

// Returns the arguments as values of the function's parameters.
absl::StatusOr<std::vector<Value>> ValuesOf(const Function& function,
                                            absl::Span<const Literal> arguments) {
  const std::vector<ValueId>& parameters = function.body.parameters;
  if (arguments.size() != parameters.size()) {
    return absl::InvalidArgumentError(absl::StrCat("@", function.name, " takes ", parameters.size(),
                                                   " arguments, not ", arguments.size()));
  }
  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type& expected = function.TypeOf(parameters[i]);
    if (!(expected == Type(arguments[i].type()))) {
      return absl::InvalidArgumentError(absl::StrCat("@", function.name, ": argument ", i,
                                                     " has type ", arguments[i].type().ToString(),
                                                     ", not ", expected.ToString()));
    }
    values.push_back(Value{.tensor = arguments[i], .elements = {}});
  }
  return values;
}

// Whether the region uses a value that it does not define. Recurses as deep as regions nest, which
// the verifier bounds.
bool Captures(const Region& region, absl::flat_hash_set<ValueId>& defined) {
  defined.insert(region.parameters.begin(), region.parameters.end());
  for (const Op& op : region.ops) {
    for (ValueId id : op.operands) {
      if (!defined.contains(id)) return true;
    }
    for (const Region& inner : op.regions) {
      if (Captures(inner, defined)) return true;
    }
    defined.insert(op.results.begin(), op.results.end());
  }
  for (ValueId id : region.results) {
    if (!defined.contains(id)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::vector<Literal>> Interpret(const Module& module, absl::string_view entry,
                                               absl::Span<const Literal> arguments,
                                               const InterpreterLimits& limits,
                                               absl::Span<const HostCallback> callbacks) {
  ACCELD_ASSIGN_OR_RETURN(const Function* function, module.Entry(entry));
  ACCELD_ASSIGN_OR_RETURN(std::vector<Value> values, ValuesOf(*function, arguments));
  Machine machine(&module, limits, callbacks);
  ACCELD_ASSIGN_OR_RETURN(std::vector<Value> results,
                          machine.RunFunction(*function, std::move(values)));
  return TensorsOf(*function, function->body.results, std::move(results));
}

absl::StatusOr<std::vector<std::vector<Literal>>> InterpretProcesses(
    const Module& module, absl::Span<const ProcessCall> calls, const InterpreterLimits& limits,
    absl::Span<const HostCallback> callbacks) {
  const ProcessGrid& grid = module.grid;
  if (static_cast<int64_t>(calls.size()) != grid.size()) {
    return absl::InvalidArgumentError(absl::StrCat("arguments for ", calls.size(),
                                                   " processes, but the program has ",
                                                   grid.num_replicas, " x ", grid.num_partitions));
  }
  std::vector<const Function*> functions;
  bool is_same_program = true;
  for (const ProcessCall& call : calls) {
    ACCELD_ASSIGN_OR_RETURN(functions.emplace_back(), module.Entry(call.entry));
    is_same_program = is_same_program && functions.back() == functions.front();
  }
  std::vector<std::vector<Literal>> results(calls.size());
  ACCELD_RETURN_IF_ERROR(
      interpreter::RunProcesses(grid, is_same_program, [&](const Process& process) -> absl::Status {
        const auto number = static_cast<size_t>(process.number);
        const Function& function = *functions[number];
        ACCELD_ASSIGN_OR_RETURN(std::vector<Value> values,
                                ValuesOf(function, calls[number].arguments));
        Machine machine(&module, limits, callbacks, &process);
        ACCELD_ASSIGN_OR_RETURN(std::vector<Value> own,
                                machine.RunFunction(function, std::move(values)));
        ACCELD_ASSIGN_OR_RETURN(results[number],
                                TensorsOf(function, function.body.results, std::move(own)));
        return absl::OkStatus();
      }));
  return results;
}

absl::StatusOr<std::vector<std::vector<Literal>>> InterpretProcesses(
    const Module& module, absl::string_view entry, absl::Span<const std::vector<Literal>> arguments,
    const InterpreterLimits& limits, absl::Span<const HostCallback> callbacks) {
  std::vector<ProcessCall> calls;
  calls.reserve(arguments.size());
  for (const std::vector<Literal>& of_one : arguments) {
    calls.push_back({.entry = std::string(entry), .arguments = of_one});
  }
  return InterpretProcesses(module, calls, limits, callbacks);
}

absl::StatusOr<std::vector<Literal>> InterpretOp(const Function& function, const Op& op,
                                                 absl::Span<const Literal> operands,
                                                 const InterpreterLimits& limits) {
  if (operands.size() != op.operands.size()) {
    return absl::InvalidArgumentError(absl::StrCat(NameOf(op.kind), ": ", operands.size(),
                                                   " operands given, ", op.operands.size(),
                                                   " expected"));
  }
  absl::flat_hash_set<ValueId> defined;
  for (const Region& region : op.regions) {
    if (Captures(region, defined)) {
      return absl::InvalidArgumentError(
          absl::StrCat(NameOf(op.kind), ": a region captures values from around the op"));
    }
  }
  std::vector<Value> values;
  for (const Literal& operand : operands)
    values.push_back(Value{.tensor = operand, .elements = {}});
  std::vector<const Value*> pointers;
  for (const Value& value : values) pointers.push_back(&value);
  Frame frame(function);
  Machine machine(nullptr, limits);
  ACCELD_ASSIGN_OR_RETURN(std::vector<Value> results,
                          machine.RunOp(frame, op, std::move(pointers)));
  return TensorsOf(function, op.results, std::move(results));
}

}  // namespace acceld::ir
