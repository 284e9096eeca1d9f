// Derivatives of elementwise ops, as in JAX's lax.py.

#include "common/ir/transform/derivation.h"

namespace acceld::ir {
namespace {

// The results have no tangents, or are constant between isolated points.
#define ACCELD_WITHOUT_TANGENTS(Kind) \
  absl::Status Derive##Kind(Derivation&) { return absl::OkStatus(); }

// The op is linear in its only operand.
absl::Status DeriveLinear(Derivation& d) {
  d.AddTangent(d.CopyForTangents({0}));
  return absl::OkStatus();
}

bool IsComplexOp(const Derivation& d) { return IsComplex(d.operand_type(0).dtype); }

ValueId Square(Emitter& e, ValueId x) { return e.Mul(x, x); }
// `x` where it is not zero, and 1 elsewhere.
ValueId WithoutZeros(Emitter& e, ValueId x) {
  return e.Select(e.Compare(ComparisonDirection::kEq, x, e.Fill(x, 0)), e.Fill(x, 1), x);
}
ValueId Part(Emitter& e, OpKind real_or_imag, ValueId x) { return e.Op(real_or_imag, {x}); }
ValueId ComplexOf(Emitter& e, ValueId re, ValueId im) { return e.Op(OpKind::kComplex, {re, im}); }
ValueId Conjugate(Emitter& e, ValueId x) {
  return ComplexOf(e, Part(e, OpKind::kReal, x), e.Neg(Part(e, OpKind::kImag, x)));
}

// Of two numbers the larger one, or the smaller one, takes the tangent; equal ones take half.
absl::Status DeriveExtremum(Derivation& d) {
  Emitter& e = d.known;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (!d.IsActive(i)) continue;
    const auto is_result = [&](size_t operand) {
      return e.Compare(ComparisonDirection::kEq, d.operand(operand), d.result());
    };
    const ValueId one = e.Fill(d.result(), 1), zero = e.Fill(d.result(), 0);
    const ValueId share = e.Div(e.Select(is_result(i), one, zero),
                                e.Select(is_result(1 - i), e.Fill(d.result(), 2), one));
    d.AddScaled(i, share);
  }
  return absl::OkStatus();
}

}  // namespace

ACCELD_WITHOUT_TANGENTS(And)
ACCELD_WITHOUT_TANGENTS(Ceil)
ACCELD_WITHOUT_TANGENTS(Compare)
ACCELD_WITHOUT_TANGENTS(CountLeadingZeros)
ACCELD_WITHOUT_TANGENTS(Floor)
ACCELD_WITHOUT_TANGENTS(IsFinite)
ACCELD_WITHOUT_TANGENTS(Not)
ACCELD_WITHOUT_TANGENTS(Or)
ACCELD_WITHOUT_TANGENTS(Popcnt)
ACCELD_WITHOUT_TANGENTS(RoundNearestAfz)
ACCELD_WITHOUT_TANGENTS(RoundNearestEven)
ACCELD_WITHOUT_TANGENTS(ShiftLeft)
ACCELD_WITHOUT_TANGENTS(ShiftRightArithmetic)
ACCELD_WITHOUT_TANGENTS(ShiftRightLogical)
ACCELD_WITHOUT_TANGENTS(Xor)

absl::Status DeriveConvert(Derivation& d) { return DeriveLinear(d); }
absl::Status DeriveImag(Derivation& d) { return DeriveLinear(d); }
absl::Status DeriveNegate(Derivation& d) { return DeriveLinear(d); }
absl::Status DeriveReal(Derivation& d) { return DeriveLinear(d); }
absl::Status DeriveReducePrecision(Derivation& d) { return DeriveLinear(d); }

absl::Status DeriveAbs(Derivation& d) {
  Emitter& e = d.known;
  const ValueId x = d.operand(0);
  if (!IsComplexOp(d)) {
    const ValueId not_negative = e.Compare(ComparisonDirection::kGe, x, e.Fill(x, 0));
    const ValueId t = d.tangent(0);
    d.AddTangent(d.linear.Select(d.InLinear(not_negative), t, d.linear.Neg(t)));
    return absl::OkStatus();
  }
  const ValueId size = WithoutZeros(e, ComplexOf(e, d.result(), e.Fill(d.result(), 0)));
  const ValueId factor = e.Div(Conjugate(e, x), size);
  d.AddTangent(Part(d.linear, OpKind::kReal, d.linear.Mul(d.tangent(0), d.InLinear(factor))));
  return absl::OkStatus();
}

absl::Status DeriveAdd(Derivation& d) {
  for (size_t i = 0; i < 2; ++i) {
    if (d.IsActive(i)) d.AddTangent(d.tangent(i));
  }
  return absl::OkStatus();
}

absl::Status DeriveAtan2(Derivation& d) {
  Emitter& e = d.known;
  const ValueId y = d.operand(0), x = d.operand(1);
  const ValueId squares = e.Add(Square(e, y), Square(e, x));
  if (d.IsActive(0)) d.AddScaled(0, e.Div(x, squares));
  if (d.IsActive(1)) d.AddScaled(1, e.Div(e.Neg(y), squares));
  return absl::OkStatus();
}

absl::Status DeriveCbrt(Derivation& d) {
  Emitter& e = d.known;
  const ValueId third = e.Fill(d.result(), 1.0 / 3);
  d.AddScaled(0, e.Mul(third, e.Div(d.result(), d.operand(0))));
  return absl::OkStatus();
}

// Operands: the lower bound, the value, the upper bound. A bound takes the tangent where the value
// is beyond it. Bounds may be scalars.
absl::Status DeriveClamp(Derivation& d) {
  Emitter& e = d.known;
  const TensorType& type = d.result_type();
  const auto like_result = [&](Emitter& emitter, ValueId x, size_t operand) {
    return d.operand_type(operand).dims == type.dims ? x : emitter.Broadcast(x, type.dims);
  };
  const ValueId low = like_result(e, d.operand(0), 0), x = d.operand(1);
  const ValueId high = like_result(e, d.operand(2), 2);
  const auto select = [&](size_t operand, ValueId condition) {
    const ValueId t = like_result(d.linear, d.tangent(operand), operand);
    d.AddTangent(d.linear.Select(d.InLinear(condition), t, d.linear.Constant(type, 0)));
  };
  const auto both = [&](ValueId a, ValueId b) { return e.Op(OpKind::kAnd, {a, b}); };
  if (d.IsActive(0)) select(0, both(e.Less(x, low), e.Less(low, high)));
  if (d.IsActive(1)) select(1, both(e.Less(low, x), e.Less(x, high)));
  if (d.IsActive(2)) select(2, e.Less(high, x));
  return absl::OkStatus();
}

absl::Status DeriveComplex(Derivation& d) {
  d.AddTangent(ComplexOf(d.linear, d.TangentOrZeros(0), d.TangentOrZeros(1)));
  return absl::OkStatus();
}

absl::Status DeriveCosine(Derivation& d) {
  const ValueId sine = d.known.Op(OpKind::kSine, {d.operand(0)});
  d.AddTangent(d.linear.Neg(d.linear.Mul(d.tangent(0), d.InLinear(sine))));
  return absl::OkStatus();
}

absl::Status DeriveDivide(Derivation& d) {
  Emitter& e = d.known;
  const ValueId x = d.operand(0), y = d.operand(1);
  if (d.IsActive(0)) d.AddTangent(d.linear.Div(d.tangent(0), d.InLinear(y)));
  if (d.IsActive(1)) {
    const ValueId inverse_square = e.Div(e.Fill(y, 1), Square(e, y));
    d.AddScaled(1, e.Mul(e.Neg(x), inverse_square));
  }
  return absl::OkStatus();
}

absl::Status DeriveExponential(Derivation& d) {
  d.AddScaled(0, d.result());
  return absl::OkStatus();
}

absl::Status DeriveExponentialMinusOne(Derivation& d) {
  d.AddScaled(0, d.known.Add(d.result(), d.known.Fill(d.result(), 1)));
  return absl::OkStatus();
}

absl::Status DeriveLog(Derivation& d) {
  d.AddTangent(d.linear.Div(d.tangent(0), d.InLinear(d.operand(0))));
  return absl::OkStatus();
}

absl::Status DeriveLogPlusOne(Derivation& d) {
  const ValueId sum = d.known.Add(d.operand(0), d.known.Fill(d.operand(0), 1));
  d.AddTangent(d.linear.Div(d.tangent(0), d.InLinear(sum)));
  return absl::OkStatus();
}

absl::Status DeriveLogistic(Derivation& d) {
  Emitter& e = d.known;
  d.AddScaled(0, e.Mul(d.result(), e.Sub(e.Fill(d.result(), 1), d.result())));
  return absl::OkStatus();
}

absl::Status DeriveMaximum(Derivation& d) { return DeriveExtremum(d); }
absl::Status DeriveMinimum(Derivation& d) { return DeriveExtremum(d); }

absl::Status DeriveMultiply(Derivation& d) {
  if (d.IsActive(0)) d.AddScaled(0, d.operand(1));
  if (d.IsActive(1)) d.AddScaled(1, d.operand(0));
  return absl::OkStatus();
}

absl::Status DerivePower(Derivation& d) {
  Emitter& e = d.known;
  const ValueId x = d.operand(0), y = d.operand(1);
  if (d.IsActive(0)) {
    const ValueId lower = e.Op(OpKind::kPower, {x, e.Sub(y, e.Fill(y, 1))});
    d.AddScaled(0, e.Mul(y, lower));
  }
  if (d.IsActive(1)) {
    d.AddScaled(1, e.Mul(e.Op(OpKind::kLog, {WithoutZeros(e, x)}), d.result()));
  }
  return absl::OkStatus();
}

absl::Status DeriveRemainder(Derivation& d) {
  Emitter& e = d.known;
  if (d.IsActive(0)) d.AddTangent(d.tangent(0));
  if (d.IsActive(1)) {
    // The quotient, rounded toward zero.
    const ValueId quotient = e.Div(d.operand(0), d.operand(1));
    const ValueId rounded = e.Mul(e.Op(OpKind::kSign, {quotient}),
                                  e.Op(OpKind::kFloor, {e.Op(OpKind::kAbs, {quotient})}));
    d.AddScaled(1, e.Neg(rounded));
  }
  return absl::OkStatus();
}

absl::Status DeriveRsqrt(Derivation& d) {
  Emitter& e = d.known;
  d.AddScaled(0, e.Mul(e.Fill(d.result(), -0.5), e.Div(d.result(), d.operand(0))));
  return absl::OkStatus();
}

absl::Status DeriveSelect(Derivation& d) {
  d.AddTangent(d.linear.Select(d.InLinear(d.operand(0)), d.TangentOrZeros(1), d.TangentOrZeros(2)));
  return absl::OkStatus();
}

// The sign of a complex number z is z / |z|: it turns by the part of the tangent that is orthogonal
// to z, divided by |z|.
absl::Status DeriveSign(Derivation& d) {
  if (!IsComplexOp(d)) return absl::OkStatus();
  Emitter &e = d.known, &l = d.linear;
  const ValueId size = WithoutZeros(e, e.Op(OpKind::kAbs, {d.operand(0)}));
  const ValueId along = l.Mul(d.tangent(0), d.InLinear(Conjugate(e, d.result())));
  const ValueId angle = l.Div(Part(l, OpKind::kImag, along), d.InLinear(size));
  d.AddTangent(l.Mul(ComplexOf(l, l.Fill(angle, 0), angle), d.InLinear(d.result())));
  return absl::OkStatus();
}

absl::Status DeriveSine(Derivation& d) {
  d.AddScaled(0, d.known.Op(OpKind::kCosine, {d.operand(0)}));
  return absl::OkStatus();
}

absl::Status DeriveSqrt(Derivation& d) {
  d.AddScaled(0, d.known.Div(d.known.Fill(d.result(), 0.5), d.result()));
  return absl::OkStatus();
}

absl::Status DeriveSubtract(Derivation& d) {
  if (d.IsActive(0)) d.AddTangent(d.tangent(0));
  if (d.IsActive(1)) d.AddTangent(d.linear.Neg(d.tangent(1)));
  return absl::OkStatus();
}

absl::Status DeriveTan(Derivation& d) {
  Emitter& e = d.known;
  d.AddScaled(0, e.Add(e.Fill(d.result(), 1), Square(e, d.result())));
  return absl::OkStatus();
}

absl::Status DeriveTanh(Derivation& d) {
  Emitter& e = d.known;
  const ValueId one = e.Fill(d.result(), 1);
  d.AddScaled(0, e.Mul(e.Add(one, d.result()), e.Sub(one, d.result())));
  return absl::OkStatus();
}

}  // namespace acceld::ir
