#include "common/ir/interpreter.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/ir/interpreter/machine.h"

namespace acceld::ir {
namespace {

using interpreter::Frame;
using interpreter::Machine;
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
  const std::vector<ValueId>& parameters = function->body.parameters;
  if (arguments.size() != parameters.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "@", function->name, " takes ", parameters.size(), " arguments, not ", arguments.size()));
  }
  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type& expected = function->TypeOf(parameters[i]);
    if (!(expected == Type(arguments[i].type()))) {
      return absl::InvalidArgumentError(absl::StrCat("@", function->name, ": argument ", i,
                                                     " has type ", arguments[i].type().ToString(),
                                                     ", not ", expected.ToString()));
    }
    values.push_back(Value{.tensor = arguments[i], .elements = {}});
  }
  Machine machine(&module, limits, callbacks);
  ACCELD_ASSIGN_OR_RETURN(std::vector<Value> results,
                          machine.RunFunction(*function, std::move(values)));
  return TensorsOf(*function, function->body.results, std::move(results));
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
