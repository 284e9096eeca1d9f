#include "kernels/lowering/op_kernel.h"

#include "absl/strings/str_cat.h"

namespace acceld::kernels {

Computation ComputationOf(const ir::Function& function, const ir::Op& op, std::string name) {
  return {function, op, std::move(name), op.operands, op.results, {&op}};
}

OpKernel::OpKernel(const Computation& computation, std::string name,
                   BufferParameter::Access result_access)
    : computation_(computation),
      num_operands_(computation.inputs.size()),
      builder_(std::move(name)),
      emitter_(builder_, computation.function) {
  for (size_t i = 0; i < computation.inputs.size(); ++i) {
    const uint32_t buffer = builder_.AddBuffer(
        BufferFor(absl::StrCat("in", i), computation.function.TensorOf(computation.inputs[i]),
                  BufferParameter::Access::kRead));
    emitter_.BindBuffer(computation.inputs[i], buffer);
  }
  for (size_t i = 0; i < computation.outputs.size(); ++i) {
    builder_.AddBuffer(BufferFor(absl::StrCat("out", i), computation.OutputType(i), result_access));
  }
  for (const ir::Op* inner : computation.ops) emitter_.Define(*inner);
}

absl::Status OpKernel::StoreOutput(size_t i, const ElementIndex& index) {
  ACCELD_ASSIGN_OR_RETURN(const Element element, emitter_.Evaluate(computation_.outputs[i], index));
  Store(i, index, element);
  return absl::OkStatus();
}

void OpKernel::Store(size_t result, const ElementIndex& index, const Element& element) {
  const DType dtype = computation_.function.TensorOf(computation_.op.results[result]).dtype;
  StoreElement(builder_, result_buffer(result), dtype, index.Linear(builder_), element);
}

Element OpKernel::LoadResult(size_t result, const ElementIndex& index) {
  const DType dtype = computation_.function.TensorOf(computation_.op.results[result]).dtype;
  return LoadElement(builder_, result_buffer(result), dtype, index.Linear(builder_));
}

Kernel CopyKernel(const Computation& computation, std::string name,
                  const std::vector<std::pair<size_t, size_t>>& pairs) {
  OpKernel kernel(computation, std::move(name));
  KernelBuilder& b = kernel.builder();
  for (const auto& [operand, result] : pairs) {
    const ir::TensorType& type = computation.function.TensorOf(computation.op.operands[operand]);
    const int64_t parts = ir::IsComplex(type.dtype) ? 2 : 1;
    b.For(ForStatement::Kind::kParallel, type.num_elements() * parts, [&](Var i) {
      b.Store(kernel.result_buffer(result), i, b.Load(kernel.operand_buffer(operand), i));
    });
  }
  return kernel.Finish();
}

}  // namespace acceld::kernels
