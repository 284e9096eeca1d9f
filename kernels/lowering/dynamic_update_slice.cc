#include "absl/strings/str_cat.h"
#include "kernels/lowering/op_kernel.h"

namespace acceld::kernels {

// Lowers to a kernel that copies the operand and a kernel that overwrites the slice; if the result
// uses the operand's memory, only the second one runs. The start indices are clamped so that the
// update fits (StableHLO specification, "dynamic_update_slice").
absl::StatusOr<LoweredOp> LowerDynamicUpdateSlice(const Computation& computation) {
  const ir::Op& op = computation.op;
  const ir::Dims& shape = computation.OutputType().dims;
  const ir::Dims& update_shape = computation.function.TensorOf(op.operands[1]).dims;
  OpKernel kernel(computation, absl::StrCat(computation.name, "_update"));
  KernelBuilder& b = kernel.builder();
  StatusSink sink;
  // The start indices are loaded outside the loops.
  std::vector<Var> starts;
  for (size_t d = 0; d < shape.size(); ++d) {
    ACCELD_ASSIGN_OR_RETURN(const Var start, kernel.emitter().EvaluateClampedIndex(
                                                 op.operands[2 + d], ElementIndex::Scalar(),
                                                 shape[d] - update_shape[d]));
    starts.push_back(start);
  }
  b.ForEach(ForStatement::Kind::kParallel, update_shape, [&](absl::Span<const Var> vars) {
    std::vector<Var> target;
    for (size_t d = 0; d < shape.size(); ++d) {
      target.push_back(b.Apply(ScalarOp::kAdd, {starts[d], vars[d]}));
    }
    const std::vector<Var> source(vars.begin(), vars.end());
    const absl::StatusOr<Element> element =
        kernel.emitter().EvaluateOperand(op, 1, ElementIndex::FromDims(source, update_shape));
    sink.Note(element.status());
    if (element.ok()) kernel.Store(0, ElementIndex::FromDims(target, shape), *element);
  });
  ACCELD_RETURN_IF_ERROR(sink.status());
  LoweredOp lowered;
  lowered.kernels.push_back(
      CopyKernel(computation, absl::StrCat(computation.name, "_copy"), {{0, 0}}));
  lowered.kernels.push_back(kernel.Finish());
  lowered.in_place_operand = 0;
  return lowered;
}

}  // namespace acceld::kernels
