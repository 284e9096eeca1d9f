#include "absl/strings/str_cat.h"
#include "common/ir/infer.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/static_form.h"

// Ops that take shapes as values: the values are here, so each is run as its static kin. Source:
// StableHLO specification, the sections of these ops.
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
  const TensorType declared{c.result().dtype, form.dims.value_or(c.result().dims)};
  const Type declared_type = declared;
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
                                            .declared = {&declared_type, 1}}));
  if (!(types[0] == function.TypeOf(c.op.results[0]))) {
    return absl::InvalidArgumentError(absl::StrCat("the operands give ", types[0].ToString(),
                                                   ", but the result is declared ",
                                                   c.result().ToString()));
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
EvalResult EvalGetDimensionSize(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalRealDynamicSlice(EvalContext& c) { return EvalStaticForm(c); }
EvalResult EvalSetDimensionSize(EvalContext& c) { return EvalStaticForm(c); }

}  // namespace acceld::ir::interpreter
