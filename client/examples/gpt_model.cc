#include "client/examples/gpt_model.h"

#include <cmath>
#include <utility>

namespace acceld::examples::gpt {
namespace {

namespace nn = client::nn;
namespace random = client::random;

Tensor Attention(const Tensor& x, const Block<Tensor>& block, const Sizes& sizes) {
  const int64_t batch = x.shape()[0], length = x.shape()[1], head = sizes.width / sizes.heads;
  const std::vector<Tensor> parts = client::Split(MatMul(x, block.attention), 3, -1);
  const auto heads = [&](const Tensor& part) {
    return Reshape(part, {batch, length, sizes.heads, head});
  };
  const Tensor mixed = nn::DotProductAttention(heads(parts[0]), heads(parts[1]), heads(parts[2]),
                                               {.is_causal = true});
  return MatMul(Reshape(mixed, x.shape()), block.projection);
}

}  // namespace

Model<Tensor> Init(const Tensor& key, const Sizes& sizes) {
  Tensor rest = key;
  const auto weights = [&](int64_t rows, int64_t columns, double deviation) {
    const std::vector<Tensor> keys = random::SplitKeys(rest);
    rest = keys[0];
    return random::Normal(keys[1], {rows, columns}) * deviation;
  };
  const int64_t width = sizes.width;
  const double deviation = 1 / std::sqrt(static_cast<double>(width));
  Model<Tensor> model{.tokens = weights(sizes.vocabulary, width, 0.02),
                      .positions = weights(sizes.context, width, 0.02),
                      .blocks = {},
                      .norm = client::Ones({width})};
  for (int64_t i = 0; i < sizes.layers; ++i) {
    model.blocks.push_back({.norm1 = client::Ones({width}),
                            .attention = weights(width, 3 * width, deviation),
                            .projection = weights(width, width, deviation / 2),
                            .norm2 = client::Ones({width}),
                            .expand = weights(width, 4 * width, deviation),
                            .contract = weights(4 * width, width, deviation / 4)});
  }
  return model;
}

Tensor Logits(const Model<Tensor>& model, const Tensor& tokens, const Sizes& sizes) {
  const int64_t length = tokens.shape()[1];
  Tensor x = Take(model.tokens, tokens) + SliceInDim(model.positions, 0, length);
  for (const Block<Tensor>& block : model.blocks) {
    x = x + Attention(nn::RmsNorm(x, block.norm1), block, sizes);
    const Tensor hidden = nn::Gelu(MatMul(nn::RmsNorm(x, block.norm2), block.expand));
    x = x + MatMul(hidden, block.contract);
  }
  return MatMul(nn::RmsNorm(x, model.norm), Transpose(model.tokens));
}

Tensor Loss(const Model<Tensor>& model, const Tensor& tokens, const Sizes& sizes) {
  const int64_t length = tokens.shape()[1];
  const Tensor logits = Logits(model, SliceInDim(tokens, 0, length - 1, 1), sizes);
  return Mean(nn::SoftmaxCrossEntropy(logits, SliceInDim(tokens, 1, length, 1)));
}

std::pair<Training<Tensor>, Tensor> Step(const Training<Tensor>& training, const Tensor& tokens,
                                         const Sizes& sizes, const client::optim::Adam& adam) {
  const auto loss = [&](const Model<Tensor>& model) { return Loss(model, tokens, sizes); };
  const auto [value, gradients] = client::ValueAndGrad(loss)(training.model);
  auto [model, memory] = adam.Update(gradients, training.memory, training.model);
  return {{model, memory}, value};
}

}  // namespace acceld::examples::gpt
