#include "kernels/ir/build/scalar_fold.h"

#include <bit>

namespace acceld::kernels {
namespace {

using ir::BitsOf;

// The operands of one integer operation, as unsigned (U) and signed (S) values of the dtype, and
// the operations that need more than one C++ operator.
class IntegerFold {
 public:
  IntegerFold(DType dtype, absl::Span<const uint64_t> bits)
      : dtype_(dtype), bits_(bits), signed_(ir::IsSigned(dtype)), width_(BitsOf(dtype)) {}

  uint64_t U(int i) const { return TruncateToWidth(dtype_, bits_[i]); }
  int64_t S(int i) const { return ExtendFromWidth(dtype_, bits_[i]); }
  bool is_signed() const { return signed_; }
  int width() const { return width_; }

  bool Less() const { return signed_ ? S(0) < S(1) : U(0) < U(1); }

  uint64_t Divide() const {
    if (U(1) == 0) return ~uint64_t{0};
    if (!signed_) return U(0) / U(1);
    if (S(1) == -1) return uint64_t{0} - U(0);
    return static_cast<uint64_t>(S(0) / S(1));
  }

  uint64_t Remainder() const {
    if (U(1) == 0) return U(0);
    if (!signed_) return U(0) % U(1);
    if (S(1) == -1) return 0;
    return static_cast<uint64_t>(S(0) % S(1));
  }

  uint64_t Power() const {
    if (signed_ && S(1) < 0) {
      if (S(0) == 1) return 1;
      if (S(0) == -1) return (S(1) & 1) != 0 ? ~uint64_t{0} : 1;
      return 0;
    }
    uint64_t result = 1;
    uint64_t base = U(0);
    for (uint64_t exponent = U(1); exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) result *= base;
      base *= base;
    }
    return result;
  }

  uint64_t Shift(ScalarOp op) const {
    const uint64_t amount = U(1);
    const int64_t value = static_cast<int64_t>(U(0) << (64 - width_)) >> (64 - width_);
    if (op == ScalarOp::kShiftRightArithmetic) {
      return static_cast<uint64_t>(amount >= static_cast<uint64_t>(width_) ? value >> 63
                                                                           : value >> amount);
    }
    if (amount >= static_cast<uint64_t>(width_)) return 0;
    return op == ScalarOp::kShiftLeft ? U(0) << amount : U(0) >> amount;
  }

 private:
  DType dtype_;
  absl::Span<const uint64_t> bits_;
  bool signed_;
  int width_;
};

absl::optional<uint64_t> Fold(ScalarOp op, const IntegerFold& f) {
  switch (op) {
    case ScalarOp::kAbs:
      return f.is_signed() && f.S(0) < 0 ? uint64_t{0} - f.U(0) : f.U(0);
    case ScalarOp::kAdd:
      return f.U(0) + f.U(1);
    case ScalarOp::kSubtract:
      return f.U(0) - f.U(1);
    case ScalarOp::kMultiply:
      return f.U(0) * f.U(1);
    case ScalarOp::kDivide:
      return f.Divide();
    case ScalarOp::kRemainder:
      return f.Remainder();
    case ScalarOp::kPower:
      return f.Power();
    case ScalarOp::kNegate:
      return uint64_t{0} - f.U(0);
    case ScalarOp::kAnd:
      return f.U(0) & f.U(1);
    case ScalarOp::kOr:
      return f.U(0) | f.U(1);
    case ScalarOp::kXor:
      return f.U(0) ^ f.U(1);
    case ScalarOp::kNot:
      return ~f.U(0);
    case ScalarOp::kMin:
      return f.Less() ? f.U(0) : f.U(1);
    case ScalarOp::kMax:
      return f.Less() ? f.U(1) : f.U(0);
    case ScalarOp::kEq:
      return f.U(0) == f.U(1);
    case ScalarOp::kNe:
      return f.U(0) != f.U(1);
    case ScalarOp::kLt:
      return f.Less();
    case ScalarOp::kGe:
      return !f.Less();
    case ScalarOp::kLe:
      return f.Less() || f.U(0) == f.U(1);
    case ScalarOp::kGt:
      return !f.Less() && f.U(0) != f.U(1);
    case ScalarOp::kPopcnt:
      return std::popcount(f.U(0));
    case ScalarOp::kCountLeadingZeros:
      return std::countl_zero(f.U(0)) - (64 - f.width());
    case ScalarOp::kShiftLeft:
    case ScalarOp::kShiftRightArithmetic:
    case ScalarOp::kShiftRightLogical:
      return f.Shift(op);
    case ScalarOp::kBitcast:
      return f.U(0);
    case ScalarOp::kAcos:
    case ScalarOp::kAcosh:
    case ScalarOp::kAsin:
    case ScalarOp::kAsinh:
    case ScalarOp::kAtan:
    case ScalarOp::kAtan2:
    case ScalarOp::kAtanh:
    case ScalarOp::kCbrt:
    case ScalarOp::kCeil:
    case ScalarOp::kConvert:
    case ScalarOp::kCos:
    case ScalarOp::kCosh:
    case ScalarOp::kErf:
    case ScalarOp::kErfc:
    case ScalarOp::kExp:
    case ScalarOp::kExpm1:
    case ScalarOp::kFloor:
    case ScalarOp::kFma:
    case ScalarOp::kIsFinite:
    case ScalarOp::kLgamma:
    case ScalarOp::kLog:
    case ScalarOp::kLog1p:
    case ScalarOp::kLogistic:
    case ScalarOp::kRoundAfz:
    case ScalarOp::kRoundEven:
    case ScalarOp::kRsqrt:
    case ScalarOp::kSelect:
    case ScalarOp::kSin:
    case ScalarOp::kSinh:
    case ScalarOp::kSqrt:
    case ScalarOp::kTan:
    case ScalarOp::kTanh:
      return absl::nullopt;
  }
  return absl::nullopt;
}

}  // namespace

uint64_t TruncateToWidth(DType dtype, uint64_t bits) {
  const int width = BitsOf(dtype);
  return width >= 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

int64_t ExtendFromWidth(DType dtype, uint64_t bits) {
  const uint64_t truncated = TruncateToWidth(dtype, bits);
  if (!ir::IsSigned(dtype)) return static_cast<int64_t>(truncated);
  const int unused = 64 - BitsOf(dtype);
  return static_cast<int64_t>(truncated << unused) >> unused;
}

absl::optional<uint64_t> FoldInteger(ScalarOp op, DType dtype, absl::Span<const uint64_t> operands,
                                     DType result_dtype) {
  if (ir::IsFloat(dtype) || ir::IsFloat(result_dtype)) return absl::nullopt;
  if (op == ScalarOp::kConvert) {
    if (result_dtype == DType::kI1) return TruncateToWidth(dtype, operands[0]) != 0;
    return TruncateToWidth(result_dtype,
                           static_cast<uint64_t>(ExtendFromWidth(dtype, operands[0])));
  }
  const absl::optional<uint64_t> value = Fold(op, IntegerFold(dtype, operands));
  if (!value.has_value()) return absl::nullopt;
  return TruncateToWidth(result_dtype, *value);
}

}  // namespace acceld::kernels
