#include "common/ir/interpreter/elements/elementwise.h"

#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/tensor.h"

namespace acceld::ir::interpreter {
namespace {

struct ElementFunctions {
  ElementFunction integer = nullptr;
  ElementFunction real = nullptr;
  ElementFunction complex = nullptr;
};

// Refers only to the functions that an op has; the others need not exist.
constexpr ElementFunctions kElementFunctions[] = {
#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands)          \
  {((Operands) & (kBool | kSigned | kUnsigned)) != 0 ? &Eval##Kind##Integer : nullptr, \
   ((Operands) & kFloat) != 0 ? &Eval##Kind##Real : nullptr,                           \
   ((Operands) & acceld::ir::kComplex) != 0 ? &Eval##Kind##Complex : nullptr},
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) {},
#include "common/ir/ops.def"
};
static_assert(std::size(kElementFunctions) == kNumOpKinds);

// A scalar operand is used for every element, like a splat.
bool IsUniform(const Literal& literal) { return literal.is_splat() || literal.type().dims.empty(); }

}  // namespace

ElementFunction ElementFunctionOf(OpKind kind, DType dtype) {
  const ElementFunctions& functions = kElementFunctions[static_cast<int>(kind)];
  switch (ClassOf(dtype)) {
    case DTypeClass::kBool:
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned:
      return functions.integer;
    case DTypeClass::kFloat:
      return functions.real;
    case DTypeClass::kComplex:
      return functions.complex;
  }
  return nullptr;
}

EvalResult EvalElementwise(EvalContext& c) {
  const DType dtype = c.operand(DataOperandOf(c.op.kind)).type().dtype;
  const ElementFunction function = ElementFunctionOf(c.op.kind, dtype);
  if (function == nullptr) {
    return absl::InvalidArgumentError(
        std::string("no elements of type ").append(std::string(DTypeName(dtype))));
  }
  const ElementContext element{
      .operand = dtype, .result = c.result().dtype, .attributes = &c.op.attributes};

  std::vector<TensorView> views;
  bool all_uniform = true;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    views.emplace_back(c.operand(i));
    all_uniform = all_uniform && IsUniform(c.operand(i));
  }
  std::vector<Scalar> values(views.size());
  const auto compute = [&](int64_t index) {
    for (size_t i = 0; i < views.size(); ++i) {
      values[i] = views[i].At(views[i].type().dims.empty() ? 0 : index);
    }
    return function(element, values.data());
  };

  const int64_t count = c.result().num_elements();
  if (all_uniform && count > 0) return OneResult(MakeSplat(c.result(), compute(0)));
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(count));
  TensorBuilder result(c.result());
  for (int64_t i = 0; i < count; ++i) result.Set(i, compute(i));
  return OneResult(result.Finish());
}

}  // namespace acceld::ir::interpreter
