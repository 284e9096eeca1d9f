#include "absl/strings/str_cat.h"
#include "common/ir/import/static_form.h"
#include "common/ir/infer/infer.h"
#include "common/ir/interpreter/machine.h"

// Ops that take shapes as values: the values are known here, so each op is run as its static form.
// Source: StableHLO specification, the sections of these ops.
namespace acceld::ir::interpreter {
namespace {

EvalResult EvalStaticForm(EvalContext& c) {
  const auto value_of = [&](ValueId id) -> const Literal* {
    for (size_t i = 0; i < c.operands.size(); ++i) {
      if (c.op.operands[i] == id) return &c.operand(i);
    }
    return nullptr;
  };
  ACCELD_ASSIGN_OR_RETURN(const StaticForm form, ToStaticForm(c.op, c.frame.function, value_of));
  const Function& function = c.frame.function;
  const std::vector<Type> expected = function.TypesOf(c.op.results);
  std::vector<Type> declared = expected;
  if (form.dims.has_value()) {
    declared.back() = TensorType{declared.back().tensor().dtype, *form.dims};
  }
  const std::vector<Type> operand_types = function.TypesOf(form.op.operands);
  std::vector<InferContext::RegionSignature> regions;
  for (const Region& region : form.op.regions) {
    regions.push_back({function.TypesOf(region.parameters), function.TypesOf(region.results)});
  }
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Type> types,
                          InferResultTypes({.kind = form.op.kind,
                                            .attributes = form.op.attributes,
                                            .operands = operand_types,
                                            .regions = regions,
                                            .declared = declared}));
  if (types != expected) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the operands give ", ToString(types), ", but what is declared is ", ToString(expected)));
  }
  std::vector<const Value*> operands(c.operands.begin(),
                                     c.operands.begin() + form.op.operands.size());
  return c.machine.RunOp(c.frame, form.op, std::move(operands));
}

}  // namespace

EvalResult EvalDynamicBroadcastInDim(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalDynamicConv(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalDynamicGather(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalDynamicIota(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalDynamicPad(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalDynamicReduceWindow(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalDynamicReshape(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalDynamicRngBitGenerator(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalGetDimensionSize(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalRealDynamicSlice(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalSetDimensionSize(EvalContext& c) { return EvalStaticForm(c); }

}  // namespace acceld::ir::interpreter
