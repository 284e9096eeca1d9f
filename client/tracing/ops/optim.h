#pragma once

#include <tuple>
#include <utility>

#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tree.h"

// Optimizers: functions of trees of parameters. Values are those of optax.
//
//   const optim::Adam adam{.learning_rate = 1e-3};
//   auto state = adam.Init(parameters);
//   std::tie(parameters, state) = adam.Update(gradients, state, parameters);
namespace acceld::client::optim {

// Steepest descent: p - learning_rate v, where v = momentum v + g, or without momentum v = g. With
// `nesterov`, p - learning_rate (g + momentum v).
struct Sgd {
  double learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;

  // The velocity v.
  template <Tree P>
  struct State {
    P velocity;
    static auto Fields(auto& state) { return std::tie(state.velocity); }
  };

  template <Tree P>
  State<P> Init(const P& parameters) const {
    return {MapTree([](const Tensor& p) { return ZerosLike(p); }, parameters)};
  }

  template <Tree P>
  std::pair<P, State<P>> Update(const P& gradients, const State<P>& state,
                                const P& parameters) const {
    const P velocity = MapTree([&](const Tensor& g, const Tensor& v) { return g + momentum * v; },
                               gradients, state.velocity);
    const P step = nesterov
                       ? MapTree([&](const Tensor& g, const Tensor& v) { return g + momentum * v; },
                                 gradients, velocity)
                       : velocity;
    return {MapTree([&](const Tensor& p, const Tensor& s) { return p - learning_rate * s; },
                    parameters, step),
            {velocity}};
  }
};

// Adam, and AdamW with weight_decay. Source: Kingma and Ba, "Adam: A Method for Stochastic
// Optimization" (2014); Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2017).
struct Adam {
  double learning_rate = 0.001;
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;

  // Running means of the gradients and of their squares, and the number of steps (i32).
  template <Tree P>
  struct State {
    P mean, square;
    LeafOf<P> count;
    static auto Fields(auto& state) { return std::tie(state.mean, state.square, state.count); }
  };

  template <Tree P>
  State<P> Init(const P& parameters) const {
    const P zeros = MapTree([](const Tensor& p) { return ZerosLike(p); }, parameters);
    return {zeros, zeros, Zeros({}, ir::DType::kI32)};
  }

  template <Tree P>
  std::pair<P, State<P>> Update(const P& gradients, const State<P>& state,
                                const P& parameters) const {
    State<P> next;
    next.count = state.count + 1;
    next.mean =
        MapTree([&](const Tensor& g, const Tensor& m) { return (1 - beta1) * g + beta1 * m; },
                gradients, state.mean);
    next.square = MapTree(
        [&](const Tensor& g, const Tensor& s) { return (1 - beta2) * Square(g) + beta2 * s; },
        gradients, state.square);
    // Both means began at zero, which is corrected.
    const Tensor steps = Convert(next.count, ir::DType::kF32);
    const Tensor mean_part = 1 - Power(beta1, steps), square_part = 1 - Power(beta2, steps);
    P updated = MapTree(
        [&](const Tensor& p, const Tensor& m, const Tensor& s) {
          const Tensor mean = m / Convert(mean_part, m.dtype());
          const Tensor square = s / Convert(square_part, s.dtype());
          Tensor step = mean / (Sqrt(square) + epsilon);
          if (weight_decay != 0) step = step + weight_decay * p;
          return p - learning_rate * step;
        },
        parameters, next.mean, next.square);
    return {std::move(updated), std::move(next)};
  }
};

// AdamW as optax has it by default.
inline Adam AdamW(double learning_rate = 0.001, double weight_decay = 1e-4) {
  return {.learning_rate = learning_rate, .weight_decay = weight_decay};
}

}  // namespace acceld::client::optim
