#include "common/ir/interpreter/nests/body.h"

#include "absl/container/flat_hash_map.h"
#include "common/ir/interpreter/tensor.h"

namespace acceld::ir::interpreter {
namespace {

bool IsScalarTensor(const Type& type) { return type.IsTensor() && type.tensor().dims.empty(); }

DType Widened(DType dtype, bool accumulate_wide) {
  const bool is_narrow = dtype == DType::kF16 || dtype == DType::kBF16;
  return accumulate_wide && is_narrow ? DType::kF32 : dtype;
}

}  // namespace

std::optional<ScalarProgram> ScalarProgram::Make(const Frame& frame, const Region& region,
                                                 bool accumulate_wide) {
  const Function& function = frame.function;
  ScalarProgram program;
  absl::flat_hash_map<ValueId, int> slots;
  const auto add_slot = [&](ValueId id, const Scalar& value) {
    slots[id] = static_cast<int>(program.slots_.size());
    program.slots_.push_back(value);
  };
  // Returns the slot of a value, or -1 if it is not a scalar. A value without a slot is not defined
  // in the region, so it is captured.
  const auto slot_of = [&](ValueId id) {
    if (!slots.contains(id)) {
      if (!IsScalarTensor(function.TypeOf(id)) || id >= frame.values.size()) return -1;
      add_slot(id, TensorView(frame.values[id].tensor).At(0));
    }
    return slots[id];
  };

  for (ValueId id : region.parameters) {
    if (!IsScalarTensor(function.TypeOf(id))) return std::nullopt;
    add_slot(id, Scalar());
  }
  for (const Op& op : region.ops) {
    if (op.results.size() != 1 || !IsScalarTensor(function.TypeOf(op.results[0]))) {
      return std::nullopt;
    }
    if (op.kind == OpKind::kConstant) {
      add_slot(op.results[0], TensorView(op.As<ConstantAttributes>().value).At(0));
      continue;
    }
    if (op.kind == OpKind::kShardingConstraint) {
      const int slot = slot_of(op.operands[0]);
      if (slot < 0) return std::nullopt;
      slots[op.results[0]] = slot;
      continue;
    }
    if (FamilyOf(op.kind) != OpFamily::kElementwise) return std::nullopt;
    const DType operand = function.TensorOf(op.operands[DataOperandOf(op.kind)]).dtype;
    Step step{
        .function = ElementFunctionOf(op.kind, operand),
        .context = {.operand = Widened(operand, accumulate_wide),
                    .result = Widened(function.TensorOf(op.results[0]).dtype, accumulate_wide),
                    .attributes = &op.attributes},
        .operands = {},
        .result = 0};
    if (step.function == nullptr) return std::nullopt;
    for (ValueId id : op.operands) {
      step.operands.push_back(slot_of(id));
      if (step.operands.back() < 0) return std::nullopt;
    }
    add_slot(op.results[0], Scalar());
    step.result = slots[op.results[0]];
    program.steps_.push_back(std::move(step));
  }
  for (ValueId id : region.results) {
    program.result_slots_.push_back(slot_of(id));
    if (program.result_slots_.back() < 0) return std::nullopt;
  }
  program.results_.resize(region.results.size());
  return program;
}

absl::Span<const Scalar> ScalarProgram::Run(absl::Span<const Scalar> arguments) {
  std::copy(arguments.begin(), arguments.end(), slots_.begin());
  std::vector<Scalar> operands;
  for (const Step& step : steps_) {
    operands.clear();
    for (int slot : step.operands) operands.push_back(slots_[slot]);
    slots_[step.result] =
        Rounded(step.context.result, step.function(step.context, operands.data()));
  }
  for (size_t i = 0; i < results_.size(); ++i) results_[i] = slots_[result_slots_[i]];
  return results_;
}

Body::Body(EvalContext& context, const Region& region, bool accumulate_wide)
    : context_(context),
      region_(region),
      program_(ScalarProgram::Make(context.frame, region, accumulate_wide)) {
  results_.resize(region.results.size());
}

absl::StatusOr<absl::Span<const Scalar>> Body::Run(absl::Span<const Scalar> arguments) {
  if (program_) {
    ACCELD_RETURN_IF_ERROR(context_.machine.Charge(program_->cost()));
    return program_->Run(arguments);
  }
  const Function& function = context_.frame.function;
  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    values.push_back(MakeSplat(function.TensorOf(region_.parameters[i]), arguments[i]));
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Value> results,
                          context_.machine.RunRegion(context_.frame, region_, std::move(values)));
  for (size_t i = 0; i < results.size(); ++i) results_[i] = TensorView(results[i].tensor).At(0);
  return absl::Span<const Scalar>(results_);
}

}  // namespace acceld::ir::interpreter
