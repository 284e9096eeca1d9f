#include "common/ir/emitter.h"
#include "server/compiler/decompose/decomposition.h"

// Source: StableHLO specification, "batch_norm_grad", "batch_norm_inference",
// "batch_norm_training". Floats narrower than f32 are computed in f32 and rounded once at the end.
namespace acceld::compiler {
namespace {

using ir::ValueId;

class BatchNorm {
 public:
  explicit BatchNorm(Decomposition& d)
      : d_(d),
        e_(d.Emit()),
        attributes_(d.As<ir::BatchNormAttributes>()),
        narrow_(d.OperandType(0).dtype),
        type_{ir::BitsOf(narrow_) < 32 ? ir::DType::kF32 : narrow_, d.OperandType(0).dims} {
    for (int64_t i = 0; i < type_.rank(); ++i) {
      if (i != attributes_.feature_index) others_.push_back(i);
    }
  }

  ir::Emitter& e() { return e_; }
  ValueId operand(size_t i) { return e_.Convert(d_.operand(i), type_.dtype); }
  DecompositionResult Results(std::vector<ValueId> values) {
    for (ValueId& value : values) value = e_.Convert(value, narrow_);
    return e_.Results(std::move(values));
  }

  // Broadcasts a vector of one number per feature to the shape of the operand.
  ValueId Spread(ValueId features) {
    return e_.Broadcast(features, type_.dims, {attributes_.feature_index});
  }
  ValueId Sum(ValueId x) { return e_.Sum(x, others_); }
  ValueId Mean(ValueId x) {
    const ir::TensorType features{type_.dtype, {type_.dims[attributes_.feature_index]}};
    return e_.Div(Sum(x), e_.Constant(features, ElementsPerFeature()));
  }
  double ElementsPerFeature() const {
    double count = 1;
    for (int64_t d : others_) count *= static_cast<double>(type_.dims[d]);
    return count;
  }
  ValueId Constant(double value) { return e_.Constant(type_, value); }
  ValueId Centered(ValueId x, ValueId mean) { return e_.Sub(x, Spread(mean)); }
  ValueId WithEpsilon(ValueId variance) {
    return e_.Add(Spread(variance), Constant(attributes_.epsilon));
  }
  ValueId Normalized(ValueId x, ValueId mean, ValueId variance) {
    return e_.Div(Centered(x, mean), e_.Sqrt(WithEpsilon(variance)));
  }
  ValueId Inference(ValueId x, ValueId scale, ValueId offset, ValueId mean, ValueId variance) {
    return e_.Add(e_.Mul(Spread(scale), Normalized(x, mean, variance)), Spread(offset));
  }

 private:
  Decomposition& d_;
  ir::Emitter e_;
  const ir::BatchNormAttributes& attributes_;
  const ir::DType narrow_;
  const ir::TensorType type_;
  std::vector<int64_t> others_;  // all dimensions except the feature dimension
};

}  // namespace

DecompositionResult DecomposeBatchNormGrad(Decomposition& d) {
  BatchNorm n(d);
  ir::Emitter& e = n.e();
  const ValueId scale = n.operand(1), variance = n.operand(3), gradient = n.operand(4);
  const ValueId centered = n.Centered(n.operand(0), n.operand(2));
  const ValueId with_epsilon = n.WithEpsilon(variance);
  const ValueId deviation = e.Sqrt(with_epsilon);
  const ValueId count = n.Constant(n.ElementsPerFeature());
  const ValueId offset_gradient = n.Sum(gradient);
  const ValueId correlation = n.Spread(n.Sum(e.Mul(gradient, centered)));
  const ValueId inner = e.Sub(e.Sub(e.Mul(gradient, count), n.Spread(offset_gradient)),
                              e.Div(e.Mul(correlation, centered), with_epsilon));
  const ValueId operand_gradient = e.Mul(e.Div(e.Div(n.Spread(scale), deviation), count), inner);
  const ValueId scale_gradient = n.Sum(e.Mul(gradient, e.Div(centered, deviation)));
  return n.Results({operand_gradient, scale_gradient, offset_gradient});
}

DecompositionResult DecomposeBatchNormInference(Decomposition& d) {
  BatchNorm n(d);
  return n.Results(
      {n.Inference(n.operand(0), n.operand(1), n.operand(2), n.operand(3), n.operand(4))});
}

DecompositionResult DecomposeBatchNormTraining(Decomposition& d) {
  BatchNorm n(d);
  const ValueId x = n.operand(0);
  const ValueId mean = n.Mean(x);
  const ValueId centered = n.Centered(x, mean);
  const ValueId variance = n.Mean(n.e().Mul(centered, centered));
  return n.Results({n.Inference(x, n.operand(1), n.operand(2), mean, variance), mean, variance});
}

}  // namespace acceld::compiler
