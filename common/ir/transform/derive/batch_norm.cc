// Normalization of a batch. With r = 1 / sqrt(variance + epsilon), for each feature:
//
//   output = scale * (x - mean) * r + offset
//
// Source: StableHLO specification, "batch_norm_grad", "batch_norm_inference",
// "batch_norm_training". Floats narrower than f32 are computed in f32, as they are in the op
// itself.

#include "absl/types/optional.h"
#include "common/ir/transform/derivation.h"

namespace acceld::ir {
namespace {

// A value of the linear part; nullopt for zeros.
using Tangent = absl::optional<ValueId>;

// The values and tangents that the three rules share. "Features" are vectors with a number for each
// feature.
class BatchNormDerivation {
 public:
  explicit BatchNormDerivation(Derivation& d)
      : known(d.known),
        linear(d.linear),
        d_(d),
        attributes_(d.As<BatchNormAttributes>()),
        narrow_(d.operand_type(0).dtype),
        type_{BitsOf(narrow_) < 32 ? DType::kF32 : narrow_, d.operand_type(0).dims},
        features_{type_.dtype, {type_.dims[attributes_.feature_index]}} {
    for (int64_t i = 0; i < type_.rank(); ++i) {
      if (i == attributes_.feature_index) continue;
      others_.push_back(i);
      count_ *= static_cast<double>(type_.dims[i]);
    }
  }

  Emitter &known, &linear;

  ValueId operand(size_t i) { return known.Convert(d_.operand(i), type_.dtype); }
  Tangent TangentOf(size_t operand) {
    if (!d_.IsActive(operand)) return absl::nullopt;
    return linear.Convert(d_.tangent(operand), type_.dtype);
  }
  void AddTangent(Tangent tangent, size_t result = 0) {
    if (tangent.has_value()) d_.AddTangent(linear.Convert(*tangent, narrow_), result);
  }

  // Of values of the known part.
  ValueId Spread(ValueId features) {
    return known.Broadcast(features, type_.dims, {attributes_.feature_index});
  }
  ValueId Sum(ValueId x) { return known.Sum(x, others_); }
  ValueId Mean(ValueId x) { return known.Div(Sum(x), known.Constant(features_, count_)); }
  ValueId Times(ValueId features, double factor) {
    return known.Mul(features, known.Constant(features_, factor));
  }
  ValueId Centered(ValueId x, ValueId mean) { return known.Sub(x, Spread(mean)); }
  ValueId InverseDeviation(ValueId variance) {
    const ValueId epsilon = known.Constant(features_, attributes_.epsilon);
    return known.Op(OpKind::kRsqrt, {known.Add(variance, epsilon)});
  }
  // How many numbers there are of each feature.
  double count() const { return count_; }

  // Of tangents.
  Tangent Spread(Tangent features) {
    if (!features.has_value()) return absl::nullopt;
    return linear.Broadcast(*features, type_.dims, {attributes_.feature_index});
  }
  Tangent Sum(Tangent x) {
    return x.has_value() ? Tangent(linear.Sum(*x, others_)) : absl::nullopt;
  }
  Tangent Times(Tangent x, ValueId factor) {
    return x.has_value() ? Tangent(linear.Mul(*x, d_.InLinear(factor))) : absl::nullopt;
  }
  Tangent Times(Tangent x, double factor) {
    return x.has_value() ? Tangent(linear.Mul(*x, linear.Fill(*x, factor))) : absl::nullopt;
  }
  Tangent Plus(Tangent a, Tangent b) {
    if (a.has_value() && b.has_value()) return linear.Add(*a, *b);
    return a.has_value() ? a : b;
  }

  // The tangent of r, given that of the variance.
  Tangent InverseDeviation(Tangent variance, ValueId r) {
    return Times(variance, Times(known.Mul(r, known.Mul(r, r)), -0.5));
  }
  // The tangent of the output, given those of the operands.
  Tangent Output(ValueId x, ValueId scale, ValueId mean, ValueId variance, Tangent x_tangent,
                 Tangent scale_tangent, Tangent offset_tangent, Tangent mean_tangent,
                 Tangent variance_tangent) {
    const ValueId centered = Centered(x, mean), r = InverseDeviation(variance);
    const ValueId gain = known.Mul(scale, r);
    const Tangent gain_tangent =
        Plus(Times(scale_tangent, r), Times(InverseDeviation(variance_tangent, r), scale));
    const Tangent shift_tangent = Plus(offset_tangent, Times(Times(mean_tangent, gain), -1.0));
    return Plus(Times(x_tangent, Spread(gain)),
                Plus(Times(Spread(gain_tangent), centered), Spread(shift_tangent)));
  }

 private:
  Derivation& d_;
  const BatchNormAttributes& attributes_;
  const DType narrow_;
  const TensorType type_, features_;
  std::vector<int64_t> others_;  // all dimensions except the feature dimension
  double count_ = 1;
};

}  // namespace

absl::Status DeriveBatchNormInference(Derivation& d) {
  BatchNormDerivation n(d);
  n.AddTangent(n.Output(n.operand(0), n.operand(1), n.operand(3), n.operand(4), n.TangentOf(0),
                        n.TangentOf(1), n.TangentOf(2), n.TangentOf(3), n.TangentOf(4)));
  return absl::OkStatus();
}

absl::Status DeriveBatchNormTraining(Derivation& d) {
  BatchNormDerivation n(d);
  // The results may be rounded.
  const ValueId x = n.operand(0), mean = n.Mean(x), centered = n.Centered(x, mean);
  const ValueId variance = n.Mean(n.known.Mul(centered, centered));
  const Tangent x_tangent = n.TangentOf(0);
  const Tangent mean_tangent = n.Times(n.Sum(x_tangent), 1 / n.count());
  // That of the mean drops out of it, as the sum of what is centered is zero.
  const Tangent variance_tangent = n.Times(n.Sum(n.Times(x_tangent, centered)), 2 / n.count());
  n.AddTangent(n.Output(x, n.operand(1), mean, variance, x_tangent, n.TangentOf(1), n.TangentOf(2),
                        mean_tangent, variance_tangent));
  n.AddTangent(mean_tangent, 1);
  n.AddTangent(variance_tangent, 2);
  return absl::OkStatus();
}

// With c = x - mean, and sums over all but the features:
//
//   offset gradient  = sum(gradient)
//   scale gradient   = r * sum(gradient * c)
//   operand gradient = scale * r / count *
//                      (count * gradient - sum(gradient) - c * r^2 * sum(gradient * c))
absl::Status DeriveBatchNormGrad(Derivation& d) {
  BatchNormDerivation n(d);
  Emitter& k = n.known;
  const ValueId scale = n.operand(1), gradient = n.operand(4);
  const ValueId c = n.Centered(n.operand(0), n.operand(2)), r = n.InverseDeviation(n.operand(3));
  const ValueId sum = n.Sum(gradient), correlation = n.Sum(k.Mul(gradient, c));
  const ValueId slope = k.Mul(correlation, k.Mul(r, r));
  const ValueId inner = k.Sub(k.Sub(k.Mul(gradient, k.Fill(gradient, n.count())), n.Spread(sum)),
                              k.Mul(c, n.Spread(slope)));
  const ValueId gain = n.Times(k.Mul(scale, r), 1 / n.count());

  const Tangent gradient_tangent = n.TangentOf(4);
  const Tangent c_tangent = n.Plus(n.TangentOf(0), n.Times(n.Spread(n.TangentOf(2)), -1.0));
  const Tangent r_tangent = n.InverseDeviation(n.TangentOf(3), r);
  const Tangent sum_tangent = n.Sum(gradient_tangent);
  const Tangent correlation_tangent =
      n.Sum(n.Plus(n.Times(gradient_tangent, c), n.Times(c_tangent, gradient)));
  const Tangent slope_tangent = n.Plus(n.Times(correlation_tangent, k.Mul(r, r)),
                                       n.Times(r_tangent, n.Times(k.Mul(correlation, r), 2)));
  const Tangent lost_tangent =
      n.Plus(n.Spread(sum_tangent),
             n.Plus(n.Times(c_tangent, n.Spread(slope)), n.Times(n.Spread(slope_tangent), c)));
  const Tangent inner_tangent =
      n.Plus(n.Times(gradient_tangent, n.count()), n.Times(lost_tangent, -1.0));
  const Tangent gain_tangent =
      n.Times(n.Plus(n.Times(n.TangentOf(1), r), n.Times(r_tangent, scale)), 1 / n.count());

  n.AddTangent(
      n.Plus(n.Times(inner_tangent, n.Spread(gain)), n.Times(n.Spread(gain_tangent), inner)), 0);
  n.AddTangent(n.Plus(n.Times(correlation_tangent, r), n.Times(r_tangent, correlation)), 1);
  n.AddTangent(sum_tangent, 2);
  return absl::OkStatus();
}

}  // namespace acceld::ir
