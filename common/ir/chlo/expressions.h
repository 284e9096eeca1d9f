#pragma once

#include <utility>

#include "absl/types/span.h"
#include "common/ir/builder.h"

namespace acceld::ir {

// Elementwise StableHLO arithmetic on tensors of one static type, for writing expansions as
// formulas. The operands' types are the caller's duty: nothing here can fail.
class Expressions {
 public:
  Expressions(FunctionBuilder& builder, TensorType type, Location location)
      : builder_(builder), type_(std::move(type)), location_(location) {}

  const TensorType& type() const { return type_; }

  ValueId Constant(double value) { return builder_.Constant(Literal::Filled(type_, value)); }
  ValueId Unary(OpKind kind, ValueId a) { return Op(kind, {a}, type_); }
  ValueId Binary(OpKind kind, ValueId a, ValueId b) { return Op(kind, {a, b}, type_); }
  ValueId Add(ValueId a, ValueId b) { return Binary(OpKind::kAdd, a, b); }
  ValueId Sub(ValueId a, ValueId b) { return Binary(OpKind::kSubtract, a, b); }
  ValueId Mul(ValueId a, ValueId b) { return Binary(OpKind::kMultiply, a, b); }
  ValueId Div(ValueId a, ValueId b) { return Binary(OpKind::kDivide, a, b); }
  ValueId Compare(ComparisonDirection direction, ValueId a, ValueId b) {
    return Op(OpKind::kCompare, {a, b}, TensorType{DType::kI1, type_.dims},
              CompareAttributes{direction, ComparisonType::kFloat});
  }
  ValueId Select(ValueId condition, ValueId a, ValueId b) {
    return Op(OpKind::kSelect, {condition, a, b}, type_);
  }
  // Highest power first, Horner's rule.
  ValueId Polynomial(ValueId x, absl::Span<const double> coefficients) {
    ValueId sum = Constant(coefficients[0]);
    for (double c : coefficients.subspan(1)) sum = Add(Mul(sum, x), Constant(c));
    return sum;
  }

 private:
  ValueId Op(OpKind kind, std::vector<ValueId> operands, const TensorType& result,
             OpAttributes attributes = NoAttributes{}) {
    const Type type = result;
    return builder_
        .AddUnchecked(kind, std::move(operands), std::move(attributes), {}, {&type, 1}, location_)
        .front();
  }

  FunctionBuilder& builder_;
  TensorType type_;
  Location location_;
};

// Expansions for f32 and f64, unless noted: erf.cc, hyperbolic.cc, inverse_trigonometric.cc.
ValueId ExpandAcos(Expressions& e, ValueId x);
ValueId ExpandAcosh(Expressions& e, ValueId x);
ValueId ExpandAsin(Expressions& e, ValueId x);
ValueId ExpandAsinh(Expressions& e, ValueId x);
ValueId ExpandAtan(Expressions& e, ValueId x);
ValueId ExpandAtanh(Expressions& e, ValueId x);
ValueId ExpandCosh(Expressions& e, ValueId x);
ValueId ExpandErf(Expressions& e, ValueId x);   // f32
ValueId ExpandErfc(Expressions& e, ValueId x);  // f32
ValueId ExpandErfInv(Expressions& e, ValueId x);
ValueId ExpandSinh(Expressions& e, ValueId x);

}  // namespace acceld::ir
