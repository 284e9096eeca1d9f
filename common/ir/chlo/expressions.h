#pragma once

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "common/ir/builder.h"

namespace acceld::ir {

// Appends elementwise StableHLO arithmetic on tensors of one type, so that expansions read like
// formulas. The caller must pass operands of the right types: nothing here can fail. Where the
// shape is dynamic, constants get their shape at run time from a value, `like`.
class Expressions {
 public:
  // For tensors of the element type `dtype` and the shape of `like`. `builder` must outlive this
  // object.
  Expressions(FunctionBuilder& builder, ValueId like, DType dtype, Location location)
      : builder_(builder),
        like_(like),
        type_{dtype, builder.TypeOf(like).tensor().dims},
        location_(location) {}
  // Returns an object for the same shape and another element type.
  Expressions With(DType dtype) const { return {builder_, like_, dtype, location_}; }

  const TensorType& type() const { return type_; }
  DType dtype() const { return type_.dtype; }

  ValueId Constant(double value) { return Constant(Literal::Filled({type_.dtype, {}}, value)); }
  // Broadcasts a scalar of this element type to the shape.
  ValueId Constant(const Literal& scalar);
  // Broadcasts a vector of this element type, which lies along `dimension`, to the shape.
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
  // Returns the index along `dimension` of each element; for integer types.
  ValueId Iota(int64_t dimension);
  // Returns the size of each dimension of `like`, as tensor<1xi32>.
  std::vector<ValueId> Sizes();

  // Evaluates a polynomial by Horner's rule; the coefficient of the highest power is the first.
  ValueId Polynomial(ValueId x, absl::Span<const double> coefficients) {
    ValueId sum = Constant(coefficients[0]);
    for (double c : coefficients.subspan(1)) sum = Add(Mul(sum, x), Constant(c));
    return sum;
  }

  // Predicates, whose results are i1 of the same shape.
  ValueId Compare(ComparisonDirection direction, ValueId a, ValueId b);
  ValueId And(ValueId a, ValueId b) { return Op(OpKind::kAnd, {a, b}, PredicateType()); }
  ValueId Or(ValueId a, ValueId b) { return Op(OpKind::kOr, {a, b}, PredicateType()); }
  ValueId Not(ValueId a) { return Op(OpKind::kNot, {a}, PredicateType()); }
  ValueId IsFinite(ValueId a) { return Op(OpKind::kIsFinite, {a}, PredicateType()); }

  // Convert a value of another element type to this one.
  ValueId Convert(ValueId a) { return Op(OpKind::kConvert, {a}, type_); }
  ValueId Bitcast(ValueId a) { return Op(OpKind::kBitcastConvert, {a}, type_); }
  // Real and Imag return the parts of a complex value as this type. Complex makes a complex value,
  // if this type is complex.
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
