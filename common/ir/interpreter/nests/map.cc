#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/nests/body.h"
#include "common/ir/interpreter/tensor.h"

// Source: StableHLO specification, "map".
namespace acceld::ir::interpreter {

EvalResult EvalMap(EvalContext& c) {
  Body body(c, c.op.regions[0], /*accumulate_wide=*/false);
  std::vector<TensorView> views;
  for (size_t k = 0; k < c.operands.size(); ++k) views.emplace_back(c.operand(k));
  TensorBuilder result(c.result());
  std::vector<Scalar> arguments(views.size());
  for (int64_t i = 0; i < c.result().num_elements(); ++i) {
    for (size_t k = 0; k < views.size(); ++k) arguments[k] = views[k].At(i);
    ACCELD_ASSIGN_OR_RETURN(const absl::Span<const Scalar> mapped, body.Run(arguments));
    result.Set(i, mapped[0]);
  }
  return OneResult(result.Finish());
}

}  // namespace acceld::ir::interpreter
