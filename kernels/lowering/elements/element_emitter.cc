#include "kernels/lowering/elements/element_emitter.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "kernels/lowering/elements/elementwise.h"
#include "kernels/lowering/indexing.h"
#include "kernels/lowering/lower.h"

namespace acceld::kernels {
namespace {

// A substitute for an element of an empty tensor, which only code that never runs can read.
Element ZeroElement(KernelBuilder& b, DType dtype) {
  const Var zero = b.Constant(ComputeTypeOf(dtype), 0);
  return {zero, zero};
}

}  // namespace

ElementEmitter::MemoKey ElementEmitter::KeyOf(ir::ValueId value, const ElementIndex& index) {
  MemoKey key{value, {}};
  for (const ElementIndex::Group& group : index.groups()) {
    key.vars.push_back(group.var);
    key.vars.push_back(static_cast<Var>(group.num_dims));
  }
  return key;
}

const Element* ElementEmitter::Find(ir::ValueId value, const ElementIndex& index) const {
  const auto bound = elements_.find(value);
  if (bound != elements_.end()) return &bound->second;
  const auto found = memo_.find(KeyOf(value, index));
  if (found == memo_.end() || !b_.IsOpen(found->second.scope)) return nullptr;
  return &found->second.element;
}

void ElementEmitter::SetElement(ir::ValueId value, const ElementIndex& index,
                                const Element& element) {
  memo_[KeyOf(value, index)] = {b_.scope(), element};
}

void ElementEmitter::Define(const ir::Op& op) {
  for (ir::ValueId result : op.results) definitions_[result] = &op;
}

void ElementEmitter::Define(const ir::Region& region) {
  for (const ir::Op& op : region.ops) Define(op);
}

std::vector<Var> ElementEmitter::DimsOf(const ElementIndex& index) {
  needed_division_ |= index.NeedsDivision();
  return index.Dims(b_);
}

const ir::Op* ElementEmitter::ElementwiseDefinition(ir::ValueId value) const {
  if (buffers_.contains(value)) return nullptr;
  const auto found = definitions_.find(value);
  if (found == definitions_.end()) return nullptr;
  return ElementwiseHandlerOf(found->second->kind) != nullptr ? found->second : nullptr;
}

ElementIndex ElementEmitter::OperandIndex(const ir::Op& op, ir::ValueId operand,
                                          const ElementIndex& index) const {
  const bool scalar = TypeOf(operand).rank() == 0 && TypeOf(op.results[0]).rank() != 0;
  return scalar ? ElementIndex::Scalar() : index;
}

absl::StatusOr<Element> ElementEmitter::Evaluate(ir::ValueId value, const ElementIndex& index) {
  if (const Element* known = Find(value, index)) return *known;
  if (depth_ >= kMaxDepth) {
    return absl::ResourceExhaustedError(
        absl::StrCat("fusion: more than ", kMaxDepth, " index changes on one path"));
  }
  if (b_.num_vars() > kMaxVars) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a kernel would compute more than ", kMaxVars, " values"));
  }
  ++depth_;
  const absl::Status status = EmitChain(value, index);
  --depth_;
  ACCELD_RETURN_IF_ERROR(status);
  return *Find(value, index);
}

// Emits elementwise ops at one index, operands first. Uses an explicit stack instead of recursion,
// because chains may be long.
absl::Status ElementEmitter::EmitChain(ir::ValueId value, const ElementIndex& index) {
  struct Pending {
    ir::ValueId value;
    bool scalar;  // whether to evaluate the value at the scalar index instead of `index`
  };
  const ElementIndex scalar_index = ElementIndex::Scalar();
  std::vector<Pending> stack = {{value, false}};
  while (!stack.empty()) {
    const Pending top = stack.back();
    const ElementIndex& at = top.scalar ? scalar_index : index;
    if (Find(top.value, at) != nullptr) {
      stack.pop_back();
      continue;
    }
    const ir::Op* op = ElementwiseDefinition(top.value);
    if (op == nullptr) {
      ACCELD_ASSIGN_OR_RETURN(const Element element, EmitLeaf(top.value, at));
      SetElement(top.value, at, element);
      stack.pop_back();
      continue;
    }
    bool ready = true;
    // The last operand is pushed first, so that operands are computed in order.
    for (size_t i = op->operands.size(); i-- > 0;) {
      const ElementIndex operand_index = OperandIndex(*op, op->operands[i], at);
      if (Find(op->operands[i], operand_index) != nullptr) continue;
      ready = false;
      stack.push_back({op->operands[i], top.scalar || operand_index.groups().empty()});
    }
    if (!ready) continue;
    ACCELD_ASSIGN_OR_RETURN(const Element element, EmitElementwise(*op, at));
    SetElement(top.value, at, element);
    stack.pop_back();
  }
  return absl::OkStatus();
}

absl::StatusOr<Element> ElementEmitter::EmitElementwise(const ir::Op& op,
                                                        const ElementIndex& index) {
  std::vector<Element> operands;
  for (ir::ValueId operand : op.operands) {
    operands.push_back(*Find(operand, OperandIndex(op, operand, index)));
  }
  // The last operand has the data type: all operands of clamp have it, and the last one of select.
  const ElementwiseArguments arguments{op, TypeOf(op.operands.back()).dtype,
                                       TypeOf(op.results[0]).dtype, operands};
  const Element element = ElementwiseHandlerOf(op.kind)(b_, arguments);
  return round_narrow_ ? RoundElement(b_, arguments.result_dtype, element) : element;
}

absl::StatusOr<Element> ElementEmitter::EmitLeaf(ir::ValueId value, const ElementIndex& index) {
  const auto buffer = buffers_.find(value);
  if (buffer != buffers_.end()) {
    return LoadElement(b_, buffer->second, TypeOf(value).dtype, index.Linear(b_));
  }
  const auto found = definitions_.find(value);
  if (found == definitions_.end()) {
    if (outer_ != nullptr) return outer_->Evaluate(value, index);
    return absl::InternalError(absl::StrCat("lowering: value ", value, " is not defined here"));
  }
  const ir::Op& op = *found->second;
  if (op.kind == ir::OpKind::kConstant) {
    const ir::Literal& literal = op.As<ir::ConstantAttributes>().value;
    const int64_t count = literal.type().num_elements();
    if (count == 0) return ZeroElement(b_, literal.type().dtype);
    if (literal.is_splat() || count == 1) return ConstantElement(b_, literal, 0);
    if (count <= kMaxInlineConstant) {
      const Var linear = index.Linear(b_);
      Element element = ConstantElement(b_, literal, 0);
      for (int64_t i = 1; i < count; ++i) {
        const Element other = ConstantElement(b_, literal, i);
        const Var here = b_.Apply(ScalarOp::kEq, {linear, b_.Index(i)});
        element.re = b_.Select(here, other.re, element.re);
        if (ir::IsComplex(literal.type().dtype)) {
          element.im = b_.Select(here, other.im, element.im);
        }
      }
      return element;
    }
  }
  if (op.kind == ir::OpKind::kOptimizationBarrier) {
    const auto position = std::find(op.results.begin(), op.results.end(), value);
    return Evaluate(op.operands[position - op.results.begin()], index);
  }
  if ((op.kind == ir::OpKind::kIf || op.kind == ir::OpKind::kCase ||
       op.kind == ir::OpKind::kWhile) &&
      absl::c_all_of(op.results, [&](ir::ValueId r) { return TypeOf(r).rank() == 0; })) {
    ACCELD_RETURN_IF_ERROR(EmitControlFlow(op));
    return *Find(value, ElementIndex::Scalar());
  }
  if (const IndexingHandler handler = IndexingHandlerOf(op.kind)) return handler(*this, op, index);
  return absl::UnimplementedError(absl::StrCat(ir::NameOf(op.kind), " of ",
                                               TypeOf(value).ToString(),
                                               " inside a fusion or a region is not supported"));
}

absl::StatusOr<Var> ElementEmitter::EvaluateClampedIndex(ir::ValueId value,
                                                         const ElementIndex& index, int64_t limit) {
  ACCELD_ASSIGN_OR_RETURN(const Element element, Evaluate(value, index));
  Var start = element.re;
  if (b_.TypeOf(start) == DType::kUI64) {
    start = b_.Apply(ScalarOp::kMin, {start, b_.ConstantInt(DType::kUI64, limit)});
  }
  start = b_.Convert(DType::kI64, start);
  start = b_.Apply(ScalarOp::kMin, {start, b_.Index(limit)});
  return b_.Apply(ScalarOp::kMax, {start, b_.Index(0)});
}

}  // namespace acceld::kernels
