#include "kernels/lowering/elements/complex_math.h"

#include <cmath>
#include <limits>

namespace acceld::kernels {
namespace {

// Emits real arithmetic in f64, and the complex functions composed of it.
class Formulas {
 public:
  explicit Formulas(KernelBuilder& b) : b_(b) {}

  Var C(double v) const { return b_.ConstantFloat(DType::kF64, v); }
  Var Add(Var x, Var y) const { return b_.Apply(ScalarOp::kAdd, {x, y}); }
  Var Sub(Var x, Var y) const { return b_.Apply(ScalarOp::kSubtract, {x, y}); }
  Var Mul(Var x, Var y) const { return b_.Apply(ScalarOp::kMultiply, {x, y}); }
  Var Div(Var x, Var y) const { return b_.Apply(ScalarOp::kDivide, {x, y}); }
  Var Fma(Var x, Var y, Var z) const { return b_.Apply(ScalarOp::kFma, {x, y, z}); }
  Var Neg(Var x) const { return b_.Apply(ScalarOp::kNegate, {x}); }
  Var Of(ScalarOp op, Var x) const { return b_.Apply(op, {x}); }
  Var Fabs(Var x) const { return Of(ScalarOp::kAbs, x); }
  Var Lt(Var x, Var y) const { return b_.Apply(ScalarOp::kLt, {x, y}); }
  Var Ge(Var x, Var y) const { return b_.Apply(ScalarOp::kGe, {x, y}); }
  Var Eq(Var x, Var y) const { return b_.Apply(ScalarOp::kEq, {x, y}); }
  Var And(Var x, Var y) const { return b_.Apply(ScalarOp::kAnd, {x, y}); }
  Var Or(Var x, Var y) const { return b_.Apply(ScalarOp::kOr, {x, y}); }
  Var Sel(Var c, Var x, Var y) const { return b_.Select(c, x, y); }
  Element Sel(Var c, const Element& x, const Element& y) const {
    return {Sel(c, x.re, y.re), Sel(c, x.im, y.im)};
  }
  Var Infinity() const { return C(std::numeric_limits<double>::infinity()); }
  Var IsNegative(Var x) const {  // whether the sign bit is set
    return Lt(b_.Bitcast(DType::kI64, x), b_.ConstantInt(DType::kI64, 0));
  }
  Var CopySign(Var magnitude, Var sign) const {
    const Var m = Fabs(magnitude);
    return Sel(IsNegative(sign), Neg(m), m);
  }
  Var Trunc(Var x) const {
    return Sel(Lt(x, C(0)), Of(ScalarOp::kCeil, x), Of(ScalarOp::kFloor, x));
  }
  Var Max(Var x, Var y) const { return b_.Apply(ScalarOp::kMax, {x, y}); }
  Var Min(Var x, Var y) const { return b_.Apply(ScalarOp::kMin, {x, y}); }
  Var IsInfinite(Var x) const { return Eq(Fabs(x), Infinity()); }
  Var IsNan(Var x) const { return b_.Apply(ScalarOp::kNe, {x, x}); }

  // |x|, without overflow: the larger part times sqrt(1 + ratio^2). If a part is infinite, the
  // result is infinity even if the other part is NaN.
  Var Abs(const Element& x) const {
    const Var re = Fabs(x.re);
    const Var im = Fabs(x.im);
    const Var large = Max(re, im);
    const Var ratio = Sel(Eq(re, im), C(1), Div(Min(re, im), large));
    const Var value = Mul(large, Of(ScalarOp::kSqrt, Fma(ratio, ratio, C(1))));
    const Var infinite = Or(Eq(re, Infinity()), Eq(im, Infinity()));
    return Sel(infinite, Infinity(), Sel(Eq(large, C(0)), C(0), value));
  }

  Element Multiply(const Element& x, const Element& y) const {
    return {Sub(Mul(x.re, y.re), Mul(x.im, y.im)), Add(Mul(x.re, y.im), Mul(x.im, y.re))};
  }

  // Smith's division; which part of the divisor is larger selects the formula.
  Element DivideFinite(const Element& x, const Element& y) const {
    const Var by_re = Ge(Fabs(y.re), Fabs(y.im));
    const Var large = Sel(by_re, y.re, y.im);
    const Var small = Sel(by_re, y.im, y.re);
    const Var ratio = Div(small, large);
    const Var denominator = Fma(small, ratio, large);
    const Var p = Sel(by_re, x.re, x.im);  // the part that corresponds to the divisor's larger part
    const Var q = Sel(by_re, x.im, x.re);
    const Var im = Fma(p, Sel(by_re, Neg(ratio), ratio), Sel(by_re, q, Neg(q)));
    return {Div(Fma(q, ratio, p), denominator), Div(im, denominator)};
  }

  // Replaces each part by 1 if it is infinite, else by 0, and keeps its sign.
  Element InfiniteParts(const Element& x) const {
    const auto part = [&](Var v) { return CopySign(Sel(IsInfinite(v), C(1), C(0)), v); };
    return {part(x.re), part(x.im)};
  }

  // Smith's division, but where it gives NaN in both parts because of infinities or zeros, the
  // result that C99 annex G specifies.
  Element Divide(const Element& x, const Element& y) const {
    Element value = DivideFinite(x, y);
    const Var lost = And(IsNan(value.re), IsNan(value.im));
    const auto product = [&](Var scale, const Element& a, const Element& b) {
      return Element{Mul(scale, Add(Mul(a.re, b.re), Mul(a.im, b.im))),
                     Mul(scale, Sub(Mul(a.im, b.re), Mul(a.re, b.im)))};
    };
    const auto finite = [&](const Element& v) {
      return And(Lt(Fabs(v.re), Infinity()), Lt(Fabs(v.im), Infinity()));
    };
    const auto infinite = [&](const Element& v) { return Or(IsInfinite(v.re), IsInfinite(v.im)); };
    value = Sel(And(lost, And(finite(x), infinite(y))), product(C(0), x, InfiniteParts(y)), value);
    value = Sel(And(lost, And(infinite(x), finite(y))), product(Infinity(), InfiniteParts(x), y),
                value);
    // Division by zero gives infinities with the signs of the dividend's parts, and NaN for parts
    // that are zero.
    const Var zero = And(Eq(y.re, C(0)), Eq(y.im, C(0)));
    const Var signed_infinity = CopySign(Infinity(), y.re);
    return Sel(zero, {Mul(x.re, signed_infinity), Mul(x.im, signed_infinity)}, value);
  }

  // e^x. A real argument has a real result, even if it overflows.
  Element Exp(const Element& x) const {
    const Var scale = Of(ScalarOp::kExp, x.re);
    const Var real = Eq(x.im, C(0));
    const Var vanishes = Eq(x.re, Neg(Infinity()));
    const Element value{Mul(scale, Of(ScalarOp::kCos, x.im)),
                        Sel(real, x.im, Mul(scale, Of(ScalarOp::kSin, x.im)))};
    return {Sel(real, scale, Sel(vanishes, C(0), value.re)), Sel(vanishes, C(0), value.im)};
  }

  // log(sqrt(u^2 + v^2)) for u = 1 + t. The caller passes t because it may know t more precisely
  // than u; otherwise t is u - 1.
  Var LogMagnitude(Var u, Var v, Var t) const {
    const Var re = Fabs(u);
    const Var im = Fabs(v);
    const Var large = Max(re, im);
    const Var small = Min(re, im);
    const Var ratio = Sel(Eq(large, small), C(1), Div(small, large));
    const Var general =
        Add(Of(ScalarOp::kLog, large), Mul(C(0.5), Of(ScalarOp::kLog1p, Mul(ratio, ratio))));
    // Near the unit circle: u^2 + v^2 - 1 = t (t + 2) + v^2, with the rounding errors of both
    // products added back.
    const Var t2 = Add(t, C(2));
    const Var p = Mul(t, t2);
    const Var q = Mul(v, v);
    const Var error = Add(Fma(t, t2, Neg(p)), Fma(v, v, Neg(q)));
    const Var near = Mul(C(0.5), Of(ScalarOp::kLog1p, Add(Add(p, q), error)));
    const Var is_near = And(Ge(u, C(0.5)), And(Lt(u, C(2)), Lt(im, C(1))));
    return Sel(is_near, near, general);
  }

  Element Log(const Element& x) const {
    // |x| is symmetric in sign and order of its parts: put the larger one, made positive, first.
    const Var re = Fabs(x.re);
    const Var im = Fabs(x.im);
    const Var u = Max(re, im);
    const Var magnitude = LogMagnitude(u, Min(re, im), Sub(u, C(1)));
    const Var infinite = Or(Eq(re, Infinity()), Eq(im, Infinity()));
    return {Sel(infinite, Infinity(), magnitude), b_.Apply(ScalarOp::kAtan2, {x.im, x.re})};
  }

  Element Log1p(const Element& x) const {
    const Var u = Add(x.re, C(1));
    const Var infinite = Or(Eq(Fabs(x.re), Infinity()), Eq(Fabs(x.im), Infinity()));
    return {Sel(infinite, Infinity(), LogMagnitude(u, x.im, x.re)),
            b_.Apply(ScalarOp::kAtan2, {x.im, u})};
  }

  // expm1(a) cos b + (cos b - 1) = expm1(a) cos b - 2 sin^2(b/2).
  Element Expm1(const Element& x) const {
    const Var half_sine = Of(ScalarOp::kSin, Mul(x.im, C(0.5)));
    const Var cosine_m1 = Mul(C(-2), Mul(half_sine, half_sine));
    const Var expm1 = Of(ScalarOp::kExpm1, x.re);
    const Var real = Eq(x.im, C(0));
    const Var re = Fma(expm1, Of(ScalarOp::kCos, x.im), cosine_m1);
    const Var im = Mul(Of(ScalarOp::kExp, x.re), Of(ScalarOp::kSin, x.im));
    return {Sel(real, expm1, re), Sel(real, x.im, im)};
  }

  Element Sqrt(const Element& x) const {
    const Var half = Mul(C(0.5), Fabs(x.re));
    const Var t = Of(ScalarOp::kSqrt, Fma(C(0.5), Abs(x), half));
    const Var other = Div(x.im, Mul(C(2), t));
    const Var right = Ge(x.re, C(0));
    Element value{Sel(right, t, Fabs(other)), Sel(right, other, CopySign(t, x.im))};
    const Var zero = And(Eq(x.re, C(0)), Eq(x.im, C(0)));
    value = Sel(zero, {C(0), x.im}, value);
    return Sel(Eq(Fabs(x.im), Infinity()), {Infinity(), x.im}, value);
  }

  Element Rsqrt(const Element& x) const {
    const Element root = Sqrt(x);
    const Var magnitude = Abs(x);
    const Element value{Div(root.re, magnitude), Neg(Div(root.im, magnitude))};
    const Var infinite = Eq(magnitude, Infinity());
    const Element vanishing{C(0), CopySign(C(0), Neg(x.im))};
    const Var zero = Eq(magnitude, C(0));
    const Element pole{Infinity(), C(std::numeric_limits<double>::quiet_NaN())};
    return Sel(zero, pole, Sel(infinite, vanishing, value));
  }

  // Kahan's ctanh, without overflow for large real parts.
  Element Tanh(const Element& x) const {
    const Var t = Of(ScalarOp::kTan, x.im);
    const Var s = Of(ScalarOp::kSinh, x.re);
    const Var beta = Fma(t, t, C(1));
    const Var rho = Of(ScalarOp::kSqrt, Fma(s, s, C(1)));
    const Var bs = Mul(beta, s);
    const Var denominator = Fma(bs, s, C(1));
    const Element value{Div(Mul(bs, rho), denominator), Div(t, denominator)};
    const Var decay = Of(ScalarOp::kExp, Mul(C(-2), Fabs(x.re)));
    const Var sine2 = Mul(Of(ScalarOp::kSin, x.im), Of(ScalarOp::kCos, x.im));
    const Var far_im = Sel(Eq(decay, C(0)), CopySign(C(0), sine2), Mul(Mul(C(4), sine2), decay));
    // If the imaginary part is infinite or NaN, only infinite real parts have a limit.
    const Element no_limit = Sel(Eq(sine2, sine2), {CopySign(C(1), x.re), far_im}, {sine2, sine2});
    const Element limit{CopySign(C(1), x.re), CopySign(C(0), sine2)};
    const Element far = Sel(Eq(Fabs(x.re), Infinity()), limit, no_limit);
    const Element tanh = Sel(Ge(Fabs(x.re), C(22)), far, value);
    // A real argument has a real result, even if it is NaN.
    return {tanh.re, Sel(Eq(x.im, C(0)), x.im, tanh.im)};
  }

  // On the imaginary axis the imaginary part is 0, even if sinh is infinite.
  Element Cos(const Element& x) const {
    const Var re = Mul(Of(ScalarOp::kCos, x.re), Of(ScalarOp::kCosh, x.im));
    const Var im = Mul(Of(ScalarOp::kSin, x.re), Of(ScalarOp::kSinh, x.im));
    const Var zero = Mul(x.re, CopySign(C(1), x.im));
    return {Sel(Eq(x.im, C(0)), Of(ScalarOp::kCos, x.re), re), Neg(Sel(Eq(x.re, C(0)), zero, im))};
  }

  Element Sin(const Element& x) const {
    const Var re = Mul(Of(ScalarOp::kSin, x.re), Of(ScalarOp::kCosh, x.im));
    return {Sel(Eq(x.re, C(0)), x.re, re),
            Mul(Of(ScalarOp::kCos, x.re), Of(ScalarOp::kSinh, x.im))};
  }

  // 1 / (1 + e^-x), computed from e^-x or e^x, whichever cannot overflow. The result is 1 and 0 for
  // an infinite real part.
  Element Logistic(const Element& x) const {
    const Var right = Ge(x.re, C(0));
    const Element q = Exp(Sel(right, {Neg(x.re), Neg(x.im)}, x));
    const Element one{C(1), C(0)};
    return Divide(Sel(right, one, q), {Add(q.re, C(1)), q.im});
  }

  // |x|^c e^(-d arg x) (cos q + i sin q) for y = c + i d and q = c arg x + d log|x|, with the
  // limits where the formula gives NaN: x^0 and 1^y are 1, 0^c is 0 for c > 0, and a positive
  // infinity to the power of a real number is real.
  Element Power(const Element& x, const Element& y) const {
    const Var radius = Abs(x);
    const Var angle = b_.Apply(ScalarOp::kAtan2, {x.im, x.re});
    const Var scale =
        Mul(b_.Apply(ScalarOp::kPower, {radius, y.re}), Of(ScalarOp::kExp, Neg(Mul(y.im, angle))));
    const Var q = Add(Mul(y.re, angle), Mul(y.im, Log(x).re));
    Element value{Mul(scale, Of(ScalarOp::kCos, q)), Mul(scale, Of(ScalarOp::kSin, q))};
    const Element zero{C(0), C(0)}, one{C(1), C(0)}, infinity{Infinity(), C(0)};
    const Var is_real = Eq(y.im, C(0));
    const Var grows = And(is_real, Lt(C(0), y.re)), shrinks = And(is_real, Lt(y.re, C(0)));
    const Var base_real = Eq(x.im, C(0));
    const Var base_infinite = And(base_real, Eq(x.re, Infinity()));
    value = Sel(And(base_infinite, grows), infinity, value);
    value = Sel(And(base_infinite, shrinks), zero, value);
    value = Sel(And(And(base_real, Eq(x.re, C(0))), grows), zero, value);
    const Var base_one = And(base_real, Eq(x.re, C(1)));
    return Sel(Or(base_one, And(is_real, Eq(y.re, C(0)))), one, value);
  }

  Element Atan2(const Element& y, const Element& x) const {
    const Element numerator{Sub(x.re, y.im), Add(x.im, y.re)};  // x + iy
    const Element xx = Multiply(x, x);
    const Element yy = Multiply(y, y);
    const Element root = Sqrt({Add(xx.re, yy.re), Add(xx.im, yy.im)});
    const Element log = Log(Divide(numerator, root));
    return {log.im, Neg(log.re)};
  }

  Element Cbrt(const Element& x) const {
    const Var radius = Of(ScalarOp::kCbrt, Abs(x));
    const Var angle = Div(b_.Apply(ScalarOp::kAtan2, {x.im, x.re}), C(3));
    return {Mul(radius, Of(ScalarOp::kCos, angle)), Mul(radius, Of(ScalarOp::kSin, angle))};
  }

  Element Sign(const Element& x) const {
    const Var magnitude = Abs(x);
    const Element value{Div(x.re, magnitude), Div(x.im, magnitude)};
    const Var nan = C(std::numeric_limits<double>::quiet_NaN());
    const Var has_nan = Or(IsNan(x.re), IsNan(x.im));
    return Sel(has_nan, {nan, nan}, Sel(Eq(magnitude, C(0)), {C(0), C(0)}, value));
  }

  Element Remainder(const Element& x, const Element& y) const {
    const Element quotient = Divide(x, y);
    const Element product = Multiply(y, {Trunc(quotient.re), Trunc(quotient.im)});
    return {Sub(x.re, product.re), Sub(x.im, product.im)};
  }

 private:
  KernelBuilder& b_;
};

Element Widen(KernelBuilder& b, const Element& x) {
  return {b.Convert(DType::kF64, x.re), b.Convert(DType::kF64, x.im)};
}

Element NarrowTo(KernelBuilder& b, DType part, const Element& x) {
  return {b.Convert(part, x.re), b.Convert(part, x.im)};
}

Element InF64(KernelBuilder& b, const Element& x, Element (Formulas::*f)(const Element&) const) {
  const DType part = b.TypeOf(x.re);
  return NarrowTo(b, part, (Formulas(b).*f)(Widen(b, x)));
}

Element InF64(KernelBuilder& b, const Element& x, const Element& y,
              Element (Formulas::*f)(const Element&, const Element&) const) {
  const DType part = b.TypeOf(x.re);
  return NarrowTo(b, part, (Formulas(b).*f)(Widen(b, x), Widen(b, y)));
}

}  // namespace

Element ComplexAdd(KernelBuilder& b, const Element& x, const Element& y) {
  return {b.Apply(ScalarOp::kAdd, {x.re, y.re}), b.Apply(ScalarOp::kAdd, {x.im, y.im})};
}

Element ComplexSubtract(KernelBuilder& b, const Element& x, const Element& y) {
  return {b.Apply(ScalarOp::kSubtract, {x.re, y.re}), b.Apply(ScalarOp::kSubtract, {x.im, y.im})};
}

Element ComplexMultiply(KernelBuilder& b, const Element& x, const Element& y) {
  return InF64(b, x, y, &Formulas::Multiply);
}

Element ComplexDivide(KernelBuilder& b, const Element& x, const Element& y) {
  return InF64(b, x, y, &Formulas::Divide);
}

Element ComplexRemainder(KernelBuilder& b, const Element& x, const Element& y) {
  return InF64(b, x, y, &Formulas::Remainder);
}

Element ComplexPower(KernelBuilder& b, const Element& x, const Element& y) {
  return InF64(b, x, y, &Formulas::Power);
}

Element ComplexAtan2(KernelBuilder& b, const Element& y, const Element& x) {
  return InF64(b, y, x, &Formulas::Atan2);
}

Element ComplexAbs(KernelBuilder& b, const Element& x) {
  return {b.Convert(b.TypeOf(x.re), Formulas(b).Abs(Widen(b, x)))};
}

Element ComplexCbrt(KernelBuilder& b, const Element& x) { return InF64(b, x, &Formulas::Cbrt); }
Element ComplexCos(KernelBuilder& b, const Element& x) { return InF64(b, x, &Formulas::Cos); }
Element ComplexExp(KernelBuilder& b, const Element& x) { return InF64(b, x, &Formulas::Exp); }
Element ComplexExpm1(KernelBuilder& b, const Element& x) { return InF64(b, x, &Formulas::Expm1); }
Element ComplexLog(KernelBuilder& b, const Element& x) { return InF64(b, x, &Formulas::Log); }
Element ComplexLog1p(KernelBuilder& b, const Element& x) { return InF64(b, x, &Formulas::Log1p); }
Element ComplexLogistic(KernelBuilder& b, const Element& x) {
  return InF64(b, x, &Formulas::Logistic);
}
Element ComplexRsqrt(KernelBuilder& b, const Element& x) { return InF64(b, x, &Formulas::Rsqrt); }
Element ComplexSign(KernelBuilder& b, const Element& x) { return InF64(b, x, &Formulas::Sign); }
Element ComplexSin(KernelBuilder& b, const Element& x) { return InF64(b, x, &Formulas::Sin); }
Element ComplexSqrt(KernelBuilder& b, const Element& x) { return InF64(b, x, &Formulas::Sqrt); }
Element ComplexTanh(KernelBuilder& b, const Element& x) { return InF64(b, x, &Formulas::Tanh); }

// tan z = -i tanh(iz).
Element ComplexTan(KernelBuilder& b, const Element& x) {
  const Element turned = ComplexTanh(b, {b.Apply(ScalarOp::kNegate, {x.im}), x.re});
  return {turned.im, b.Apply(ScalarOp::kNegate, {turned.re})};
}

}  // namespace acceld::kernels
