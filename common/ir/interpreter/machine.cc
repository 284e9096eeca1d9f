#include "common/ir/interpreter/machine.h"

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir::interpreter {
namespace {

using Handler = EvalResult (*)(EvalContext&);

constexpr Handler kHandlers[] = {
#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands) &EvalElementwise,
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  &Eval##Kind,
#include "common/ir/ops.def"
};
static_assert(std::size(kHandlers) == kNumOpKinds);

// Bounds the depth of nested calls and regions, so that the native stack suffices.
constexpr int kMaxRunningDepth = limits::kMaxCallDepth + limits::kMaxRegionDepth;

// Whether errors come from ops inside this op, which have annotated them.
bool RunsOtherOps(const Op& op) {
  return !op.regions.empty() || op.kind == OpKind::kCall || op.kind == OpKind::kComposite;
}

}  // namespace

std::string Describe(const Op& op) {
  const std::string name(NameOf(op.kind));
  if (op.location.line == 0) return name;
  return absl::StrCat(name, " at ", op.location.line, ":", op.location.column);
}

std::vector<Value> EvalContext::OperandValues() const {
  std::vector<Value> values;
  values.reserve(operands.size());
  for (const Value* value : operands) values.push_back(*value);
  return values;
}

Machine::Machine(const Module* module, const InterpreterLimits& limits,
                 absl::Span<const HostCallback> callbacks, const Process* process)
    : module_(module),
      limits_(limits),
      callbacks_(callbacks),
      process_(process),
      remaining_element_ops_(limits.max_element_ops) {}

Machine Machine::ForProcess(const Process& process) const {
  Machine machine = *this;
  machine.process_ = &process;
  return machine;
}

absl::Status Machine::Charge(int64_t element_ops) {
  remaining_element_ops_ -= element_ops;
  if (remaining_element_ops_ >= 0) return absl::OkStatus();
  remaining_element_ops_ = 0;
  return absl::ResourceExhaustedError(absl::StrCat("the program computes more than ",
                                                   limits_.max_element_ops,
                                                   " elements, the interpreter's limit"));
}

absl::Status Machine::CheckResultTypes(const Function& function, const Op& op) const {
  for (ValueId id : op.results) {
    const Type& type = function.TypeOf(id);
    if (!type.IsTensor()) continue;
    if (!type.tensor().IsStatic()) {
      return absl::InvalidArgumentError(absl::StrCat("the interpreter needs static types, not ",
                                                     type.ToString(), "; specialize first"));
    }
    if (type.tensor().size_bytes() > limits_.max_tensor_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a result of type ", type.ToString(), " has ", type.tensor().size_bytes(),
                       " bytes, over the interpreter's limit of ", limits_.max_tensor_bytes));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Value>> Machine::RunFunction(const Function& function,
                                                        std::vector<Value> arguments) {
  Frame frame(function);
  frame.values.resize(function.value_types.size());
  return RunRegion(frame, function.body, std::move(arguments));
}

absl::StatusOr<std::vector<Value>> Machine::RunFunction(absl::string_view name,
                                                        std::vector<Value> arguments) {
  const Function* function = module_ == nullptr ? nullptr : module_->Find(name);
  if (function == nullptr) {
    return absl::NotFoundError(absl::StrCat("there is no function '", name, "' to call"));
  }
  return RunFunction(*function, std::move(arguments));
}

absl::StatusOr<std::vector<Value>> Machine::RunRegion(Frame& frame, const Region& region,
                                                      std::vector<Value> arguments) {
  ACCELD_CHECK(arguments.size() == region.parameters.size());
  if (depth_ >= kMaxRunningDepth) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "calls and regions nest deeper than the interpreter's limit of ", kMaxRunningDepth));
  }
  ++depth_;
  // A frame of InterpretOp has no values at first, since most ops need none.
  frame.values.resize(frame.function.value_types.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    frame.values[region.parameters[i]] = std::move(arguments[i]);
  }
  for (const Op& op : region.ops) {
    std::vector<const Value*> operands;
    operands.reserve(op.operands.size());
    for (ValueId id : op.operands) operands.push_back(&frame.values[id]);
    auto results = RunOp(frame, op, std::move(operands));
    if (!results.ok()) {
      --depth_;
      return results.status();
    }
    for (size_t i = 0; i < results->size(); ++i) {
      frame.values[op.results[i]] = std::move((*results)[i]);
    }
  }
  --depth_;
  std::vector<Value> results;
  results.reserve(region.results.size());
  for (ValueId id : region.results) results.push_back(frame.values[id]);
  return results;
}

absl::StatusOr<std::vector<Value>> Machine::RunOp(Frame& frame, const Op& op,
                                                  std::vector<const Value*> operands) {
  EvalContext context{.machine = *this, .frame = frame, .op = op, .operands = std::move(operands)};
  absl::Status charged = CheckResultTypes(frame.function, op);
  if (charged.ok()) charged = Charge(1);
  if (!charged.ok()) return Annotate(charged, Describe(op));
  EvalResult results = kHandlers[static_cast<int>(op.kind)](context);
  if (!results.ok() && !RunsOtherOps(op)) return Annotate(results.status(), Describe(op));
  ACCELD_CHECK(!results.ok() || results->size() == op.results.size());
  return results;
}

}  // namespace acceld::ir::interpreter
