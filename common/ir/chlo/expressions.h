#pragma once

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/builder.h"

namespace acceld::ir {

// Elementwise StableHLO arithmetic on tensors of one type, for writing expansions as formulas. The
// operands' types are the caller's duty: nothing here can fail. Where the shape is dynamic,
// constants take it from a value, `like`.
class Expressions {
 public:
  // On tensors of `dtype` of the shape of `like`.
  Expressions(FunctionBuilder& builder, ValueId like, DType dtype, Location location)
      : builder_(builder),
        like_(like),
        type_{dtype, builder.TypeOf(like).tensor().dims},
        location_(location) {}
  // The same shape with other elements.
  Expressions With(DType dtype) const { return {builder_, like_, dtype, location_}; }

  const TensorType& type() const { return type_; }
  DType dtype() const { return type_.dtype; }

  ValueId Constant(double value) { return Constant(Literal::Filled({type_.dtype, {}}, value)); }
  // A scalar of this element type, spread over the shape.
  ValueId Constant(const Literal& scalar);
  // A vector of this element type that runs along `dimension`, spread over the others.
  ValueId Constant(const Literal& vector, int64_t dimension);

  ValueId Unary(OpKind kind, ValueId a) { return Op(kind, {a}, type_); }
  ValueId Binary(OpKind kind, ValueId a, ValueId b) { return Op(kind, {a, b}, type_); }
  ValueId Neg(ValueId a) { return Unary(OpKind::kNegate, a); }
  ValueId Abs(ValueId a) { return Unary(OpKind::kAbs, a); }
  ValueId Add(ValueId a, ValueId b) { return Binary(OpKind::kAdd, a, b); }
  ValueId Sub(ValueId a, ValueId b) { return Binary(OpKind::kSubtract, a, b); }
  ValueId Mul(ValueId a, ValueId b) { return Binary(OpKind::kMultiply, a, b); }
  ValueId Div(ValueId a, ValueId b) { return Binary(OpKind::kDivide, a, b); }
  ValueId Select(ValueId condition, ValueId a, ValueId b) {
    return Op(OpKind::kSelect, {condition, a, b}, type_);
  }
  ValueId Clamp(double min, ValueId a, double max) {
    const auto bound = [this](double value) {
      return builder_.Constant(Literal::Filled({type_.dtype, {}}, value));
    };
    return Op(OpKind::kClamp, {bound(min), a, bound(max)}, type_);
  }
  // The index along `dimension` of each element, where this type is of integers.
  ValueId Iota(int64_t dimension);
  // The size of each dimension of `like`, as tensor<1xi32>.
  std::vector<ValueId> Sizes();

  // Highest power first, Horner's rule.
  ValueId Polynomial(ValueId x, absl::Span<const double> coefficients) {
    ValueId sum = Constant(coefficients[0]);
    for (double c : coefficients.subspan(1)) sum = Add(Mul(sum, x), Constant(c));
    return sum;
  }

  // Predicates: i1 of the same shape.
  ValueId Compare(ComparisonDirection direction, ValueId a, ValueId b);
  ValueId And(ValueId a, ValueId b) { return Op(OpKind::kAnd, {a, b}, PredicateType()); }
  ValueId Or(ValueId a, ValueId b) { return Op(OpKind::kOr, {a, b}, PredicateType()); }
  ValueId Not(ValueId a) { return Op(OpKind::kNot, {a}, PredicateType()); }
  ValueId IsFinite(ValueId a) { return Op(OpKind::kIsFinite, {a}, PredicateType()); }

  // From another element type to this one.
  ValueId Convert(ValueId a) { return Op(OpKind::kConvert, {a}, type_); }
  ValueId Bitcast(ValueId a) { return Op(OpKind::kBitcastConvert, {a}, type_); }
  // Parts of a complex value, as this type; and back, where this type is complex.
  ValueId Real(ValueId a) { return Op(OpKind::kReal, {a}, type_); }
  ValueId Imag(ValueId a) { return Op(OpKind::kImag, {a}, type_); }
  ValueId Complex(ValueId re, ValueId im) { return Op(OpKind::kComplex, {re, im}, type_); }

 private:
  TensorType PredicateType() const { return {DType::kI1, type_.dims}; }
  ValueId Shape();
  ValueId Op(OpKind kind, std::vector<ValueId> operands, const TensorType& result,
             OpAttributes attributes = NoAttributes{}) {
    const Type type = result;
    return builder_
        .AddUnchecked(kind, std::move(operands), std::move(attributes), {}, {&type, 1}, location_)
        .front();
  }

  FunctionBuilder& builder_;
  ValueId like_;
  TensorType type_;
  Location location_;
};

}  // namespace acceld::ir
