#include "kernels/lowering/reducer.h"

#include <algorithm>

#include "common/check.h"

namespace acceld::kernels {

ScalarOp CombiningOf(const ir::Region& simple_reducer, size_t i) {
  const auto definition =
      std::find_if(simple_reducer.ops.begin(), simple_reducer.ops.end(),
                   [&](const ir::Op& op) { return op.results[0] == simple_reducer.results[i]; });
  ACCELD_CHECK(definition != simple_reducer.ops.end());
  switch (definition->kind) {
    case ir::OpKind::kMultiply:
      return ScalarOp::kMultiply;
    case ir::OpKind::kMaximum:
      return ScalarOp::kMax;
    case ir::OpKind::kMinimum:
      return ScalarOp::kMin;
    case ir::OpKind::kAnd:
      return ScalarOp::kAnd;
    case ir::OpKind::kOr:
      return ScalarOp::kOr;
    case ir::OpKind::kXor:
      return ScalarOp::kXor;
    default:
      ACCELD_CHECK(definition->kind == ir::OpKind::kAdd);
      return ScalarOp::kAdd;
  }
}

Element IdentityElement(KernelBuilder& b, ScalarOp combine, DType dtype) {
  const DType part = ComputeTypeOf(dtype);
  const Var identity = b.Constant(part, IdentityOf(combine, part));
  return {identity, ir::IsComplex(dtype) ? identity : 0};
}

bool IsSelectingReducer(const ir::Region& region) {
  return std::all_of(region.ops.begin(), region.ops.end(), [](const ir::Op& op) {
    switch (op.kind) {
      case ir::OpKind::kAnd:
      case ir::OpKind::kCompare:
      case ir::OpKind::kConstant:
      case ir::OpKind::kMaximum:
      case ir::OpKind::kMinimum:
      case ir::OpKind::kNot:
      case ir::OpKind::kOr:
      case ir::OpKind::kSelect:
        return true;
      default:
        return false;
    }
  });
}

bool ReducesBlocks(const ir::Function& function, const ir::Op& reduce) {
  return reduce.As<ir::DimensionsAttributes>().dimensions == std::vector<int64_t>{1} &&
         function.TensorOf(reduce.operands[0]).rank() > 2;
}

Var AnyDiffers(KernelBuilder& b, absl::Span<const Var> values, absl::Span<const Var> others) {
  Var any = b.ConstantInt(DType::kI1, 0);
  for (size_t i = 0; i < values.size(); ++i) {
    Var value = values[i], other = others[i];
    if (const DType dtype = b.TypeOf(value); ir::IsFloat(dtype)) {
      const DType bits = ir::BitsOf(dtype) == 64 ? DType::kUI64 : DType::kUI32;
      value = b.Bitcast(bits, value);
      other = b.Bitcast(bits, other);
    }
    any = b.Apply(ScalarOp::kOr, {any, b.Apply(ScalarOp::kNe, {value, other})});
  }
  return any;
}

absl::StatusOr<std::vector<Element>> ReduceElement(ElementEmitter& emitter,
                                                   absl::Span<const ir::Op* const> reduces,
                                                   const ElementIndex& index,
                                                   absl::Span<const Element> accumulators) {
  std::vector<Element> next;
  for (const ir::Op* reduce : reduces) {
    const size_t n = reduce->results.size();
    const absl::Span<const Element> own = accumulators.subspan(next.size(), n);
    std::vector<Element> arguments(own.begin(), own.end());
    for (size_t i = 0; i < n; ++i) {
      ACCELD_ASSIGN_OR_RETURN(const Element element, emitter.Evaluate(reduce->operands[i], index));
      arguments.push_back(element);
    }
    ACCELD_ASSIGN_OR_RETURN(
        const std::vector<Element> results,
        EmitScalarRegion(emitter, reduce->regions[0], arguments, /*keep_precision=*/true));
    next.insert(next.end(), results.begin(), results.end());
  }
  return next;
}

std::vector<Var> Flatten(const std::vector<Element>& elements, absl::Span<const DType> dtypes) {
  std::vector<Var> vars;
  for (size_t i = 0; i < elements.size(); ++i) {
    vars.push_back(elements[i].re);
    if (ir::IsComplex(dtypes[i])) vars.push_back(elements[i].im);
  }
  return vars;
}

std::vector<Element> Unflatten(absl::Span<const Var> vars, absl::Span<const DType> dtypes) {
  std::vector<Element> elements;
  size_t next = 0;
  for (DType dtype : dtypes) {
    Element element{vars[next++]};
    if (ir::IsComplex(dtype)) element.im = vars[next++];
    elements.push_back(element);
  }
  return elements;
}

}  // namespace acceld::kernels
