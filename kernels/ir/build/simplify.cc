// The simplifications of KernelBuilder: operations that it does not emit because their result is a
// constant or an existing value.
#include <algorithm>

#include "kernels/ir/build/kernel_builder.h"
#include "kernels/ir/build/scalar_fold.h"

namespace acceld::kernels {
namespace {

// The depth to which AddTerms expands sums for a division; index expressions are not that deep.
constexpr int kMaxSumDepth = 24;

bool IsNarrowFloat(DType dtype) { return ir::IsFloat(dtype) && ir::BitsOf(dtype) <= 16; }

}  // namespace

bool KernelBuilder::IsIndexConstant(Var var, int64_t value) const {
  const absl::optional<uint64_t>& bits = definitions_[var].constant;
  return bits.has_value() && ExtendFromWidth(TypeOf(var), *bits) == value;
}

absl::optional<Var> KernelBuilder::Simplify(ScalarOp op, absl::Span<const Var> operands,
                                            DType result_type) {
  const Var a = operands[0];
  if (op == ScalarOp::kSelect) {
    if (const absl::optional<uint64_t> condition = ConstantBits(a)) {
      return *condition != 0 ? operands[1] : operands[2];
    }
    if (operands[1] == operands[2]) return operands[1];
    return absl::nullopt;
  }
  const Definition& definition = definitions_[a];
  if (op == ScalarOp::kConvert && definition.is_scalar && definition.op == ScalarOp::kConvert) {
    // Widening a narrow float to f32 or f64 and narrowing it again gives the same value.
    const Var source = definition.operands[0];
    if (TypeOf(source) == result_type && IsNarrowFloat(result_type) && ir::IsFloat(TypeOf(a)) &&
        !IsNarrowFloat(TypeOf(a))) {
      return source;
    }
  }
  if (op == ScalarOp::kBitcast && definition.is_scalar && definition.op == ScalarOp::kBitcast &&
      TypeOf(definition.operands[0]) == result_type) {
    return definition.operands[0];
  }
  if (op == ScalarOp::kNot && definition.is_scalar && definition.op == ScalarOp::kNot) {
    return definition.operands[0];
  }
  if (ir::IsFloat(TypeOf(a))) return absl::nullopt;

  uint64_t bits[3] = {0, 0, 0};
  bool all_constant = true;
  for (size_t i = 0; i < operands.size(); ++i) {
    const absl::optional<uint64_t> constant = ConstantBits(operands[i]);
    all_constant &= constant.has_value();
    bits[i] = constant.value_or(0);
  }
  if (all_constant) {
    const absl::optional<uint64_t> folded =
        FoldInteger(op, TypeOf(a), absl::MakeConstSpan(bits, operands.size()), result_type);
    if (folded.has_value()) return Constant(result_type, *folded);
  }
  if (operands.size() != 2) return absl::nullopt;
  if (result_type == DType::kI1 && TypeOf(a) != DType::kI1) {
    return SimplifyCompare(op, a, operands[1]);
  }
  return SimplifyIndex(op, a, operands[1]);
}

absl::optional<Var> KernelBuilder::SimplifyCompare(ScalarOp op, Var a, Var b) {
  if (a == b) {
    if (op == ScalarOp::kEq || op == ScalarOp::kLe || op == ScalarOp::kGe) {
      return ConstantInt(DType::kI1, 1);
    }
    return ConstantInt(DType::kI1, 0);
  }
  if (TypeOf(a) != DType::kI64) return absl::nullopt;
  const IndexRange& x = definitions_[a].range;
  const IndexRange& y = definitions_[b].range;
  const bool below = x.high < y.low;     // always a < b
  const bool above = x.low > y.high;     // always a > b
  const bool at_most = x.high <= y.low;  // always a <= b
  const bool at_least = x.low >= y.high;
  absl::optional<bool> value;
  if (op == ScalarOp::kLt && (below || at_least)) value = below;
  if (op == ScalarOp::kGe && (below || at_least)) value = !below;
  if (op == ScalarOp::kGt && (above || at_most)) value = above;
  if (op == ScalarOp::kLe && (above || at_most)) value = !above;
  if (op == ScalarOp::kEq && (above || below)) value = false;
  if (op == ScalarOp::kNe && (above || below)) value = true;
  if (!value.has_value()) return absl::nullopt;
  return ConstantInt(DType::kI1, *value ? 1 : 0);
}

absl::optional<Var> KernelBuilder::SimplifyIndex(ScalarOp op, Var a, Var b) {
  const bool a_zero = IsIndexConstant(a, 0);
  const bool b_zero = IsIndexConstant(b, 0);
  const bool is_bool = TypeOf(a) == DType::kI1;
  if (op == ScalarOp::kAdd || op == ScalarOp::kOr || op == ScalarOp::kXor) {
    if (a_zero) return b;
    if (b_zero) return a;
  }
  if (op == ScalarOp::kSubtract && b_zero) return a;
  if (op == ScalarOp::kMultiply || op == ScalarOp::kAnd) {
    if (a_zero) return a;
    if (b_zero) return b;
    if (op == ScalarOp::kMultiply || is_bool) {
      if (IsIndexConstant(a, 1)) return b;
      if (IsIndexConstant(b, 1)) return a;
    }
  }
  if (op == ScalarOp::kOr && is_bool) {
    if (IsIndexConstant(a, 1)) return a;
    if (IsIndexConstant(b, 1)) return b;
  }
  if (a == b && (op == ScalarOp::kMin || op == ScalarOp::kMax || op == ScalarOp::kAnd ||
                 op == ScalarOp::kOr)) {
    return a;
  }
  if (op == ScalarOp::kDivide && IsIndexConstant(b, 1)) return a;
  if (op == ScalarOp::kRemainder && IsIndexConstant(b, 1)) return ConstantInt(TypeOf(a), 0);
  if (TypeOf(a) != DType::kI64) return absl::nullopt;
  if (op == ScalarOp::kMin || op == ScalarOp::kMax) {
    const IndexRange& x = definitions_[a].range;
    const IndexRange& y = definitions_[b].range;
    if (x.high <= y.low) return op == ScalarOp::kMin ? a : b;
    if (y.high <= x.low) return op == ScalarOp::kMin ? b : a;
  }
  if ((op == ScalarOp::kDivide || op == ScalarOp::kRemainder) &&
      definitions_[b].constant.has_value()) {
    return DivideSum(op, a, static_cast<int64_t>(*definitions_[b].constant));
  }
  return absl::nullopt;
}

void KernelBuilder::AddTerms(Var var, int64_t factor, int depth, LinearForm& form) const {
  const Definition& definition = definitions_[var];
  if (definition.constant.has_value()) {
    form.constant += factor * static_cast<int64_t>(*definition.constant);
    return;
  }
  if (definition.is_scalar && depth > 0) {
    const Var a = definition.operands[0];
    const Var b = definition.operands[1];
    if (definition.op == ScalarOp::kAdd) {
      AddTerms(a, factor, depth - 1, form);
      AddTerms(b, factor, depth - 1, form);
      return;
    }
    if (definition.op == ScalarOp::kMultiply && definitions_[b].constant.has_value()) {
      AddTerms(a, factor * static_cast<int64_t>(*definitions_[b].constant), depth - 1, form);
      return;
    }
  }
  form.terms.push_back({factor, var});
}

// Simplifies sum / divisor or sum % divisor. Splits the sum, whose range must be known, into terms
// that are multiples of the divisor and the rest; if the rest lies in [0, divisor), the quotient
// comes from the multiples alone and the remainder is the rest.
absl::optional<Var> KernelBuilder::DivideSum(ScalarOp op, Var sum, int64_t divisor) {
  const IndexRange range = definitions_[sum].range;
  if (divisor <= 0 || range.low < 0 || !range.known()) return absl::nullopt;
  if (range.high < divisor) return op == ScalarOp::kDivide ? Index(0) : sum;
  LinearForm form;
  AddTerms(sum, 1, kMaxSumDepth, form);
  LinearForm multiple, rest;
  IndexRange rest_range = IndexRange::Of(form.constant % divisor);
  multiple.constant = form.constant - form.constant % divisor;
  rest.constant = form.constant % divisor;
  for (const LinearForm::Term& term : form.terms) {
    if (term.coefficient % divisor == 0) {
      multiple.terms.push_back({term.coefficient / divisor, term.var});
      continue;
    }
    rest.terms.push_back(term);
    rest_range = RangeOf(ScalarOp::kAdd, rest_range,
                         RangeOf(ScalarOp::kMultiply, definitions_[term.var].range,
                                 IndexRange::Of(term.coefficient)));
  }
  if (multiple.terms.empty() && multiple.constant == 0) return absl::nullopt;
  if (!rest_range.known() || rest_range.low < 0 || rest_range.high >= divisor) {
    return absl::nullopt;
  }
  const bool divide = op == ScalarOp::kDivide;
  const LinearForm& wanted = divide ? multiple : rest;
  std::vector<Var> vars;
  std::vector<int64_t> factors;
  for (const LinearForm::Term& term : wanted.terms) {
    vars.push_back(term.var);
    factors.push_back(term.coefficient);
  }
  return Linearize(vars, factors, divide ? wanted.constant / divisor : wanted.constant);
}

}  // namespace acceld::kernels
