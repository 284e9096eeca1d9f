// The part of ElementEmitter that emits branches and loops over scalars, which occur inside the
// regions of other ops.
#include "absl/strings/str_cat.h"
#include "kernels/lowering/elements/element_emitter.h"

namespace acceld::kernels {

std::vector<Var> ElementEmitter::EmitRegion(const ir::Op& op, size_t region,
                                            absl::Span<const Element> arguments,
                                            absl::Status& status) {
  absl::StatusOr<std::vector<Element>> results =
      EmitScalarRegion(*this, op.regions[region], arguments, !round_narrow_);
  status.Update(results.status());
  if (results.ok()) return PartsOf(op, *results);
  // Zeros after an error, so that the caller can complete the blocks that it has open.
  std::vector<Element> zeros;
  for (ir::ValueId result : op.results) {
    const Var zero = b_.Constant(ComputeTypeOf(TypeOf(result).dtype), 0);
    zeros.push_back({zero, zero});
  }
  return PartsOf(op, zeros);
}

std::vector<Var> ElementEmitter::EmitCases(const ir::Op& op, size_t first, size_t end, Var number,
                                           absl::Status& status) {
  if (end - first == 1) return EmitRegion(op, first, {}, status);
  const size_t middle = first + (end - first) / 2;
  const Var before = b_.Apply(ScalarOp::kLt, {number, b_.Index(static_cast<int64_t>(middle))});
  return b_.If(
      before, [&] { return EmitCases(op, first, middle, number, status); },
      [&] { return EmitCases(op, middle, end, number, status); });
}

absl::StatusOr<std::vector<Var>> ElementEmitter::EmitBranches(const ir::Op& op) {
  ACCELD_ASSIGN_OR_RETURN(const Element selector, Evaluate(op.operands[0], ElementIndex::Scalar()));
  absl::Status status;
  std::vector<Var> parts;
  if (op.kind == ir::OpKind::kIf) {
    parts = b_.If(
        selector.re, [&] { return EmitRegion(op, 0, {}, status); },
        [&] { return EmitRegion(op, 1, {}, status); });
  } else {
    // Numbers that are out of range select the last branch.
    const Var number = b_.Convert(DType::kI64, selector.re);
    const Var last = b_.Index(static_cast<int64_t>(op.regions.size()) - 1);
    const Var is_below = b_.Apply(ScalarOp::kLt, {number, b_.Index(0)});
    const Var known = b_.Select(is_below, last, b_.Apply(ScalarOp::kMin, {number, last}));
    parts = EmitCases(op, 0, op.regions.size(), known, status);
  }
  ACCELD_RETURN_IF_ERROR(status);
  return parts;
}

absl::StatusOr<std::vector<Var>> ElementEmitter::EmitWhile(const ir::Op& op) {
  std::vector<Element> initial;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(initial.emplace_back(),
                            EvaluateOperand(op, static_cast<int>(i), ElementIndex::Scalar()));
  }
  absl::Status status;
  const std::vector<Var> last = b_.While(
      PartsOf(op, initial),
      [&](absl::Span<const Var> current) {
        const absl::StatusOr<std::vector<Element>> condition =
            EmitScalarRegion(*this, op.regions[0], ElementsOf(op, current), !round_narrow_);
        status.Update(condition.status());
        return condition.ok() ? condition->front().re : b_.ConstantInt(DType::kI1, 0);
      },
      [&](absl::Span<const Var> current) {
        return EmitRegion(op, 1, ElementsOf(op, current), status);
      });
  ACCELD_RETURN_IF_ERROR(status);
  return last;
}

absl::Status ElementEmitter::EvaluateCaptured(const ir::Region& region) {
  const auto evaluate = [&](const std::vector<ir::ValueId>& ids) {
    for (ir::ValueId id : ids) {
      if (!definitions_.contains(id) || !function_.TypeOf(id).IsTensor()) continue;
      if (TypeOf(id).rank() != 0) continue;
      ACCELD_RETURN_IF_ERROR(Evaluate(id, ElementIndex::Scalar()).status());
    }
    return absl::OkStatus();
  };
  for (const ir::Op& op : region.ops) {
    ACCELD_RETURN_IF_ERROR(evaluate(op.operands));
    for (const ir::Region& inner : op.regions) ACCELD_RETURN_IF_ERROR(EvaluateCaptured(inner));
  }
  return evaluate(region.results);
}

absl::Status ElementEmitter::EmitControlFlow(const ir::Op& op) {
  for (const ir::Region& region : op.regions) ACCELD_RETURN_IF_ERROR(EvaluateCaptured(region));
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Var> parts,
                          op.kind == ir::OpKind::kWhile ? EmitWhile(op) : EmitBranches(op));
  const std::vector<Element> results = ElementsOf(op, parts);
  for (size_t i = 0; i < results.size(); ++i) {
    SetElement(op.results[i], ElementIndex::Scalar(), results[i]);
  }
  return absl::OkStatus();
}

std::vector<Var> ElementEmitter::PartsOf(const ir::Op& op,
                                         absl::Span<const Element> elements) const {
  std::vector<Var> parts;
  for (size_t i = 0; i < elements.size(); ++i) {
    parts.push_back(elements[i].re);
    if (ir::IsComplex(TypeOf(op.results[i]).dtype)) parts.push_back(elements[i].im);
  }
  return parts;
}

std::vector<Element> ElementEmitter::ElementsOf(const ir::Op& op,
                                                absl::Span<const Var> parts) const {
  std::vector<Element> elements;
  for (ir::ValueId result : op.results) {
    elements.push_back({parts[0]});
    parts.remove_prefix(1);
    if (!ir::IsComplex(TypeOf(result).dtype)) continue;
    elements.back().im = parts[0];
    parts.remove_prefix(1);
  }
  return elements;
}

absl::StatusOr<Element> ElementEmitter::If(
    Var condition, DType dtype, const std::function<absl::StatusOr<Element>()>& then,
    const std::function<absl::StatusOr<Element>()>& otherwise) {
  absl::Status status;
  const bool is_complex = ir::IsComplex(dtype);
  const auto branch = [&](const std::function<absl::StatusOr<Element>()>& body) {
    absl::StatusOr<Element> element = body();
    if (!element.ok()) {
      status.Update(element.status());
      const Var zero = b_.Constant(ComputeTypeOf(dtype), 0);
      element = Element{zero, zero};
    }
    std::vector<Var> parts = {element->re};
    if (is_complex) parts.push_back(element->im);
    return parts;
  };
  const std::vector<Var> parts =
      b_.If(condition, [&] { return branch(then); }, [&] { return branch(otherwise); });
  ACCELD_RETURN_IF_ERROR(status);
  Element element{parts[0]};
  if (is_complex) element.im = parts[1];
  return element;
}

absl::StatusOr<std::vector<Element>> EmitScalarRegion(ElementEmitter& outer,
                                                      const ir::Region& region,
                                                      absl::Span<const Element> arguments,
                                                      bool keep_precision) {
  ElementEmitter inner(outer.builder(), outer.function(), &outer);
  if (keep_precision) inner.KeepPrecision();
  if (arguments.size() != region.parameters.size()) {
    return absl::InternalError(absl::StrCat("lowering: a region of ", region.parameters.size(),
                                            " parameters gets ", arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    inner.BindElement(region.parameters[i], arguments[i]);
  }
  inner.Define(region);
  std::vector<Element> results;
  for (ir::ValueId result : region.results) {
    ACCELD_ASSIGN_OR_RETURN(const Element element, inner.Evaluate(result, ElementIndex::Scalar()));
    results.push_back(element);
  }
  return results;
}

}  // namespace acceld::kernels
