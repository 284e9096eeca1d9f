#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/indexing.h"
#include "client/tracing/ops/nn.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"
#include "client/tracing/transforms/custom_rules.h"

namespace acceld::client::nn {

// The derivative at 0 is 0, unlike that of a maximum of equals.
Tensor Relu(const Operand& x) {
  return CustomJvp([](const Tensor& a) { return Maximum(a, 0); },
                   [](const Tensor& a, const Tensor& da) {
                     return std::pair(Relu(a), Where(a > 0, da, ZerosLike(da)));
                   })(x.tensor());
}

Tensor Relu6(const Operand& x) {
  return CustomJvp([](const Tensor& a) { return Minimum(Maximum(a, 0), 6); },
                   [](const Tensor& a, const Tensor& da) {
                     return std::pair(Relu6(a), Where(a > 0 && a < 6, da, ZerosLike(da)));
                   })(x.tensor());
}

Tensor LeakyRelu(const Operand& x, double negative_slope) {
  return Where(x >= 0, x, negative_slope * x);
}

Tensor Elu(const Operand& x, double alpha) {
  const Tensor is_positive = x > 0;
  return Where(is_positive, x, alpha * Expm1(Where(is_positive, 0, x)));
}

Tensor Celu(const Operand& x, double alpha) {
  return Maximum(x, 0) + alpha * Expm1(Minimum(x, 0) / alpha);
}

Tensor Selu(const Operand& x) {
  return 1.0507009873554804934193349852946 * Elu(x, 1.6732632423543772848170429916717);
}

Tensor Gelu(const Operand& x, bool approximate) {
  if (!approximate) return 0.5 * x * Erfc(-x * (std::numbers::sqrt2 / 2));
  const double scale = std::sqrt(2 / std::numbers::pi);
  return x * (0.5 * (1 + Tanh(scale * (x + 0.044715 * (x * x * x)))));
}

Tensor Sigmoid(const Operand& x) { return Logistic(x); }
Tensor LogSigmoid(const Operand& x) { return -Softplus(-x); }
Tensor Silu(const Operand& x) { return x * Sigmoid(x); }
Tensor Mish(const Operand& x) { return x * Tanh(Softplus(x)); }
Tensor Softplus(const Operand& x) { return LogAddExp(x, 0); }
Tensor SoftSign(const Operand& x) { return x / (Abs(x) + 1); }
Tensor HardTanh(const Operand& x) {
  return Where(x > 1, OnesLike(x), Where(x < -1, -OnesLike(x), x));
}
Tensor HardSigmoid(const Operand& x) { return Relu6(x + 3) / 6; }
Tensor HardSilu(const Operand& x) { return x * HardSigmoid(x); }

Tensor Glu(const Operand& x, int64_t axis) {
  const std::vector<Tensor> halves = Split(x, 2, axis);
  return halves[0] * Sigmoid(halves[1]);
}

Tensor Softmax(const Operand& x, int64_t axis) {
  const auto value = [axis](const Tensor& a) {
    const Tensor exponentials = Exp(a - Max(a, {axis}, true));
    return exponentials / Sum(exponentials, {axis}, true);
  };
  return CustomJvp(value, [axis, value](const Tensor& a, const Tensor& da) {
    const Tensor y = value(a);
    return std::pair(y, y * (da - Sum(y * da, {axis}, true)));
  })(x.tensor());
}

Tensor LogSoftmax(const Operand& x, int64_t axis) {
  const Tensor shifted = x - StopGradient(Max(x, {axis}, true));
  return shifted - Log(Sum(Exp(shifted), {axis}, true));
}

Tensor OneHot(const Operand& indices, int64_t depth, ir::DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(indices);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (!ir::IsInteger(indices.dtype())) {
    return tracer->Fail(
        "OneHot", absl::StrCat("indices are ", indices.type().ToString(), "; expected integers"));
  }
  return Convert(ExpandDims(indices, -1) == Arange(depth, indices.dtype()), dtype);
}

Tensor SoftmaxCrossEntropy(const Operand& logits, const Operand& labels) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(logits, labels);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (logits.rank() == 0) return tracer->Fail("SoftmaxCrossEntropy", "the logits are a scalar");
  const ir::Dims examples(logits.shape().begin(), logits.shape().end() - 1);
  if (ir::IsInteger(labels.dtype())) {
    if (labels.shape() != examples) {
      return tracer->Fail("SoftmaxCrossEntropy",
                          absl::StrCat("the labels are ", labels.type().ToString(),
                                       ", and the logits ", logits.type().ToString()));
    }
    const Tensor chosen = TakeAlongAxis(logits, ExpandDims(labels, -1), -1);
    return LogSumExp(logits, {-1}) - Reshape(chosen, examples);
  }
  return -Sum(labels * LogSoftmax(logits), {-1});
}

}  // namespace acceld::client::nn
