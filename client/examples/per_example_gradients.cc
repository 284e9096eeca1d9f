// The gradient of each example of a batch: the gradient of one example, made a function of many.
// Training with privacy bounds the length of each before it takes their mean.

#include <iostream>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/examples/example.h"
#include "client/tracing.h"

namespace acceld::examples {
namespace {

using client::Array;
using client::Tensor;

// A network of one hidden layer that predicts a number.
template <typename T>
struct Network {
  T hidden, hidden_bias, output;
  static auto Fields(auto& n) { return std::tie(n.hidden, n.hidden_bias, n.output); }
};

Tensor LossOfOne(const Network<Tensor>& network, const Tensor& x, const Tensor& y) {
  const Tensor hidden = Tanh(MatMul(x, network.hidden) + network.hidden_bias);
  return Square(Dot(hidden, network.output) - y);
}

// Each gradient, made no longer than `bound`, and their lengths before.
std::pair<Network<Tensor>, Tensor> ClippedMean(const Network<Tensor>& network, const Tensor& xs,
                                               const Tensor& ys, double bound) {
  const Network<Tensor> gradients =
      client::Vmap(client::Grad(&LossOfOne), {std::nullopt, 0, 0})(network, xs, ys);
  Tensor squares = 0;
  for (const Tensor& leaf : client::Flatten(gradients)) {
    squares = squares + Sum(Square(Reshape(leaf, {xs.shape()[0], -1})), {1});
  }
  const Tensor lengths = Sqrt(squares);
  const Tensor factors = Minimum(bound / lengths, 1);
  const Network<Tensor> mean = client::MapTree(
      [&](const Tensor& leaf) { return Tensordot(factors, leaf, 1) / leaf.shape()[0]; }, gradients);
  return {mean, lengths};
}

absl::Status Run(const std::shared_ptr<client::Client>& client, int examples, int width, int steps,
                 double bound) {
  // Numbers to learn: the sine of the sum of eight inputs.
  const auto init = client::Jit(client, [](int count, int hidden) {
    const std::vector<Tensor> keys = client::random::SplitKeys(client::random::Key(0), 3);
    const Tensor xs = client::random::Normal(keys[0], {count, 8});
    const Network<Tensor> network = {client::random::Normal(keys[1], {8, hidden}) * 0.3,
                                     client::Zeros({hidden}),
                                     client::random::Normal(keys[2], {hidden}) * 0.1};
    return std::tuple(network, xs, Sin(Sum(xs, {1})));
  });
  const auto step = client::Jit(
      client,
      [&](const Network<Tensor>& network, const Tensor& xs, const Tensor& ys) {
        const auto [gradient, lengths] = ClippedMean(network, xs, ys, bound);
        const auto losses = client::Vmap(&LossOfOne, {std::nullopt, 0, 0})(network, xs, ys);
        const auto next = client::MapTree(
            [](const Tensor& p, const Tensor& g) { return p - 0.5 * g; }, network, gradient);
        return std::tuple(next, Mean(losses), Mean(lengths), Max(lengths));
      },
      {.name = "private_step", .donate = {0}});
  ACCELD_ASSIGN_OR_RETURN(auto data, init(client::Static(examples), client::Static(width)));
  auto [network, xs, ys] = data;
  std::cout << absl::StreamFormat("%d examples, %d hidden units, gradients bounded by %g\n",
                                  examples, width, bound);
  const Stopwatch watch;
  for (int i = 1; i <= steps; ++i) {
    ACCELD_ASSIGN_OR_RETURN(const auto results, step(network, xs, ys));
    network = std::get<0>(results);
    if (i != 1 && i % std::max(steps / 5, 1) != 0) continue;
    ACCELD_ASSIGN_OR_RETURN(const float loss, FetchScalar(std::get<1>(results)));
    ACCELD_ASSIGN_OR_RETURN(const float mean, FetchScalar(std::get<2>(results)));
    ACCELD_ASSIGN_OR_RETURN(const float most, FetchScalar(std::get<3>(results)));
    std::cout << absl::StreamFormat(
                     "step %4d/%d  loss %.4f  gradients: mean length %.3f, longest %.3f\n", i,
                     steps, loss, mean, most)
              << std::flush;
  }
  std::cout << absl::StreamFormat("%.2f s\n", watch.Seconds());
  return absl::OkStatus();
}

}  // namespace
}  // namespace acceld::examples

int main(int argc, char** argv) {
  int examples = 1024, width = 64, steps = 200;
  double bound = 1;
  CLI::App app{"Trains with the gradient of each example, on a running acceld.",
               "per_example_gradients"};
  app.add_option("--examples", examples, "in the batch")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--width", width, "hidden units")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--steps", steps, "of training")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--bound", bound, "the greatest length of a gradient")->capture_default_str();
  return acceld::examples::RunExample(app, argc, argv, [&](const auto& client) {
    return acceld::examples::Run(client, examples, width, steps, bound);
  });
}
