#include "kernels/ir/interpreter/run_scalar.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/check.h"
#include "common/ir/types/float_formats.h"
#include "kernels/ir/build/scalar_fold.h"

namespace acceld::kernels {
namespace {

double ToDouble(DType dtype, uint64_t bits) {
  if (ir::IsFloat(dtype)) return ir::DecodeFloat(dtype, bits);
  if (ir::IsSigned(dtype)) return static_cast<double>(ExtendFromWidth(dtype, bits));
  return static_cast<double>(bits);
}

// Converts to f32 directly, because by way of a double an integer of more than 53 bits would be
// rounded twice.
uint64_t IntegerToFloat(DType dtype, uint64_t bits, DType to) {
  if (to == DType::kF32) {
    const float value = ir::IsSigned(dtype) ? static_cast<float>(ExtendFromWidth(dtype, bits))
                                            : static_cast<float>(bits);
    return ir::EncodeFloat(to, value);
  }
  return ir::EncodeFloat(to, ToDouble(dtype, bits));
}

uint64_t FloatToInteger(double value, DType to) {
  if (to == DType::kI1) return value != 0 ? 1 : 0;
  if (std::isnan(value)) return 0;
  const int width = ir::BitsOf(to);
  const double truncated = std::trunc(value);
  if (ir::IsSigned(to)) {
    const double limit = std::ldexp(1.0, width - 1);
    if (truncated >= limit) return (uint64_t{1} << (width - 1)) - 1;
    if (truncated < -limit) return uint64_t{1} << (width - 1);
    return TruncateToWidth(to, static_cast<uint64_t>(static_cast<int64_t>(truncated)));
  }
  if (truncated <= 0) return 0;
  if (truncated >= std::ldexp(1.0, width)) return TruncateToWidth(to, ~uint64_t{0});
  return static_cast<uint64_t>(truncated);
}

uint64_t Convert(DType from, uint64_t bits, DType to) {
  if (ir::IsFloat(from)) {
    const double value = ir::DecodeFloat(from, bits);
    return ir::IsFloat(to) ? ir::EncodeFloat(to, value) : FloatToInteger(value, to);
  }
  if (ir::IsFloat(to)) return IntegerToFloat(from, bits, to);
  return *FoldInteger(ScalarOp::kConvert, from, {bits}, to);
}

double MinOrMax(bool max, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) == max ? b : a;
  return (a < b) == max ? b : a;
}

double RoundEven(double x) {
  const double rounded = std::round(x);
  if (std::fabs(x - std::trunc(x)) != 0.5) return rounded;
  return std::copysign(2 * std::round(x / 2), x);
}

// Computes the operations with float operands and a float result.
double Compute(ScalarOp op, double a, double b, double c) {
  switch (op) {
    case ScalarOp::kAbs:
      return std::fabs(a);
    case ScalarOp::kAcos:
      return std::acos(a);
    case ScalarOp::kAcosh:
      return std::acosh(a);
    case ScalarOp::kAdd:
      return a + b;
    case ScalarOp::kAsin:
      return std::asin(a);
    case ScalarOp::kAsinh:
      return std::asinh(a);
    case ScalarOp::kAtan:
      return std::atan(a);
    case ScalarOp::kAtan2:
      return std::atan2(a, b);
    case ScalarOp::kAtanh:
      return std::atanh(a);
    case ScalarOp::kCbrt:
      return std::cbrt(a);
    case ScalarOp::kCeil:
      return std::ceil(a);
    case ScalarOp::kCos:
      return std::cos(a);
    case ScalarOp::kCosh:
      return std::cosh(a);
    case ScalarOp::kDivide:
      return a / b;
    case ScalarOp::kErf:
      return std::erf(a);
    case ScalarOp::kErfc:
      return std::erfc(a);
    case ScalarOp::kExp:
      return std::exp(a);
    case ScalarOp::kExpm1:
      return std::expm1(a);
    case ScalarOp::kFloor:
      return std::floor(a);
    case ScalarOp::kFma:
      return std::fma(a, b, c);
    case ScalarOp::kLgamma:
      return std::lgamma(a);
    case ScalarOp::kLog:
      return std::log(a);
    case ScalarOp::kLog1p:
      return std::log1p(a);
    case ScalarOp::kLogistic:
      return 1 / (1 + std::exp(-a));
    case ScalarOp::kMax:
      return MinOrMax(true, a, b);
    case ScalarOp::kMin:
      return MinOrMax(false, a, b);
    case ScalarOp::kMultiply:
      return a * b;
    case ScalarOp::kNegate:
      return -a;
    case ScalarOp::kPower:
      return std::pow(a, b);
    case ScalarOp::kRemainder:
      return std::fmod(a, b);
    case ScalarOp::kRoundAfz:
      return std::round(a);
    case ScalarOp::kRoundEven:
      return RoundEven(a);
    case ScalarOp::kRsqrt:
      return 1 / std::sqrt(a);
    case ScalarOp::kSin:
      return std::sin(a);
    case ScalarOp::kSinh:
      return std::sinh(a);
    case ScalarOp::kSqrt:
      return std::sqrt(a);
    case ScalarOp::kSubtract:
      return a - b;
    case ScalarOp::kTan:
      return std::tan(a);
    case ScalarOp::kTanh:
      return std::tanh(a);
    case ScalarOp::kAnd:
    case ScalarOp::kBitcast:
    case ScalarOp::kConvert:
    case ScalarOp::kCountLeadingZeros:
    case ScalarOp::kEq:
    case ScalarOp::kGe:
    case ScalarOp::kGt:
    case ScalarOp::kIsFinite:
    case ScalarOp::kLe:
    case ScalarOp::kLt:
    case ScalarOp::kNe:
    case ScalarOp::kNot:
    case ScalarOp::kOr:
    case ScalarOp::kPopcnt:
    case ScalarOp::kSelect:
    case ScalarOp::kShiftLeft:
    case ScalarOp::kShiftRightArithmetic:
    case ScalarOp::kShiftRightLogical:
    case ScalarOp::kXor:
      break;
  }
  ACCELD_CHECK(false);
}

bool IsPredicate(ScalarOp op) {
  return op == ScalarOp::kEq || op == ScalarOp::kNe || op == ScalarOp::kLt || op == ScalarOp::kLe ||
         op == ScalarOp::kGt || op == ScalarOp::kGe || op == ScalarOp::kIsFinite;
}

bool Predicate(ScalarOp op, double a, double b) {
  if (op == ScalarOp::kIsFinite) return std::isfinite(a);
  if (op == ScalarOp::kEq) return a == b;
  if (op == ScalarOp::kNe) return a != b;
  if (op == ScalarOp::kLt) return a < b;
  if (op == ScalarOp::kLe) return a <= b;
  if (op == ScalarOp::kGt) return a > b;
  return a >= b;
}

}  // namespace

uint64_t RunScalar(ScalarOp op, DType dtype, absl::Span<const uint64_t> operands,
                   DType result_dtype) {
  if (op == ScalarOp::kSelect) return operands[0] != 0 ? operands[1] : operands[2];
  if (op == ScalarOp::kBitcast) return operands[0];
  if (op == ScalarOp::kConvert) return Convert(dtype, operands[0], result_dtype);
  if (!ir::IsFloat(dtype)) {
    const absl::optional<uint64_t> value = FoldInteger(op, dtype, operands, result_dtype);
    ACCELD_CHECK(value.has_value());
    return *value;
  }
  double values[3] = {0, 0, 0};
  for (size_t i = 0; i < operands.size(); ++i) values[i] = ir::DecodeFloat(dtype, operands[i]);
  if (IsPredicate(op)) return Predicate(op, values[0], values[1]) ? 1 : 0;
  return ir::EncodeFloat(result_dtype, Compute(op, values[0], values[1], values[2]));
}

}  // namespace acceld::kernels
