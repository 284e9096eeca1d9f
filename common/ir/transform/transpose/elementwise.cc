// Transposes of elementwise ops.

#include "common/ir/transform/transposition.h"

namespace acceld::ir {
namespace {

// The op is its own transpose.
absl::Status TransposeSymmetric(Transposition& t) {
  t.AddCotangent(0, t.emit.Op(t.op().kind, {t.cotangent()}, t.op().attributes));
  return absl::OkStatus();
}

// A sum with a term that is not linear is affine.
absl::Status CheckTermsAreLinear(Transposition& t) {
  if (t.IsLinear(0) && t.IsLinear(1)) return absl::OkStatus();
  return t.Refuse("one of its terms does not depend on linear arguments");
}

}  // namespace

ACCELD_NOT_LINEAR(Abs)
ACCELD_NOT_LINEAR(And)
ACCELD_NOT_LINEAR(Atan2)
ACCELD_NOT_LINEAR(Cbrt)
ACCELD_NOT_LINEAR(Ceil)
ACCELD_NOT_LINEAR(Clamp)
ACCELD_NOT_LINEAR(Compare)
ACCELD_NOT_LINEAR(Cosine)
ACCELD_NOT_LINEAR(CountLeadingZeros)
ACCELD_NOT_LINEAR(Exponential)
ACCELD_NOT_LINEAR(ExponentialMinusOne)
ACCELD_NOT_LINEAR(Floor)
ACCELD_NOT_LINEAR(IsFinite)
ACCELD_NOT_LINEAR(Log)
ACCELD_NOT_LINEAR(LogPlusOne)
ACCELD_NOT_LINEAR(Logistic)
ACCELD_NOT_LINEAR(Maximum)
ACCELD_NOT_LINEAR(Minimum)
ACCELD_NOT_LINEAR(Not)
ACCELD_NOT_LINEAR(Or)
ACCELD_NOT_LINEAR(Popcnt)
ACCELD_NOT_LINEAR(Power)
ACCELD_NOT_LINEAR(Remainder)
ACCELD_NOT_LINEAR(RoundNearestAfz)
ACCELD_NOT_LINEAR(RoundNearestEven)
ACCELD_NOT_LINEAR(Rsqrt)
ACCELD_NOT_LINEAR(ShiftLeft)
ACCELD_NOT_LINEAR(ShiftRightArithmetic)
ACCELD_NOT_LINEAR(ShiftRightLogical)
ACCELD_NOT_LINEAR(Sign)
ACCELD_NOT_LINEAR(Sine)
ACCELD_NOT_LINEAR(Sqrt)
ACCELD_NOT_LINEAR(Tan)
ACCELD_NOT_LINEAR(Tanh)
ACCELD_NOT_LINEAR(Xor)

absl::Status TransposeNegate(Transposition& t) { return TransposeSymmetric(t); }
absl::Status TransposeReducePrecision(Transposition& t) { return TransposeSymmetric(t); }

absl::Status TransposeAdd(Transposition& t) {
  ACCELD_RETURN_IF_ERROR(CheckTermsAreLinear(t));
  t.AddCotangent(0, t.cotangent());
  t.AddCotangent(1, t.cotangent());
  return absl::OkStatus();
}

absl::Status TransposeSubtract(Transposition& t) {
  ACCELD_RETURN_IF_ERROR(CheckTermsAreLinear(t));
  t.AddCotangent(0, t.cotangent());
  t.AddCotangent(1, t.emit.Neg(t.cotangent()));
  return absl::OkStatus();
}

absl::Status TransposeMultiply(Transposition& t) {
  if (t.IsLinear(0) && t.IsLinear(1)) return t.Refuse("both factors depend on linear arguments");
  const size_t linear = t.IsLinear(0) ? 0 : 1;
  t.AddCotangent(linear, t.emit.Mul(t.cotangent(), t.known(1 - linear)));
  return absl::OkStatus();
}

absl::Status TransposeDivide(Transposition& t) {
  if (t.IsLinear(1)) return t.Refuse("the divisor depends on linear arguments");
  t.AddCotangent(0, t.emit.Div(t.cotangent(), t.known(1)));
  return absl::OkStatus();
}

absl::Status TransposeSelect(Transposition& t) {
  if (t.IsLinear(0)) return t.Refuse("the predicate depends on linear arguments");
  Emitter& e = t.emit;
  const ValueId zero = e.Fill(t.cotangent(), 0);
  if (t.IsLinear(1)) t.AddCotangent(1, e.Select(t.known(0), t.cotangent(), zero));
  if (t.IsLinear(2)) t.AddCotangent(2, e.Select(t.known(0), zero, t.cotangent()));
  return absl::OkStatus();
}

absl::Status TransposeConvert(Transposition& t) {
  t.AddCotangent(0, t.emit.Convert(t.cotangent(), t.operand_type(0).dtype));
  return absl::OkStatus();
}

// A pair of numbers (a, b) as a cotangent of a + bi stands for the product a re - b im, so that
// products of complex numbers need no conjugates.
absl::Status TransposeReal(Transposition& t) {
  Emitter& e = t.emit;
  const ValueId zero = e.Fill(t.cotangent(), 0);
  t.AddCotangent(0, IsComplex(t.operand_type(0).dtype)
                        ? e.Op(OpKind::kComplex, {t.cotangent(), zero})
                        : t.cotangent());
  return absl::OkStatus();
}

absl::Status TransposeImag(Transposition& t) {
  Emitter& e = t.emit;
  // The imaginary part of a real number is zero.
  if (!IsComplex(t.operand_type(0).dtype)) return absl::OkStatus();
  const ValueId zero = e.Fill(t.cotangent(), 0);
  t.AddCotangent(0, e.Op(OpKind::kComplex, {zero, e.Neg(t.cotangent())}));
  return absl::OkStatus();
}

absl::Status TransposeComplex(Transposition& t) {
  Emitter& e = t.emit;
  if (t.IsLinear(0)) t.AddCotangent(0, e.Op(OpKind::kReal, {t.cotangent()}));
  if (t.IsLinear(1)) t.AddCotangent(1, e.Neg(e.Op(OpKind::kImag, {t.cotangent()})));
  return absl::OkStatus();
}

}  // namespace acceld::ir
