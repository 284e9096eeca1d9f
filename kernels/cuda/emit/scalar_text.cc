#include "kernels/cuda/emit/scalar_text.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/check.h"
#include "common/ir/types/float_formats.h"

namespace acceld::kernels::cuda {
namespace {

bool IsNarrowFloat(DType dtype) { return ir::IsFloat(dtype) && ir::BitsOf(dtype) < 32; }

// The name of a narrow format in device/scalar.cuh.
absl::string_view FormatName(DType dtype) {
  switch (dtype) {
    case DType::kF4E2M1FN:
      return "F4E2M1FN";
    case DType::kF6E2M3FN:
      return "F6E2M3FN";
    case DType::kF6E3M2FN:
      return "F6E3M2FN";
    case DType::kF8E3M4:
      return "F8E3M4";
    case DType::kF8E4M3:
      return "F8E4M3";
    case DType::kF8E4M3FN:
      return "F8E4M3FN";
    case DType::kF8E4M3FNUZ:
      return "F8E4M3FNUZ";
    case DType::kF8E4M3B11FNUZ:
      return "F8E4M3B11FNUZ";
    case DType::kF8E5M2:
      return "F8E5M2";
    case DType::kF8E5M2FNUZ:
      return "F8E5M2FNUZ";
    case DType::kF8E8M0FNU:
      return "F8E8M0FNU";
    case DType::kF16:
      return "F16";
    case DType::kBF16:
      return "BF16";
    default:
      ACCELD_CHECK(false);
  }
}

std::string FloatConstant(DType dtype, uint64_t bits) {
  const double value = ir::DecodeFloat(dtype, bits);
  const bool is_f32 = dtype == DType::kF32;
  if (!std::isfinite(value)) {
    return is_f32 ? absl::StrFormat("Bitcast<f32>(0x%08xu)", bits)
                  : absl::StrFormat("Bitcast<f64>(0x%016xull)", bits);
  }
  std::string text = is_f32 ? absl::StrFormat("%.9g", value) : absl::StrFormat("%.17g", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return is_f32 ? text + "f" : text;
}

std::string Call(absl::string_view function, const std::vector<std::string>& operands) {
  return absl::StrCat(function, "(", absl::StrJoin(operands, ", "), ")");
}

std::string Infix(absl::string_view op, const std::vector<std::string>& operands) {
  return absl::StrCat(operands[0], " ", op, " ", operands[1]);
}

std::string ToText(const std::string& value, DType from, DType to) {
  if (to == DType::kI1) return absl::StrCat(value, " != 0");
  if (IsNarrowFloat(to)) {
    const bool is_float = ir::IsFloat(from);
    return absl::StrCat(RegisterType(to), "(Encode<", FormatName(to), ">(",
                        is_float ? value : absl::StrCat("f64(", value, ")"), "))");
  }
  if (ir::IsFloat(to)) return absl::StrCat(RegisterType(to), "(", value, ")");
  if (ir::IsFloat(from)) {
    return absl::StrCat("ToInteger<", ir::BitsOf(to), ", ", RegisterType(to), ">(", value, ")");
  }
  if (ir::BitsOf(to) >= 8) return absl::StrCat(RegisterType(to), "(", value, ")");
  return absl::StrCat("FromBits<", ir::BitsOf(to), ", ", RegisterType(to), ">(u32(", value, "))");
}

std::string ConvertText(const std::string& value, DType from, DType to) {
  if (!IsNarrowFloat(from)) return ToText(value, from, to);
  return ToText(absl::StrCat("Decode<", FormatName(from), ">(", value, ")"), DType::kF32, to);
}

// Whether the width of the integer type is less than that of its RegisterType.
std::string BitcastText(const std::string& value, DType from, DType to) {
  if (ir::BitsOf(to) < 8) {
    return absl::StrCat("FromBits<", ir::BitsOf(to), ", ", RegisterType(to), ">(u32(", value, "))");
  }
  if (from == to) return value;
  return absl::StrCat("Bitcast<", RegisterType(to), ">(", value, ")");
}

// The functions of device/scalar.cuh that exist for floats and for integers; those for integers
// have the width of the value as a template argument.
std::string Arithmetic(absl::string_view function, DType dtype,
                       const std::vector<std::string>& operands) {
  if (ir::IsFloat(dtype)) return Call(function, operands);
  return Call(absl::StrCat(function, "<", ir::BitsOf(dtype), ">"), operands);
}

}  // namespace

absl::string_view RegisterType(DType dtype) {
  switch (dtype) {
    case DType::kI1:
      return "bool";
    case DType::kI2:
    case DType::kI4:
    case DType::kI8:
      return "i8";
    case DType::kI16:
      return "i16";
    case DType::kI32:
      return "i32";
    case DType::kI64:
      return "i64";
    case DType::kUI2:
    case DType::kUI4:
    case DType::kUI8:
    case DType::kF4E2M1FN:
    case DType::kF6E2M3FN:
    case DType::kF6E3M2FN:
    case DType::kF8E3M4:
    case DType::kF8E4M3:
    case DType::kF8E4M3FN:
    case DType::kF8E4M3FNUZ:
    case DType::kF8E4M3B11FNUZ:
    case DType::kF8E5M2:
    case DType::kF8E5M2FNUZ:
    case DType::kF8E8M0FNU:
      return "u8";
    case DType::kUI16:
    case DType::kF16:
    case DType::kBF16:
      return "u16";
    case DType::kUI32:
      return "u32";
    case DType::kUI64:
      return "u64";
    case DType::kF32:
    case DType::kC64:
      return "f32";
    case DType::kF64:
    case DType::kC128:
      return "f64";
  }
  return "";
}

std::string ConstantText(DType dtype, uint64_t bits) {
  if (dtype == DType::kI1) return bits != 0 ? "true" : "false";
  if (dtype == DType::kF32 || dtype == DType::kF64) return FloatConstant(dtype, bits);
  if (!ir::IsSigned(dtype) || ir::IsFloat(dtype)) {
    return absl::StrCat(bits, dtype == DType::kUI64 ? "ull" : "u");
  }
  const int unused = 64 - ir::BitsOf(dtype);
  const int64_t value = static_cast<int64_t>(bits << unused) >> unused;
  // The lowest value of a type has no literal.
  if (value == INT64_MIN) return "(-9223372036854775807ll - 1)";
  if (value == INT32_MIN && dtype == DType::kI32) return "(-2147483647 - 1)";
  return absl::StrCat(value, dtype == DType::kI64 ? "ll" : "");
}

std::string ScalarText(ScalarOp op, DType operand_dtype, DType result_dtype,
                       const std::vector<std::string>& operands) {
  const bool is_float = ir::IsFloat(operand_dtype);
  const auto arithmetic = [&](absl::string_view infix, absl::string_view function) {
    return is_float ? Infix(infix, operands) : Arithmetic(function, operand_dtype, operands);
  };
  switch (op) {
    case ScalarOp::kConvert:
      return ConvertText(operands[0], operand_dtype, result_dtype);
    case ScalarOp::kBitcast:
      return BitcastText(operands[0], operand_dtype, result_dtype);
    case ScalarOp::kSelect:
      return absl::StrCat(operands[0], " ? ", operands[1], " : ", operands[2]);

    case ScalarOp::kAdd:
      return arithmetic("+", "Add");
    case ScalarOp::kSubtract:
      return arithmetic("-", "Subtract");
    case ScalarOp::kMultiply:
      return arithmetic("*", "Multiply");
    case ScalarOp::kDivide:
      return arithmetic("/", "Divide");
    case ScalarOp::kNegate:
      return is_float ? absl::StrCat("-", operands[0])
                      : Arithmetic("Negate", operand_dtype, operands);
    case ScalarOp::kRemainder:
      return Arithmetic("Remainder", operand_dtype, operands);
    case ScalarOp::kPower:
      return Arithmetic("Power", operand_dtype, operands);
    case ScalarOp::kAbs:
      return Arithmetic("Abs", operand_dtype, operands);
    case ScalarOp::kMax:
      return Call("Max", operands);
    case ScalarOp::kMin:
      return Call("Min", operands);

    case ScalarOp::kEq:
      return Infix("==", operands);
    case ScalarOp::kNe:
      return Infix("!=", operands);
    case ScalarOp::kLt:
      return Infix("<", operands);
    case ScalarOp::kLe:
      return Infix("<=", operands);
    case ScalarOp::kGt:
      return Infix(">", operands);
    case ScalarOp::kGe:
      return Infix(">=", operands);

    case ScalarOp::kAnd:
      return Infix("&", operands);
    case ScalarOp::kOr:
      return Infix("|", operands);
    case ScalarOp::kXor:
      return Infix("^", operands);
    case ScalarOp::kNot:
      return operand_dtype == DType::kI1 ? absl::StrCat("!", operands[0])
                                         : Arithmetic("Not", operand_dtype, operands);
    case ScalarOp::kShiftLeft:
      return Arithmetic("ShiftLeft", operand_dtype, operands);
    case ScalarOp::kShiftRightArithmetic:
      return Arithmetic("ShiftRightArithmetic", operand_dtype, operands);
    case ScalarOp::kShiftRightLogical:
      return Arithmetic("ShiftRightLogical", operand_dtype, operands);
    case ScalarOp::kCountLeadingZeros:
      return Arithmetic("CountLeadingZeros", operand_dtype, operands);
    case ScalarOp::kPopcnt:
      return Arithmetic("Popcnt", operand_dtype, operands);

    case ScalarOp::kAcos:
      return Call("Acos", operands);
    case ScalarOp::kAcosh:
      return Call("Acosh", operands);
    case ScalarOp::kAsin:
      return Call("Asin", operands);
    case ScalarOp::kAsinh:
      return Call("Asinh", operands);
    case ScalarOp::kAtan:
      return Call("Atan", operands);
    case ScalarOp::kAtan2:
      return Call("Atan2", operands);
    case ScalarOp::kAtanh:
      return Call("Atanh", operands);
    case ScalarOp::kCbrt:
      return Call("Cbrt", operands);
    case ScalarOp::kCeil:
      return Call("Ceil", operands);
    case ScalarOp::kCos:
      return Call("Cos", operands);
    case ScalarOp::kCosh:
      return Call("Cosh", operands);
    case ScalarOp::kErf:
      return Call("Erf", operands);
    case ScalarOp::kErfc:
      return Call("Erfc", operands);
    case ScalarOp::kExp:
      return Call("Exp", operands);
    case ScalarOp::kExpm1:
      return Call("Expm1", operands);
    case ScalarOp::kFloor:
      return Call("Floor", operands);
    case ScalarOp::kFma:
      return Call("Fma", operands);
    case ScalarOp::kIsFinite:
      return Call("IsFinite", operands);
    case ScalarOp::kLgamma:
      return Call("Lgamma", operands);
    case ScalarOp::kLog:
      return Call("Log", operands);
    case ScalarOp::kLog1p:
      return Call("Log1p", operands);
    case ScalarOp::kLogistic:
      return Call("Logistic", operands);
    case ScalarOp::kRoundAfz:
      return Call("RoundAfz", operands);
    case ScalarOp::kRoundEven:
      return Call("RoundEven", operands);
    case ScalarOp::kRsqrt:
      return Call("Rsqrt", operands);
    case ScalarOp::kSin:
      return Call("Sin", operands);
    case ScalarOp::kSinh:
      return Call("Sinh", operands);
    case ScalarOp::kSqrt:
      return Call("Sqrt", operands);
    case ScalarOp::kTan:
      return Call("Tan", operands);
    case ScalarOp::kTanh:
      return Call("Tanh", operands);
  }
  return "";
}

}  // namespace acceld::kernels::cuda
