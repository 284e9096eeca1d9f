#include "common/ir/chlo/formulas.h"

// S. Moshier, Cephes Mathematical Library: Chebyshev series of the modified Bessel function of
// order one, scaled by e^-|x|; within [0, 8] and beyond.
namespace acceld::ir {
namespace {

constexpr double kNear32[] = {
    9.38153738649577178388E-9,  -4.44505912879632808065E-8, 2.00329475355213526229E-7,
    -8.56872026469545474066E-7, 3.47025130813767847674E-6,  -1.32731636560394358279E-5,
    4.78156510755005422638E-5,  -1.61760815825896745588E-4, 5.12285956168575772895E-4,
    -1.51357245063125314899E-3, 4.15642294431288815669E-3,  -1.05640848946261981558E-2,
    2.47264490306265168283E-2,  -5.29459812080949914269E-2, 1.02643658689847095384E-1,
    -1.76416518357834055153E-1, 2.52587186443633654823E-1};
constexpr double kFar32[] = {-3.83538038596423702205E-9, -2.63146884688951950684E-8,
                             -2.51223623787020892529E-7, -3.88256480887769039346E-6,
                             -1.10588938762623716291E-4, -9.76109749136146840777E-3,
                             7.78576235018280120474E-1};
// The terms that double precision needs before those above.
constexpr double kNear64[] = {
    2.77791411276104639959E-18,  -2.11142421435816608115E-17, 1.55363195773620046921E-16,
    -1.10559694773538630805E-15, 7.60068429473540693410E-15,  -5.04218550472791168711E-14,
    3.22379336594557470981E-13,  -1.98397439776494371520E-12, 1.17361862988909016308E-11,
    -6.66348972350202774223E-11, 3.62559028155211703701E-10,  -1.88724975172282928790E-9};
constexpr double kFar64[] = {
    7.51729631084210481353E-18,  4.41434832307170791151E-18,  -4.65030536848935832153E-17,
    -3.20952592199342395980E-17, 2.96262899764595013876E-16,  3.30820231092092828324E-16,
    -1.88035477551078244854E-15, -3.81440307243700780478E-15, 1.04202769841288027642E-14,
    4.27244001671195135429E-14,  -2.10154184277266431302E-14, -4.08355111109219731823E-13,
    -7.19855177624590851209E-13, 2.03562854414708950722E-12,  1.41258074366137813316E-11,
    3.25260358301548823856E-11,  -1.89749581235054123450E-11, -5.58974346219658380687E-10};

// Half the Clenshaw sum of a Chebyshev series over [-2, 2], highest degree first.
class Chebyshev {
 public:
  Chebyshev(Expressions& e, ValueId x)
      : e_(e), x_(x), current_(e.Constant(0)), before_(current_), oldest_(current_) {}

  void Add(absl::Span<const double> coefficients) {
    for (const double c : coefficients) {
      oldest_ = before_;
      before_ = current_;
      current_ = e_.Add(e_.Sub(e_.Mul(x_, before_), oldest_), e_.Constant(c));
    }
  }
  ValueId Finish() { return e_.Mul(e_.Sub(current_, oldest_), e_.Constant(0.5)); }

 private:
  Expressions& e_;
  ValueId x_, current_, before_, oldest_;
};

}  // namespace

ValueId ExpandBesselI1e(Expressions& e, ValueId x) {
  const bool wide = e.dtype() == DType::kF64;
  const ValueId magnitude = e.Abs(x), two = e.Constant(2);
  Chebyshev near_series(e, e.Sub(e.Mul(e.Constant(0.5), magnitude), two));
  if (wide) near_series.Add(kNear64);
  near_series.Add(kNear32);
  Chebyshev far_series(e, e.Sub(e.Div(e.Constant(32), magnitude), two));
  if (wide) far_series.Add(kFar64);
  far_series.Add(kFar32);

  const ValueId near_value = e.Mul(magnitude, near_series.Finish());
  const ValueId far_value = e.Div(far_series.Finish(), e.Unary(OpKind::kSqrt, magnitude));
  const ValueId value = e.Select(e.Compare(ComparisonDirection::kLe, magnitude, e.Constant(8)),
                                 near_value, far_value);
  return e.Mul(e.Unary(OpKind::kSign, x), value);
}

}  // namespace acceld::ir
