#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/tracing/tensor.h"

// Parts of neural networks. Values and derivatives are those of jax.nn and flax.linen.
namespace acceld::client::nn {

// Activations.
Tensor Relu(const Operand& x);
Tensor Relu6(const Operand& x);
Tensor LeakyRelu(const Operand& x, double negative_slope = 0.01);
Tensor Elu(const Operand& x, double alpha = 1);
Tensor Celu(const Operand& x, double alpha = 1);
Tensor Selu(const Operand& x);
// With tanh, or, if not `approximate`, with the error function.
Tensor Gelu(const Operand& x, bool approximate = true);
Tensor Sigmoid(const Operand& x);
Tensor LogSigmoid(const Operand& x);
Tensor Silu(const Operand& x);
Tensor Mish(const Operand& x);
Tensor Softplus(const Operand& x);
Tensor SoftSign(const Operand& x);
Tensor HardTanh(const Operand& x);
Tensor HardSigmoid(const Operand& x);
Tensor HardSilu(const Operand& x);
// The first half along `axis`, times the sigmoid of the second half.
Tensor Glu(const Operand& x, int64_t axis = -1);

// Exponentials that add up to 1 along `axis`, and their logarithms. Both subtract the maximum
// first.
Tensor Softmax(const Operand& x, int64_t axis = -1);
Tensor LogSoftmax(const Operand& x, int64_t axis = -1);
// Adds a last axis of size `depth` that is 1 at the position given by each index and 0 elsewhere;
// indices outside [0, depth) give only zeros.
Tensor OneHot(const Operand& indices, int64_t depth, ir::DType dtype = ir::DType::kF32);
// The cross entropy of logits [..., classes] and labels: integers [...], or probabilities [...,
// classes].
Tensor SoftmaxCrossEntropy(const Operand& logits, const Operand& labels);

// Mean 0 and variance 1 along `axis`.
Tensor Standardize(const Operand& x, int64_t axis = -1, double epsilon = 1e-5);
// Standardize along the last axis, times `scale`, plus `bias`, vectors of its size.
Tensor LayerNorm(const Operand& x, const Operand& scale, const Operand& bias,
                 double epsilon = 1e-6);
// x divided by the root of the mean square along the last axis, times `scale`.
Tensor RmsNorm(const Operand& x, const Operand& scale, double epsilon = 1e-6);
// (x - mean) / sqrt(variance + epsilon) * scale + bias, of vectors for the last axis.
Tensor BatchNorm(const Operand& x, const Operand& mean, const Operand& variance,
                 const Operand& scale, const Operand& bias, double epsilon = 1e-5);

// How much is added around the spatial dimensions of an image: so that the result has the size of
// the image divided by the stride, rounded up; nothing; or so much before and after each dimension.
class Padding {
 public:
  static Padding Same() { return Padding(Kind::kSame, {}); }
  static Padding Valid() { return Padding(Kind::kValid, {}); }
  static Padding Explicit(std::vector<std::pair<int64_t, int64_t>> widths) {
    return Padding(Kind::kExplicit, std::move(widths));
  }

  enum class Kind { kSame, kValid, kExplicit };
  Kind kind() const { return kind_; }
  const std::vector<std::pair<int64_t, int64_t>>& widths() const { return widths_; }

 private:
  Padding(Kind kind, std::vector<std::pair<int64_t, int64_t>> widths)
      : kind_(kind), widths_(std::move(widths)) {}
  Kind kind_;
  std::vector<std::pair<int64_t, int64_t>> widths_;
};

struct ConvolutionOptions {
  std::vector<int64_t> strides = {};  // empty: ones
  Padding padding = Padding::Same();
  std::vector<int64_t> lhs_dilation = {}, rhs_dilation = {};  // empty: ones
  int64_t feature_groups = 1;
  // The dimensions of x, of the kernel and of the result: N for images, C for channels, O and I for
  // the kernel's output and input channels, and any other letters for the spatial dimensions. Empty
  // means the channels last: "NHWC", "HWIO", "NHWC" for images of two dimensions.
  std::string input = "", kernel = "", output = "";
};
// lax.conv_general_dilated.
Tensor Convolution(const Operand& x, const Operand& kernel, const ConvolutionOptions& options = {});

// The maximum and the mean of each window of images [N, spatial..., C]. Without strides, windows
// are neighbours. The mean counts what is padded.
Tensor MaxPool(const Operand& x, const std::vector<int64_t>& window,
               std::vector<int64_t> strides = {}, const Padding& padding = Padding::Valid());
Tensor AvgPool(const Operand& x, const std::vector<int64_t>& window,
               std::vector<int64_t> strides = {}, const Padding& padding = Padding::Valid());

struct AttentionOptions {
  std::optional<Tensor> bias = std::nullopt;   // added to the logits [B, N, T, S]
  std::optional<Tensor> mask = std::nullopt;   // of i1: where logits count
  bool is_causal = false;                      // a position attends to those before it
  std::optional<double> scale = std::nullopt;  // by default 1 / sqrt(H)
};
// softmax(query key^T * scale) value, of queries [B, T, N, H], and keys and values [B, S, K, H].
// The number of heads N is a multiple of K. The softmax is computed in f32.
Tensor DotProductAttention(const Operand& query, const Operand& key, const Operand& value,
                           const AttentionOptions& options = {});

}  // namespace acceld::client::nn
