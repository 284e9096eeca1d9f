// Trees of tensors as arguments and results.

#include "client/tracing/tree.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "client/tracing/ops/optim.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/tracing/tracing_test_util.h"

namespace acceld::client {
namespace {

template <typename T>
struct Layer {
  T weights, bias;
  static auto Fields(auto& layer) { return std::tie(layer.weights, layer.bias); }
};
template <typename T>
struct Model {
  std::vector<Layer<T>> layers;
  std::map<std::string, T> scales;
  std::optional<T> shift;
  static auto Fields(auto& model) { return std::tie(model.layers, model.scales, model.shift); }
};

static_assert(Tree<Model<Tensor>> && Tree<std::pair<Tensor, std::vector<Array>>>);
static_assert(!Tree<int> && !Tree<std::vector<float>>);
static_assert(
    std::same_as<Rebind<std::pair<Model<Tensor>, Tensor>, Array>, std::pair<Model<Array>, Array>>);
static_assert(std::same_as<LeafOf<optim::Adam::State<Model<Array>>>, Array>);

Model<Tensor> ModelOf(const std::vector<Tensor>& x) {
  return {{{x[0], x[1]}, {x[2], x[3]}}, {{"a", x[4]}}, x[5]};
}

Tensor Apply(const Model<Tensor>& model, const Tensor& x) {
  Tensor y = x;
  for (const Layer<Tensor>& layer : model.layers) y = y * layer.weights + layer.bias;
  return y * model.scales.at("a") + *model.shift;
}

TEST(TreeTest, AGradientHasTheFormOfItsArgument) {
  const auto gradient = [](const std::vector<Tensor>& x) {
    const Model<Tensor> gradients = Grad(&Apply)(ModelOf(x), x[6]);
    return std::vector<Tensor>{gradients.layers[1].weights, gradients.layers[0].bias,
                               gradients.scales.at("a"), *gradients.shift};
  };
  std::vector<ir::Literal> arguments;
  for (const float value : {2.f, 3.f, 5.f, 7.f, 11.f, 13.f, 1.f}) {
    arguments.push_back(F32({}, {value}));
  }
  // y = ((x 2 + 3) 5 + 7) 11 + 13.
  EXPECT_THAT(Eval(gradient, arguments), Near({5 * 11, 5 * 11, 5 * 5 + 7, 1}));
}

TEST(TreeTest, LeavesComeInOrderAndGoBack) {
  const Model<ir::TensorType> model = {
      {{{ir::DType::kF32, {1}}, {ir::DType::kF32, {2}}}}, {{"z", {ir::DType::kF32, {3}}}}, {}};
  const std::vector<ir::TensorType> leaves = Flatten(model);
  ASSERT_EQ(leaves.size(), 3u);
  EXPECT_EQ(leaves[2].dims[0], 3);
  const Model<ir::TensorType> again = Unflatten<ir::TensorType>(model, absl::MakeConstSpan(leaves));
  EXPECT_EQ(Flatten(again), leaves);
  EXPECT_FALSE(again.shift.has_value());
}

TEST(TreeTest, StructuresTellTreesApart) {
  using Types = std::vector<ir::TensorType>;
  EXPECT_NE(StructureOf(std::pair(Types(1), Types(2))), StructureOf(std::pair(Types(2), Types(1))));
  EXPECT_NE(StructureOf(Static(1)), StructureOf(Static(2)));
  EXPECT_NE(StructureOf(Static("a")), StructureOf(Static("b")));
  EXPECT_NE(StructureOf(Static(0.1)), StructureOf(Static(0.1f)));
  EXPECT_EQ(StructureOf(Static(0.1)), StructureOf(Static(0.1)));
}

TEST(TreeTest, ADifferentNumberOfLeavesIsAnError) {
  const auto f = [](const Tensor& x) {
    return MapTree([](const Tensor& a, const Tensor& b) { return a + b; }, std::vector{x, x},
                   std::vector{x});
  };
  EXPECT_EQ(ErrorOf(f, {{ir::DType::kF32, {}}}),
            "f: MapTree: a tree has 1 leaves, and the first one 2");
}

TEST(TreeTest, OptimizersUpdateTrees) {
  // One step of each from p = 1 with g = 2, as optax computes it.
  const auto step = [](const auto& optimizer) {
    return [=](const Tensor& p) {
      const std::vector<Tensor> parameters = {p, p + 1};
      const auto state = optimizer.Init(parameters);
      return optimizer
          .Update(MapTree([](const Tensor& x) { return FullLike(x, 2); }, parameters), state,
                  parameters)
          .first;
    };
  };
  const std::vector<ir::Literal> one = {F32({}, {1})};
  EXPECT_THAT(Eval(step(optim::Sgd{.learning_rate = 0.1}), one), Near({0.8f, 1.8f}));
  EXPECT_THAT(Eval(step(optim::Sgd{.learning_rate = 0.1, .momentum = 0.9, .nesterov = true}), one),
              Near({1 - 0.38f, 2 - 0.38f}));
  EXPECT_THAT(Eval(step(optim::Adam{.learning_rate = 0.1}), one), Near({0.9f, 1.9f}));
  EXPECT_THAT(Eval(step(optim::AdamW(0.1, 0.5)), one), Near({0.85f, 1.8f}));
}

}  // namespace
}  // namespace acceld::client
