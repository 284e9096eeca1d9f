#pragma once

#include "common/ir/interpreter/elements/scalar.h"
#include "common/ir/op.h"

// Elementwise ops on single elements. Each op has one function for each class of data operands that
// ops.def allows: Eval<Kind>Integer (i1 and integers), Eval<Kind>Real and Eval<Kind>Complex; a
// missing one does not link. The functions compute in the widest type of their class, and the
// caller rounds the result to the element type.
namespace acceld::ir::interpreter {

// The input of an element function besides its operands.
struct ElementContext {
  DType operand;  // of the data operands, not of select's predicate
  DType result;
  const OpAttributes* attributes;
};

// Computes one element of the result. `operands` has one element for each operand of the op.
using ElementFunction = Scalar (*)(const ElementContext& context, const Scalar* operands);

#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands)        \
  Scalar Eval##Kind##Integer(const ElementContext& context, const Scalar* operands); \
  Scalar Eval##Kind##Real(const ElementContext& context, const Scalar* operands);    \
  Scalar Eval##Kind##Complex(const ElementContext& context, const Scalar* operands);
#include "common/ir/ops.def"

// Returns the function of an op for data operands of `dtype`; nullptr when the op does not take
// them or is not elementwise.
ElementFunction ElementFunctionOf(OpKind kind, DType dtype);

// Returns the index of the operand that determines the class of the elements.
inline int DataOperandOf(OpKind kind) { return kind == OpKind::kSelect ? 1 : 0; }

// Whether `direction` holds for two values of which the first is less than, equal to or greater
// than the second (`order` is negative, 0 or positive).
bool Holds(ComparisonDirection direction, int order);

}  // namespace acceld::ir::interpreter
