// Branches and loops over scalars, inside the regions of other ops.
#include "absl/strings/str_cat.h"
#include "kernels/lowering/element_emitter.h"

namespace acceld::kernels {

absl::StatusOr<Element> ElementEmitter::EmitBranch(const ir::Op& op, size_t result, size_t branch) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<Element> results,
                          EmitScalarRegion(*this, op.regions[branch], {}, !round_narrow_));
  return results[result];
}

absl::StatusOr<Element> ElementEmitter::EmitCases(const ir::Op& op, size_t result, size_t first,
                                                  size_t end, Var number) {
  if (end - first == 1) return EmitBranch(op, result, first);
  const size_t middle = first + (end - first) / 2;
  const Var before = b_.Apply(ScalarOp::kLt, {number, b_.Index(static_cast<int64_t>(middle))});
  return If(
      before, TypeOf(op.results[result]).dtype,
      [&] { return EmitCases(op, result, first, middle, number); },
      [&] { return EmitCases(op, result, middle, end, number); });
}

absl::StatusOr<Element> ElementEmitter::EmitBranches(const ir::Op& op, size_t result) {
  ACCELD_ASSIGN_OR_RETURN(const Element selector, Evaluate(op.operands[0], ElementIndex::Scalar()));
  if (op.kind == ir::OpKind::kIf) {
    return If(
        selector.re, TypeOf(op.results[result]).dtype, [&] { return EmitBranch(op, result, 0); },
        [&] { return EmitBranch(op, result, 1); });
  }
  // The last branch is that of every number which no other one has.
  const Var number = b_.Convert(DType::kI64, selector.re);
  const Var last = b_.Index(static_cast<int64_t>(op.regions.size()) - 1);
  const Var is_below = b_.Apply(ScalarOp::kLt, {number, b_.Index(0)});
  const Var known = b_.Select(is_below, last, b_.Apply(ScalarOp::kMin, {number, last}));
  return EmitCases(op, result, 0, op.regions.size(), known);
}

absl::Status ElementEmitter::EmitWhile(const ir::Op& op) {
  std::vector<Element> initial;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(initial.emplace_back(),
                            EvaluateOperand(op, static_cast<int>(i), ElementIndex::Scalar()));
  }
  absl::Status status;
  const auto region = [&](size_t number, absl::Span<const Var> current) {
    absl::StatusOr<std::vector<Element>> results =
        EmitScalarRegion(*this, op.regions[number], ElementsOf(op, current), !round_narrow_);
    status.Update(results.status());
    return results;
  };
  const std::vector<Var> last = b_.While(
      PartsOf(op, initial),
      [&](absl::Span<const Var> current) {
        const absl::StatusOr<std::vector<Element>> results = region(0, current);
        return results.ok() ? results->front().re : b_.ConstantInt(DType::kI1, 0);
      },
      [&](absl::Span<const Var> current) {
        const absl::StatusOr<std::vector<Element>> results = region(1, current);
        return results.ok() ? PartsOf(op, *results)
                            : std::vector<Var>(current.begin(), current.end());
      });
  ACCELD_RETURN_IF_ERROR(status);
  const std::vector<Element> results = ElementsOf(op, last);
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
