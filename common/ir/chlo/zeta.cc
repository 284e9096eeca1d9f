#include <limits>

#include "common/ir/chlo/formulas.h"

namespace acceld::ir {
namespace {

// (2k)! / B(2k) for k = 12 down to 1, B the Bernoulli numbers.
constexpr double kFactorialsOverBernoulli[] = {-7.1661652561756670113e18,
                                               1.8152105401943546773e17,
                                               -4.5979787224074726105e15,
                                               1.1646782814350067249e14,
                                               -2.950130727918164224e12,
                                               7.47242496e10,
                                               -1.8924375803183791606e9,
                                               47900160.0,
                                               -1209600.0,
                                               30240.0,
                                               -720.0,
                                               12.0};
constexpr int kTerms = 12;
constexpr int kSummands = 9;

constexpr ComparisonDirection kEq = ComparisonDirection::kEq;
constexpr ComparisonDirection kNe = ComparisonDirection::kNe;
constexpr ComparisonDirection kLt = ComparisonDirection::kLt;
constexpr ComparisonDirection kLe = ComparisonDirection::kLe;

ValueId NaN(Expressions& e) { return e.Constant(std::numeric_limits<double>::quiet_NaN()); }
ValueId Infinity(Expressions& e) { return e.Constant(std::numeric_limits<double>::infinity()); }
ValueId Floor(Expressions& e, ValueId x) { return e.Unary(OpKind::kFloor, x); }

}  // namespace

// Euler-Maclaurin summation: F. Johansson, "Rigorous high-precision computation of the Hurwitz zeta
// function and its derivatives", Numerical Algorithms 69 (2015), formula (5).
ValueId ExpandZeta(Expressions& e, ValueId x, ValueId q) {
  const ValueId zero = e.Constant(0), one = e.Constant(1);
  const ValueId exponent = e.Neg(x);
  const auto power = [&](ValueId base) { return e.Binary(OpKind::kPower, base, exponent); };
  ValueId a = q;
  ValueId sum = power(q);
  for (int i = 0; i < kSummands; ++i) {
    a = e.Add(a, one);
    sum = e.Add(sum, power(a));
  }
  a = e.Add(a, one);
  const ValueId last = power(a);
  const ValueId integral = e.Div(e.Mul(last, a), e.Sub(x, one));

  const ValueId inverse_square = e.Div(one, e.Mul(a, a));
  ValueId tail = zero;
  for (int i = 0; i < kTerms - 1; ++i) {
    const ValueId factors = e.Mul(e.Add(x, e.Constant(2 * kTerms - 2 - 2 * i)),
                                  e.Add(x, e.Constant(2 * kTerms - 3 - 2 * i)));
    const ValueId coefficient = e.Constant(1 / kFactorialsOverBernoulli[i]);
    tail = e.Mul(factors, e.Mul(inverse_square, e.Add(tail, coefficient)));
  }
  tail = e.Add(e.Constant(1 / kFactorialsOverBernoulli[kTerms - 1]), tail);
  const ValueId correction = e.Mul(last, e.Add(e.Constant(0.5), e.Mul(e.Div(x, a), tail)));
  const ValueId corrected = e.Add(e.Add(sum, integral), correction);

  // Only the sum, where the remaining terms are negligible.
  const double smallest = e.dtype() == DType::kF64 ? std::numeric_limits<double>::denorm_min()
                                                   : std::numeric_limits<float>::denorm_min();
  ValueId result = e.Select(e.Compare(kLt, e.Abs(last), e.Mul(e.Abs(sum), e.Constant(smallest))),
                            sum, corrected);

  // Not defined for x < 1, nor for q <= 0 unless x is an integer; poles at the integers q <= 0,
  // with a limit for even x; the harmonic series at x = 1.
  result = e.Select(e.Compare(kLt, x, one), NaN(e), result);
  const ValueId q_not_positive = e.Compare(kLe, q, zero);
  result = e.Select(e.And(q_not_positive, e.Compare(kNe, x, Floor(e, x))), NaN(e), result);
  const ValueId at_pole = e.And(q_not_positive, e.Compare(kEq, q, Floor(e, q)));
  const ValueId is_even =
      e.And(e.Compare(kEq, x, Floor(e, x)),
            e.Compare(kEq, e.Binary(OpKind::kRemainder, x, e.Constant(2)), zero));
  result = e.Select(at_pole, e.Select(is_even, Infinity(e), NaN(e)), result);
  return e.Select(e.Compare(kEq, x, one), Infinity(e), result);
}

// (-1)^(n+1) n! zeta(n + 1, x) for natural n, digamma for n = 0.
ValueId ExpandPolygamma(Expressions& e, ValueId n, ValueId x) {
  const ValueId zero = e.Constant(0), one = e.Constant(1), two = e.Constant(2);
  const ValueId sign = e.Sub(e.Mul(two, e.Binary(OpKind::kRemainder, n, two)), one);
  const ValueId next = e.Add(n, one);
  const ValueId factorial = e.Unary(OpKind::kExponential, ExpandLgamma(e, next));
  const ValueId derivative = e.Mul(e.Mul(sign, factorial), ExpandZeta(e, next, x));
  const ValueId result = e.Select(e.Compare(kEq, n, zero), ExpandDigamma(e, x), derivative);
  const ValueId not_natural = e.Or(e.Compare(kNe, n, Floor(e, n)), e.Compare(kLt, n, zero));
  return e.Select(not_natural, NaN(e), result);
}

}  // namespace acceld::ir
