#pragma once

#include "common/ir/interpreter/elements/scalar.h"
#include "common/ir/op.h"

// Elementwise ops on one element. Each op has one function per class of data operand that ops.def
// lets it have: Eval<Kind>Integer (i1 and integers), Eval<Kind>Real and Eval<Kind>Complex; one that
// is missing does not link. They compute on the widest type of their class and leave rounding to
// the element type to the caller.
namespace acceld::ir::interpreter {

// What an element function may know besides its operands.
struct ElementContext {
  DType operand;  // of the data operands (not of select's predicate)
  DType result;
  const OpAttributes* attributes;
};

// `operands` holds as many elements as the op has operands.
using ElementFunction = Scalar (*)(const ElementContext& context, const Scalar* operands);

#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands)        \
  Scalar Eval##Kind##Integer(const ElementContext& context, const Scalar* operands); \
  Scalar Eval##Kind##Real(const ElementContext& context, const Scalar* operands);    \
  Scalar Eval##Kind##Complex(const ElementContext& context, const Scalar* operands);
#include "common/ir/ops.def"

// The function of an elementwise op for data operands of `dtype`; nullptr when the op does not take
// them or is not elementwise.
ElementFunction ElementFunctionOf(OpKind kind, DType dtype);

// Which operand says what class of element the op computes on.
inline int DataOperandOf(OpKind kind) { return kind == OpKind::kSelect ? 1 : 0; }

// Whether `direction` holds of two values of which one is known to be less, equal or greater
// (negative, 0, positive).
bool Holds(ComparisonDirection direction, int order);

}  // namespace acceld::ir::interpreter
