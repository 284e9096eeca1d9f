#pragma once

#include "absl/types/span.h"
#include "common/ir/module.h"
#include "kernels/lowering/elements/element.h"

// Elementwise ops on one element: `Emit<Kind>` for each op of the elementwise list of ops.def. The
// result is not yet rounded to a narrow type; the caller does that. Source: StableHLO
// specification, the op of the same name; where it is silent, what JAX does on the CPU.
namespace acceld::kernels {

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

// The handler of an elementwise op; nullptr for other kinds.
ElementwiseHandler ElementwiseHandlerOf(ir::OpKind kind);

}  // namespace acceld::kernels
