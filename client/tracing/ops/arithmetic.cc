#include "client/tracing/ops/arithmetic.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/chlo_function.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"
#include "client/tracing/transforms/custom_rules.h"

namespace acceld::client {
namespace {

using ir::DType;
using ir::OpKind;

Tensor Unary(OpKind kind, const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  return tracer == nullptr ? Tracer::BadNumber() : tracer->Emit(kind, {tracer->InTrace(a)});
}

Tensor Binary(OpKind kind, const Operand& a, const Operand& b,
              ir::OpAttributes attributes = ir::NoAttributes{}) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, b);
  if (tracer == nullptr) return Tracer::BadNumber();
  const auto [left, right] = tracer->BroadcastTogether(ir::NameOf(kind), a, b);
  if (left.dtype() != right.dtype() && tracer->status().ok()) {
    return tracer->Fail(ir::NameOf(kind),
                        absl::StrCat("operands are ", ir::DTypeName(left.dtype()), " and ",
                                     ir::DTypeName(right.dtype()), "; use Convert"));
  }
  return tracer->Emit(kind, {left, right}, std::move(attributes));
}

Tensor Compare(ir::ComparisonDirection direction, const Operand& a, const Operand& b) {
  return Binary(OpKind::kCompare, a, b, ir::CompareAttributes{.comparison_direction = direction});
}

// Whether both are plain numbers; then arithmetic on them gives a number.
bool AreNumbers(const Operand& a, const Operand& b) {
  return Tracer::IsNumber(a) && Tracer::IsNumber(b);
}

// Whether the operand, or the one it is combined with, is floating point.
bool IsFloat(const Operand& a, const Operand& b) {
  return ir::IsFloat(Tracer::IsNumber(a) ? b.dtype() : a.dtype());
}

}  // namespace

Tensor operator+(const Operand& a, const Operand& b) {
  if (AreNumbers(a, b)) return Tracer::Number(a) + Tracer::Number(b);
  return Binary(OpKind::kAdd, a, b);
}
Tensor operator-(const Operand& a, const Operand& b) {
  if (AreNumbers(a, b)) return Tracer::Number(a) - Tracer::Number(b);
  return Binary(OpKind::kSubtract, a, b);
}
Tensor operator*(const Operand& a, const Operand& b) {
  if (AreNumbers(a, b)) return Tracer::Number(a) * Tracer::Number(b);
  return Binary(OpKind::kMultiply, a, b);
}
Tensor operator/(const Operand& a, const Operand& b) {
  if (AreNumbers(a, b)) return Tracer::Number(a) / Tracer::Number(b);
  return Binary(OpKind::kDivide, a, b);
}
Tensor operator-(const Operand& a) {
  return Tracer::IsNumber(a) ? Tensor(-Tracer::Number(a)) : Unary(OpKind::kNegate, a);
}
Tensor Maximum(const Operand& a, const Operand& b) { return Binary(OpKind::kMaximum, a, b); }
Tensor Minimum(const Operand& a, const Operand& b) { return Binary(OpKind::kMinimum, a, b); }
Tensor Power(const Operand& a, const Operand& b) { return Binary(OpKind::kPower, a, b); }
Tensor Remainder(const Operand& a, const Operand& b) { return Binary(OpKind::kRemainder, a, b); }

Tensor FloorDivide(const Operand& a, const Operand& b) {
  // The truncated quotient is one too large if there is a remainder whose sign is not that of `b`.
  const Tensor rest = Remainder(a, b);
  const Tensor differ = rest != 0 && (rest < 0) != (b < 0);
  if (IsFloat(a, b)) {
    const Tensor quotient = Round((a - rest) / b);
    return Where(differ, quotient - 1, quotient);
  }
  const Tensor quotient = a / b;
  return ir::IsSigned(rest.dtype()) ? Where(differ, quotient - 1, quotient) : quotient;
}

Tensor Mod(const Operand& a, const Operand& b) {
  const Tensor rest = Remainder(a, b);
  if (!ir::IsSigned(rest.dtype()) && !ir::IsFloat(rest.dtype())) return rest;
  return Where(rest != 0 && (rest < 0) != (b < 0), rest + b, rest);
}

Tensor Clip(const Operand& a, const Operand& lowest, const Operand& highest) {
  return Minimum(Maximum(a, lowest), highest);
}

Tensor Abs(const Operand& a) { return Unary(OpKind::kAbs, a); }
Tensor Sign(const Operand& a) { return Unary(OpKind::kSign, a); }
Tensor Square(const Operand& a) { return a * a; }
Tensor Reciprocal(const Operand& a) { return 1 / a; }
Tensor Sqrt(const Operand& a) { return Unary(OpKind::kSqrt, a); }
Tensor Rsqrt(const Operand& a) { return Unary(OpKind::kRsqrt, a); }
Tensor Cbrt(const Operand& a) { return Unary(OpKind::kCbrt, a); }

Tensor Hypot(const Operand& a, const Operand& b) {
  const Tensor x = Abs(a), y = Abs(b);
  const Tensor large = Maximum(x, y), small = Minimum(x, y);
  const Tensor ratio = small / Where(large == 0, 1, large);
  return Where(large == 0, large, large * Sqrt(1 + Square(ratio)));
}

Tensor Exp(const Operand& a) { return Unary(OpKind::kExponential, a); }
Tensor Exp2(const Operand& a) { return Exp(a * std::numbers::ln2); }
Tensor Expm1(const Operand& a) { return Unary(OpKind::kExponentialMinusOne, a); }
Tensor Log(const Operand& a) { return Unary(OpKind::kLog, a); }
Tensor Log2(const Operand& a) { return Log(a) / std::numbers::ln2; }
Tensor Log10(const Operand& a) { return Log(a) / std::numbers::ln10; }
Tensor Log1p(const Operand& a) { return Unary(OpKind::kLogPlusOne, a); }

Tensor LogAddExp(const Operand& a, const Operand& b) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, b);
  if (tracer == nullptr) return Tracer::BadNumber();
  const auto [left, right] = tracer->BroadcastTogether("LogAddExp", a, b);
  return CustomJvp(
      [](const Tensor& x, const Tensor& y) {
        // Equal infinities have no difference.
        const Tensor largest = Maximum(x, y), difference = x - y;
        return Where(IsNan(difference), x + y, largest + Log1p(Exp(-Abs(difference))));
      },
      [](const Tensor& x, const Tensor& y, const Tensor& dx, const Tensor& dy) {
        const auto finite = [](const Tensor& z) {
          return Where(z == std::numeric_limits<double>::infinity(), 0, z);
        };
        const Tensor value = LogAddExp(x, y);
        return std::pair(value,
                         dx * Exp(finite(x) - finite(value)) + dy * Exp(finite(y) - finite(value)));
      })(left, right);
}

Tensor Logistic(const Operand& a) { return Unary(OpKind::kLogistic, a); }

Tensor Sin(const Operand& a) { return Unary(OpKind::kSine, a); }
Tensor Cos(const Operand& a) { return Unary(OpKind::kCosine, a); }
Tensor Tan(const Operand& a) { return Unary(OpKind::kTan, a); }
Tensor Asin(const Operand& a) { return ChloFunction("chlo.asin", a); }
Tensor Acos(const Operand& a) { return ChloFunction("chlo.acos", a); }
Tensor Atan(const Operand& a) { return ChloFunction("chlo.atan", a); }
Tensor Atan2(const Operand& y, const Operand& x) { return Binary(OpKind::kAtan2, y, x); }
Tensor Sinh(const Operand& a) { return ChloFunction("chlo.sinh", a); }
Tensor Cosh(const Operand& a) { return ChloFunction("chlo.cosh", a); }
Tensor Tanh(const Operand& a) { return Unary(OpKind::kTanh, a); }
Tensor Deg2Rad(const Operand& a) { return a * (std::numbers::pi / 180); }
Tensor Rad2Deg(const Operand& a) { return a * (180 / std::numbers::pi); }
Tensor Asinh(const Operand& a) { return ChloFunction("chlo.asinh", a); }
Tensor Acosh(const Operand& a) { return ChloFunction("chlo.acosh", a); }
Tensor Atanh(const Operand& a) { return ChloFunction("chlo.atanh", a); }

Tensor Erf(const Operand& a) { return ChloFunction("chlo.erf", a); }
Tensor Erfc(const Operand& a) { return ChloFunction("chlo.erfc", a); }
Tensor ErfInv(const Operand& a) { return ChloFunction("chlo.erf_inv", a); }
Tensor Lgamma(const Operand& a) { return ChloFunction("chlo.lgamma", a); }
Tensor Digamma(const Operand& a) { return ChloFunction("chlo.digamma", a); }
Tensor Polygamma(const Operand& n, const Operand& a) {
  return ChloFunction("chlo.polygamma", n, a);
}
Tensor Zeta(const Operand& s, const Operand& q) { return ChloFunction("chlo.zeta", s, q); }

Tensor Floor(const Operand& a) { return Unary(OpKind::kFloor, a); }
Tensor Ceil(const Operand& a) { return Unary(OpKind::kCeil, a); }
Tensor Round(const Operand& a) { return Unary(OpKind::kRoundNearestEven, a); }
Tensor Trunc(const Operand& a) { return Where(a < 0, Ceil(a), Floor(a)); }
Tensor NextAfter(const Operand& a, const Operand& b) {
  return ChloFunction("chlo.next_after", a, b);
}

Tensor Complex(const Operand& real, const Operand& imaginary) {
  return Binary(OpKind::kComplex, real, imaginary);
}
Tensor Real(const Operand& a) {
  return ir::IsComplex(a.dtype()) ? Unary(OpKind::kReal, a) : a.tensor();
}
Tensor Imag(const Operand& a) {
  return ir::IsComplex(a.dtype()) ? Unary(OpKind::kImag, a) : ZerosLike(a);
}
Tensor Conj(const Operand& a) {
  return ir::IsComplex(a.dtype()) ? Complex(Real(a), -Imag(a)) : a.tensor();
}
Tensor Angle(const Operand& a) { return Atan2(Imag(a), Real(a)); }

Tensor operator&(const Operand& a, const Operand& b) { return Binary(OpKind::kAnd, a, b); }
Tensor operator|(const Operand& a, const Operand& b) { return Binary(OpKind::kOr, a, b); }
Tensor operator^(const Operand& a, const Operand& b) { return Binary(OpKind::kXor, a, b); }
Tensor operator~(const Operand& a) { return Unary(OpKind::kNot, a); }
Tensor ShiftLeft(const Operand& a, const Operand& bits) {
  return Binary(OpKind::kShiftLeft, a, bits);
}
Tensor ShiftRight(const Operand& a, const Operand& bits) {
  return ir::IsSigned(Tracer::IsNumber(a) ? bits.dtype() : a.dtype())
             ? Binary(OpKind::kShiftRightArithmetic, a, bits)
             : ShiftRightLogical(a, bits);
}
Tensor ShiftRightLogical(const Operand& a, const Operand& bits) {
  return Binary(OpKind::kShiftRightLogical, a, bits);
}
Tensor PopulationCount(const Operand& a) { return Unary(OpKind::kPopcnt, a); }
Tensor operator&&(const Operand& a, const Operand& b) { return Binary(OpKind::kAnd, a, b); }
Tensor operator||(const Operand& a, const Operand& b) { return Binary(OpKind::kOr, a, b); }
Tensor operator!(const Operand& a) { return Unary(OpKind::kNot, a); }

Tensor operator==(const Operand& a, const Operand& b) {
  return Compare(ir::ComparisonDirection::kEq, a, b);
}
Tensor operator!=(const Operand& a, const Operand& b) {
  return Compare(ir::ComparisonDirection::kNe, a, b);
}
Tensor operator<(const Operand& a, const Operand& b) {
  return Compare(ir::ComparisonDirection::kLt, a, b);
}
Tensor operator<=(const Operand& a, const Operand& b) {
  return Compare(ir::ComparisonDirection::kLe, a, b);
}
Tensor operator>(const Operand& a, const Operand& b) {
  return Compare(ir::ComparisonDirection::kGt, a, b);
}
Tensor operator>=(const Operand& a, const Operand& b) {
  return Compare(ir::ComparisonDirection::kGe, a, b);
}
Tensor IsFinite(const Operand& a) { return Unary(OpKind::kIsFinite, a); }
Tensor IsInf(const Operand& a) { return Abs(a) == std::numeric_limits<double>::infinity(); }
Tensor IsNan(const Operand& a) { return a != a; }

Tensor IsClose(const Operand& a, const Operand& b, double relative, double absolute) {
  const Tensor is_near = Abs(a - b) <= absolute + relative * Abs(b);
  return (is_near && IsFinite(a) && IsFinite(b)) || a == b;
}

Tensor Heaviside(const Operand& a, const Operand& middle) {
  const Tensor off_zero = Where(a < 0, ZerosLike(a), Where(a > 0, OnesLike(a), a));
  return Where(a == 0, middle, off_zero);
}

Tensor Where(const Operand& condition, const Operand& a, const Operand& b) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({&condition, &a, &b});
  if (tracer == nullptr) return Tracer::BadNumber();
  if (condition.dtype() != DType::kI1) {
    return tracer->Fail("Where", absl::StrCat("the condition is ", condition.type().ToString(),
                                              "; expected elements of type i1"));
  }
  const auto [left, right] = tracer->BroadcastTogether("Where", a, b);
  if (left.dtype() != right.dtype() && tracer->status().ok()) {
    return tracer->Fail("Where",
                        absl::StrCat("the values are ", ir::DTypeName(left.dtype()), " and ",
                                     ir::DTypeName(right.dtype()), "; use Convert"));
  }
  absl::StatusOr<ir::Dims> shape = BroadcastShapes("Where", condition.shape(), left.shape());
  if (!shape.ok()) return tracer->Fail(shape.status());
  return tracer->Emit(OpKind::kSelect, {BroadcastTo(condition, *shape), BroadcastTo(left, *shape),
                                        BroadcastTo(right, *shape)});
}

Tensor Convert(const Operand& a, DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (Tracer::IsNumber(a)) return tracer->Fill(Tracer::Number(a), {dtype, {}});
  if (a.dtype() == dtype) return a;
  return tracer->Emit(OpKind::kConvert, {a}, ir::NoAttributes{}, ir::TensorType{dtype, a.shape()});
}

Tensor BitcastConvert(const Operand& a, DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (a.dtype() == dtype) return a;
  return tracer->Emit(OpKind::kBitcastConvert, {tracer->InTrace(a)}, ir::NoAttributes{},
                      ir::TensorType{dtype, a.shape()});
}

}  // namespace acceld::client
