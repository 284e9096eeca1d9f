#pragma once

#include "absl/types/span.h"
#include "common/ir/module.h"
#include "kernels/lowering/elements/element.h"

// Elementwise ops on one element: Emit<Kind> for each elementwise op of ops.def emits one element
// of the op's result. The result is not rounded to a narrow type; the caller does that. Source:
// StableHLO specification, the op of the same name; where the specification is silent, JAX's
// behaviour on the CPU.
namespace acceld::kernels {

// An elementwise op, and the elements of its operands from which to compute an element.
struct ElementwiseArguments {
  const ir::Op& op;
  DType operand_dtype;  // of the last operand: the data operand of select
  DType result_dtype;
  absl::Span<const Element> operands;

  bool is_complex() const { return ir::IsComplex(operand_dtype); }
  bool is_bool() const { return operand_dtype == DType::kI1; }
  bool is_float() const { return ir::IsFloat(operand_dtype); }
};

using ElementwiseHandler = Element (*)(KernelBuilder& b, const ElementwiseArguments& arguments);

#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands) \
  Element Emit##Kind(KernelBuilder& b, const ElementwiseArguments& arguments);
#include "common/ir/ops.def"

// Returns Emit<Kind> for an elementwise op, nullptr for other kinds.
ElementwiseHandler ElementwiseHandlerOf(ir::OpKind kind);

}  // namespace acceld::kernels
