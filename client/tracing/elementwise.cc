#include <string>

#include "absl/strings/str_cat.h"
#include "client/tensor.h"
#include "client/tracing/tracer.h"

namespace acceld::client {
namespace {

using ir::OpKind;

Tensor Unary(OpKind kind, const Tensor& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a});
  return tracer == nullptr ? Tracer::BadNumber() : tracer->Emit(kind, {a});
}

Tensor Binary(OpKind kind, const Tensor& a, const Tensor& b,
              ir::OpAttributes attributes = ir::NoAttributes{}) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a, b});
  if (tracer == nullptr) return Tracer::BadNumber();
  auto [left, right] = Tracer::BroadcastTogether(a, b);
  if (left.dtype() != right.dtype() && tracer->status().ok()) {
    return tracer->Fail(ShapeError(
        ir::NameOf(kind), absl::StrCat("operands are ", ir::DTypeName(left.dtype()), " and ",
                                       ir::DTypeName(right.dtype()), "; use Convert")));
  }
  return tracer->Emit(kind, {left, right}, std::move(attributes));
}

Tensor Compare(ir::ComparisonDirection direction, const Tensor& a, const Tensor& b) {
  return Binary(OpKind::kCompare, a, b, ir::CompareAttributes{.comparison_direction = direction});
}

}  // namespace

Tensor operator+(const Tensor& a, const Tensor& b) { return Binary(OpKind::kAdd, a, b); }
Tensor operator-(const Tensor& a, const Tensor& b) { return Binary(OpKind::kSubtract, a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return Binary(OpKind::kMultiply, a, b); }
Tensor operator/(const Tensor& a, const Tensor& b) { return Binary(OpKind::kDivide, a, b); }
Tensor operator-(const Tensor& a) { return Unary(OpKind::kNegate, a); }
Tensor Maximum(const Tensor& a, const Tensor& b) { return Binary(OpKind::kMaximum, a, b); }
Tensor Minimum(const Tensor& a, const Tensor& b) { return Binary(OpKind::kMinimum, a, b); }
Tensor Power(const Tensor& a, const Tensor& b) { return Binary(OpKind::kPower, a, b); }
Tensor Remainder(const Tensor& a, const Tensor& b) { return Binary(OpKind::kRemainder, a, b); }
Tensor Abs(const Tensor& a) { return Unary(OpKind::kAbs, a); }
Tensor Cos(const Tensor& a) { return Unary(OpKind::kCosine, a); }
Tensor Exp(const Tensor& a) { return Unary(OpKind::kExponential, a); }
Tensor Floor(const Tensor& a) { return Unary(OpKind::kFloor, a); }
Tensor Log(const Tensor& a) { return Unary(OpKind::kLog, a); }
Tensor Log1p(const Tensor& a) { return Unary(OpKind::kLogPlusOne, a); }
Tensor Logistic(const Tensor& a) { return Unary(OpKind::kLogistic, a); }
Tensor Relu(const Tensor& a) { return Maximum(a, 0); }
Tensor Rsqrt(const Tensor& a) { return Unary(OpKind::kRsqrt, a); }
Tensor Sign(const Tensor& a) { return Unary(OpKind::kSign, a); }
Tensor Sin(const Tensor& a) { return Unary(OpKind::kSine, a); }
Tensor Sqrt(const Tensor& a) { return Unary(OpKind::kSqrt, a); }
Tensor Square(const Tensor& a) { return a * a; }
Tensor Tanh(const Tensor& a) { return Unary(OpKind::kTanh, a); }

Tensor operator==(const Tensor& a, const Tensor& b) {
  return Compare(ir::ComparisonDirection::kEq, a, b);
}
Tensor operator!=(const Tensor& a, const Tensor& b) {
  return Compare(ir::ComparisonDirection::kNe, a, b);
}
Tensor operator<(const Tensor& a, const Tensor& b) {
  return Compare(ir::ComparisonDirection::kLt, a, b);
}
Tensor operator<=(const Tensor& a, const Tensor& b) {
  return Compare(ir::ComparisonDirection::kLe, a, b);
}
Tensor operator>(const Tensor& a, const Tensor& b) {
  return Compare(ir::ComparisonDirection::kGt, a, b);
}
Tensor operator>=(const Tensor& a, const Tensor& b) {
  return Compare(ir::ComparisonDirection::kGe, a, b);
}
Tensor operator&&(const Tensor& a, const Tensor& b) { return Binary(OpKind::kAnd, a, b); }
Tensor operator||(const Tensor& a, const Tensor& b) { return Binary(OpKind::kOr, a, b); }
Tensor operator!(const Tensor& a) { return Unary(OpKind::kNot, a); }

Tensor Where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({condition, a, b});
  if (tracer == nullptr) return Tracer::BadNumber();
  if (condition.dtype() != ir::DType::kI1) {
    return tracer->Fail(
        ShapeError("Where", absl::StrCat("the condition is ", condition.type().ToString(),
                                         "; expected elements of type i1")));
  }
  Tensor left = a, right = b;
  if (Tracer::IsNumber(a) && Tracer::IsNumber(b)) {
    left = tracer->Fill(Tracer::Number(a), {ir::DType::kF32, {}});
  }
  std::tie(left, right) = Tracer::BroadcastTogether(left, right);
  absl::StatusOr<ir::Dims> shape = BroadcastShapes(condition.shape(), left.shape());
  if (!shape.ok()) return tracer->Fail(shape.status());
  return tracer->Emit(OpKind::kSelect, {BroadcastTo(condition, *shape), BroadcastTo(left, *shape),
                                        BroadcastTo(right, *shape)});
}

Tensor Convert(const Tensor& a, ir::DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a});
  if (tracer == nullptr) return a;
  if (a.dtype() == dtype) return a;
  return tracer->Emit(OpKind::kConvert, {a}, ir::NoAttributes{}, ir::TensorType{dtype, a.shape()});
}

}  // namespace acceld::client
