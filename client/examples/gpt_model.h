#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "client/tracing.h"
#include "client/tracing/ops/optim.h"

// A small transformer for text: the model of gpt.cc, and of a benchmark beside JAX.
namespace acceld::examples::gpt {

using client::Tensor;

struct Sizes {
  int64_t vocabulary = 256, context = 64, width = 128, heads = 4, layers = 4;
};

template <typename T>
struct Block {
  T norm1, attention, projection, norm2, expand, contract;
  static auto Fields(auto& b) {
    return std::tie(b.norm1, b.attention, b.projection, b.norm2, b.expand, b.contract);
  }
};
template <typename T>
struct Model {
  T tokens, positions;
  std::vector<Block<T>> blocks;
  T norm;
  static auto Fields(auto& m) { return std::tie(m.tokens, m.positions, m.blocks, m.norm); }
};

// Random weights.
Model<Tensor> Init(const Tensor& key, const Sizes& sizes);
// The logits of the next token after each one of `tokens`, i32 [batch, length]: [batch, length,
// vocabulary]. The embeddings of tokens are the weights of the last layer, too.
Tensor Logits(const Model<Tensor>& model, const Tensor& tokens, const Sizes& sizes);
// The mean cross entropy of the tokens i32 [batch, length + 1] after the first ones.
Tensor Loss(const Model<Tensor>& model, const Tensor& tokens, const Sizes& sizes);

// What a step of training takes and gives.
template <typename T>
struct Training {
  Model<T> model;
  client::optim::Adam::State<Model<T>> memory;
  static auto Fields(auto& t) { return std::tie(t.model, t.memory); }
};
std::pair<Training<Tensor>, Tensor> Step(const Training<Tensor>& training, const Tensor& tokens,
                                         const Sizes& sizes, const client::optim::Adam& adam);

}  // namespace acceld::examples::gpt
