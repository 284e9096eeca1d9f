#include <cmath>

#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/tensor.h"

// Source: StableHLO specification, "batch_norm_grad", "batch_norm_inference" and
// "batch_norm_training". Computed in double precision and rounded at the end.
namespace acceld::ir::interpreter {
namespace {

// The elements of the operand, with the index of their feature.
class Features {
 public:
  explicit Features(const EvalContext& c)
      : type_(c.operand(0).type()),
        feature_(c.As<BatchNormAttributes>().feature_index),
        stride_(RowMajorStrides(type_.dims)[feature_]) {}

  int64_t num_elements() const { return type_.num_elements(); }
  int64_t count() const { return type_.dims[feature_]; }
  int64_t Of(int64_t element) const { return element / stride_ % count(); }

  // Returns for each feature the sum of value(element).
  template <typename Function>
  std::vector<double> Sums(Function value) const {
    std::vector<double> sums(count(), 0.0);
    for (int64_t i = 0; i < num_elements(); ++i) sums[Of(i)] += value(i);
    return sums;
  }
  double ElementsEach() const {
    return static_cast<double>(num_elements()) / static_cast<double>(count());
  }

 private:
  const TensorType& type_;
  int64_t feature_, stride_;
};

std::vector<double> Numbers(const Literal& literal) {
  const TensorView view(literal);
  std::vector<double> numbers(literal.type().num_elements());
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = view.At(static_cast<int64_t>(i)).real();
  return numbers;
}

Value ToTensor(const TensorType& type, const std::vector<double>& numbers) {
  TensorBuilder builder(type);
  for (size_t i = 0; i < numbers.size(); ++i) {
    builder.Set(static_cast<int64_t>(i), OfReal(numbers[i]));
  }
  return builder.Finish();
}

std::vector<double> Normalize(const EvalContext& c, const Features& features,
                              const std::vector<double>& mean,
                              const std::vector<double>& variance) {
  const double epsilon = c.As<BatchNormAttributes>().epsilon;
  std::vector<double> x = Numbers(c.operand(0));
  const std::vector<double> scale = Numbers(c.operand(1)), offset = Numbers(c.operand(2));
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t f = features.Of(static_cast<int64_t>(i));
    x[i] = scale[f] * (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) + offset[f];
  }
  return x;
}

}  // namespace

EvalResult EvalBatchNormGrad(EvalContext& c) {
  const double epsilon = c.As<BatchNormAttributes>().epsilon;
  const Features features(c);
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(features.num_elements()));
  const std::vector<double> x = Numbers(c.operand(0)), scale = Numbers(c.operand(1));
  const std::vector<double> mean = Numbers(c.operand(2)), variance = Numbers(c.operand(3));
  const std::vector<double> gradient = Numbers(c.operand(4));
  const auto deviation = [&](int64_t f) { return std::sqrt(variance[f] + epsilon); };
  const auto normalized = [&](int64_t i) {
    const int64_t f = features.Of(i);
    return (x[i] - mean[f]) / deviation(f);
  };
  const std::vector<double> offset_gradient = features.Sums([&](int64_t i) { return gradient[i]; });
  const std::vector<double> scale_gradient =
      features.Sums([&](int64_t i) { return gradient[i] * normalized(i); });
  const double n = features.ElementsEach();
  std::vector<double> operand_gradient(x.size());
  for (size_t k = 0; k < x.size(); ++k) {
    const auto i = static_cast<int64_t>(k);
    const int64_t f = features.Of(i);
    operand_gradient[k] =
        scale[f] / deviation(f) *
        (gradient[k] - offset_gradient[f] / n - normalized(i) * scale_gradient[f] / n);
  }
  std::vector<Value> results;
  results.push_back(ToTensor(c.result(0), operand_gradient));
  results.push_back(ToTensor(c.result(1), scale_gradient));
  results.push_back(ToTensor(c.result(2), offset_gradient));
  return results;
}

EvalResult EvalBatchNormInference(EvalContext& c) {
  const Features features(c);
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(features.num_elements()));
  return OneResult(
      ToTensor(c.result(), Normalize(c, features, Numbers(c.operand(3)), Numbers(c.operand(4)))));
}

EvalResult EvalBatchNormTraining(EvalContext& c) {
  const Features features(c);
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(features.num_elements()));
  const std::vector<double> x = Numbers(c.operand(0));
  std::vector<double> mean = features.Sums([&](int64_t i) { return x[i]; });
  for (double& m : mean) m /= features.ElementsEach();
  std::vector<double> variance = features.Sums([&](int64_t i) {
    const double centered = x[i] - mean[features.Of(i)];
    return centered * centered;
  });
  for (double& v : variance) v /= features.ElementsEach();
  std::vector<Value> results;
  results.push_back(ToTensor(c.result(0), Normalize(c, features, mean, variance)));
  results.push_back(ToTensor(c.result(1), mean));
  results.push_back(ToTensor(c.result(2), variance));
  return results;
}

}  // namespace acceld::ir::interpreter
