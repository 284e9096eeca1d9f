#include <limits>

#include "common/ir/chlo/formulas.h"

namespace acceld::ir {
namespace {

// M. Giles, "Approximating the erfinv function", GPU Computing Gems (2011): polynomials in
// w = -log(1 - x^2), piecewise. Single precision.
constexpr double kErfInv32Central[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                       -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                       -0.00417768164,  0.246640727,    1.50140941};
constexpr double kErfInv32Tail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                    -0.00367342844,  0.00573950773,  -0.0076224613,
                                    0.00943887047,   1.00167406,     2.83297682};
// Double precision: w < 6.25, w < 16, beyond.
constexpr double kErfInv64Central[] = {
    -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,
    1.115787767802518096e-17,   -1.333171662854620906e-16,  2.0972767875968561637e-17,
    6.6376381343583238325e-15,  -4.0545662729752068639e-14, -8.1519341976054721522e-14,
    2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08,
    4.2347877827932403518e-07,  -1.3654692000834678645e-06, -1.3882523362786468719e-05,
    0.0001867342080340571352,   -0.00074070253416626697512, -0.0060336708714301490533,
    0.24015818242558961693,     1.6536545626831027356};
constexpr double kErfInv64Middle[] = {
    2.2137376921775787049e-09, 9.0756561938885390979e-08, -2.7517406297064545428e-07,
    1.8239629214389227755e-08, 1.5027403968909827627e-06, -4.013867526981545969e-06,
    2.9234449089955446044e-06, 1.2475304481671778723e-05, -4.7318229009055733981e-05,
    6.8284851459573175448e-05, 2.4031110387097893999e-05, -0.0003550375203628474796,
    0.00095328937973738049703, -0.0016882755560235047313, 0.0024914420961078508066,
    -0.0037512085075692412107, 0.005370914553590063617,   1.0052589676941592334,
    3.0838856104922207635};
constexpr double kErfInv64Tail[] = {
    -2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
    -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
    2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
    -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
    7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
    1.0103004648645343977,      4.8499064014085844221};

// A rational approximation x P(x^2) / Q(x^2) of erf in single precision, which at the bound is 1.
constexpr double kErf32Bound = 3.845;
constexpr double kErf32P[] = {0.00022905065861350646, 0.0034082910107109506, 0.050955695062380861,
                              0.18520832239976145, 1.128379143519084};
constexpr double kErf32Q[] = {-1.1791602954361697e-7,
                              2.3547966471313185e-05,
                              0.0010179625278914885,
                              0.014070470171167667,
                              0.11098505178285362,
                              0.49746925110067538,
                              1.0};

// S. Moshier, Cephes Mathematical Library, single precision: erf(x) / x in x^2 for |x| <= 1, and
// erfc(x) x e^(x^2) in 1 / x^2 below and from 2.
constexpr double kErfSmall32[] = {
    7.853861353153693e-5, -8.010193625184903e-4, 5.188327685732524e-3, -2.685381193529856e-2,
    1.128358514861418e-1, -3.761262582423300e-1, 1.128379165726710};
constexpr double kErfcMiddle32[] = {
    2.326819970068386e-2,  -1.387039388740657e-1, 3.687424674597105e-1,
    -5.824733027278666e-1, 6.210004621745983e-1,  -4.944515323274145e-1,
    3.404879937665872e-1,  -2.741127028184656e-1, 5.638259427386472e-1};
constexpr double kErfcTail32[] = {-1.047766399936249e+1, 1.297719955372516e+1, -7.495518717768503,
                                  2.921019019210786,     -1.015265279202700,   4.218463358204948e-1,
                                  -2.820767439740514e-1, 5.641895067754075e-1};
// For smaller x, e^x is taken as zero.
constexpr double kLogOfSmallest32 = -88.72283905206835;
constexpr double kLogOfSmallest64 = -7.09782712893383996843e2;

// The same library, double precision: erf(x) = x T(x^2) / U(x^2) for |x| <= 1, and erfc(x) e^(x^2)
// as P / Q of |x| below and R / S from 8.
constexpr double kErfT[] = {9.60497373987051638749, 9.00260197203842689217e1,
                            2.23200534594684319226e3, 7.00332514112805075473e3,
                            5.55923013010394962768e4};
constexpr double kErfU[] = {1.0,
                            3.35617141647503099647e1,
                            5.21357949780152679795e2,
                            4.59432382970980127987e3,
                            2.26290000613890934246e4,
                            4.92673942608635921086e4};
constexpr double kErfcP[] = {
    2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687,
    4.86371970985681366614e1,   1.96520832956077098242e2,  5.26445194995477358631e2,
    9.34528527171957607540e2,   1.02755188689515710272e3,  5.57535335369399327526e2};
constexpr double kErfcQ[] = {1.0,
                             1.32281951154744992508e1,
                             8.67072140885989742329e1,
                             3.54937778887819891062e2,
                             9.75708501743205489753e2,
                             1.82390916687909736289e3,
                             2.24633760818710981792e3,
                             1.65666309194161350182e3,
                             5.57535340817727675546e2};
constexpr double kErfcR[] = {5.64189583547755073984e-1, 1.27536670759978104416,
                             5.01905042251180477414,    6.16021097993053585195,
                             7.40974269950448939160,    2.97886665372100240670};
constexpr double kErfcS[] = {1.0,
                             2.26052863220117276590,
                             9.39603524938001434673,
                             1.20489539808096656605e1,
                             1.70814450747565897222e1,
                             9.60896809063285878198,
                             3.36907645100081516050};

ValueId ErfInvTail64(Expressions& e, ValueId w) {
  const ValueId root = e.Unary(OpKind::kSqrt, w);
  return e.Select(e.Compare(ComparisonDirection::kLt, w, e.Constant(16)),
                  e.Polynomial(e.Sub(root, e.Constant(3.25)), kErfInv64Middle),
                  e.Polynomial(e.Sub(root, e.Constant(5)), kErfInv64Tail));
}

// For |x| <= 1.
ValueId SmallErf64(Expressions& e, ValueId x) {
  const ValueId square = e.Mul(x, x);
  return e.Div(e.Mul(x, e.Polynomial(square, kErfT)), e.Polynomial(square, kErfU));
}

// For |x| >= 1.
ValueId LargeErfc64(Expressions& e, ValueId x) {
  const ValueId zero = e.Constant(0);
  const ValueId magnitude = e.Abs(x), exponent = e.Neg(e.Mul(x, x));
  const ValueId scale = e.Unary(OpKind::kExponential, exponent);
  const ValueId middle =
      e.Div(e.Mul(scale, e.Polynomial(magnitude, kErfcP)), e.Polynomial(magnitude, kErfcQ));
  const ValueId far =
      e.Div(e.Mul(scale, e.Polynomial(magnitude, kErfcR)), e.Polynomial(magnitude, kErfcS));
  const ValueId factor =
      e.Select(e.Compare(ComparisonDirection::kLt, magnitude, e.Constant(8)), middle, far);
  const ValueId tail = e.Select(
      e.Compare(ComparisonDirection::kLt, exponent, e.Constant(kLogOfSmallest64)), zero, factor);
  return e.Select(e.Compare(ComparisonDirection::kLt, x, zero), e.Sub(e.Constant(2), tail), tail);
}

ValueId IsBelowOne(Expressions& e, ValueId x) {
  return e.Compare(ComparisonDirection::kLt, e.Abs(x), e.Constant(1));
}

}  // namespace

ValueId ExpandErfInv(Expressions& e, ValueId x) {
  const bool wide = e.type().dtype == DType::kF64;
  const double split = wide ? 6.25 : 5.0;
  const ValueId minus_square = e.Mul(e.Unary(OpKind::kNegate, x), x);
  const ValueId w = e.Unary(OpKind::kNegate, e.Unary(OpKind::kLogPlusOne, minus_square));
  const ValueId central = e.Polynomial(
      e.Sub(w, e.Constant(wide ? 3.125 : 2.5)),
      wide ? absl::MakeConstSpan(kErfInv64Central) : absl::MakeConstSpan(kErfInv32Central));
  const ValueId tail =
      wide ? ErfInvTail64(e, w)
           : e.Polynomial(e.Sub(e.Unary(OpKind::kSqrt, w), e.Constant(3)), kErfInv32Tail);
  const ValueId factor =
      e.Select(e.Compare(ComparisonDirection::kLt, w, e.Constant(split)), central, tail);
  const ValueId at_ends = e.Mul(x, e.Constant(std::numeric_limits<double>::infinity()));
  return e.Select(e.Compare(ComparisonDirection::kEq, e.Unary(OpKind::kAbs, x), e.Constant(1)),
                  at_ends, e.Mul(factor, x));
}

ValueId ExpandErf(Expressions& e, ValueId x) {
  if (e.dtype() == DType::kF64) {
    const ValueId large = e.Sub(e.Constant(1), LargeErfc64(e, x));
    return e.Select(IsBelowOne(e, x), SmallErf64(e, x), large);
  }
  const ValueId bounded = e.Binary(OpKind::kMaximum, e.Constant(-kErf32Bound),
                                   e.Binary(OpKind::kMinimum, x, e.Constant(kErf32Bound)));
  // The error of the approximation is half a unit in the last place; with f32 arithmetic it would
  // be five.
  Expressions wide = e.With(DType::kF64);
  const ValueId y = wide.Convert(bounded), square = wide.Mul(y, y);
  const ValueId dividend = wide.Mul(y, wide.Polynomial(square, kErf32P));
  const ValueId divisor = wide.Polynomial(square, kErf32Q);
  // A division of f64 takes as long as all the rest. One Newton step makes the reciprocal in f32
  // twice as exact, which is far more than the result can show.
  Expressions single = e.With(DType::kF32);
  const ValueId estimate = wide.Convert(single.Div(single.Constant(1), single.Convert(divisor)));
  const ValueId correction = wide.Sub(wide.Constant(2), wide.Mul(divisor, estimate));
  return e.Convert(wide.Mul(wide.Mul(dividend, estimate), correction));
}

ValueId ExpandErfc(Expressions& e, ValueId x) {
  if (e.dtype() == DType::kF64) {
    const ValueId small = e.Sub(e.Constant(1), SmallErf64(e, x));
    return e.Select(IsBelowOne(e, x), small, LargeErfc64(e, x));
  }
  const ValueId zero = e.Constant(0), one = e.Constant(1), two = e.Constant(2);
  const ValueId square = e.Mul(x, x);
  const ValueId magnitude = e.Unary(OpKind::kAbs, x);

  const ValueId exponent = e.Unary(OpKind::kNegate, square);
  const ValueId inverse = e.Div(one, magnitude);
  const ValueId y = e.Mul(inverse, inverse);
  const ValueId factor = e.Select(e.Compare(ComparisonDirection::kLt, magnitude, two),
                                  e.Polynomial(y, kErfcMiddle32), e.Polynomial(y, kErfcTail32));
  const ValueId product = e.Mul(e.Mul(e.Unary(OpKind::kExponential, exponent), inverse), factor);
  const ValueId tail = e.Select(
      e.Compare(ComparisonDirection::kLt, exponent, e.Constant(kLogOfSmallest32)), zero, product);
  const ValueId large =
      e.Select(e.Compare(ComparisonDirection::kLt, x, zero), e.Sub(two, tail), tail);

  const ValueId small = e.Sub(one, e.Mul(x, e.Polynomial(square, kErfSmall32)));
  return e.Select(e.Compare(ComparisonDirection::kGt, magnitude, one), large, small);
}

}  // namespace acceld::ir
