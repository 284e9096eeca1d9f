// Functions with derivatives of their own, and values that are computed again.

#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/tracing/tracing_test_util.h"

namespace acceld::client {
namespace {

using ir::DType;
using ir::OpKind;
using ir::TensorType;

TEST(CustomRulesTest, AStoppedGradientIsZero) {
  const auto f = [](const Tensor& x) { return Sum(x * StopGradient(x)); };
  EXPECT_THAT(Eval(f, {F32({2}, {3, 4})}), Near({25}));
  EXPECT_THAT(Eval(Grad(f), {F32({2}, {3, 4})}), Near({3, 4}));
  EXPECT_THAT(Eval(Vmap(Grad(f)), {F32({1, 2}, {3, 4})}), Near({3, 4}));
  // Forward mode, too.
  const auto forward = [&](const Tensor& x) { return Jvp(f, x, OnesLike(x)).second; };
  EXPECT_THAT(Eval(forward, {F32({2}, {3, 4})}), Near({7}));
}

// x y, whose derivatives are said to be 10 y and 100 x.
const auto kOddProduct =
    CustomJvp([](const Tensor& x, const Tensor& y) { return x * y; },
              [](const Tensor& x, const Tensor& y, const Tensor& dx, const Tensor& dy) {
                return std::pair(x * y, 10 * y * dx + 100 * x * dy);
              });

TEST(CustomRulesTest, ARuleForTangentsServesAllModes) {
  const std::vector<ir::Literal> arguments = {F32({}, {2}), F32({}, {3})};
  EXPECT_THAT(Eval(kOddProduct, arguments), Near({6}));
  EXPECT_THAT(Eval(Grad<0, 1>(kOddProduct), arguments), Near({30, 200}));
  const auto forward = [](const Tensor& x, const Tensor& y) {
    return Jvp(kOddProduct, std::tuple(x, y), std::tuple(Tensor(1), Tensor(2)));
  };
  EXPECT_THAT(Eval(forward, arguments), Near({6, 30 + 400}));
  // The rule itself is differentiated: 10 y has the derivative 10.
  EXPECT_THAT(Eval(Grad<1>(Grad<0>(kOddProduct)), arguments), Near({10}));
}

TEST(CustomRulesTest, ARuleForTangentsIsBatched) {
  const std::vector<ir::Literal> arguments = {F32({2}, {2, 4}), F32({}, {3})};
  const auto sums = [](const Tensor& x, const Tensor& y) {
    return Sum(Vmap(kOddProduct, {0, std::nullopt})(x, y));
  };
  EXPECT_THAT(Eval(Vmap(Grad<0, 1>(kOddProduct), {0, std::nullopt}), arguments),
              Near({30, 30, 200, 400}));
  EXPECT_THAT(Eval(Grad<0, 1>(sums), arguments), Near({30, 30, 600}));
}

// The sum of x squared, whose derivative is said to be x times a number that is captured.
auto Scaled(const Tensor& factor) {
  return CustomVjp([](const Tensor& x) { return Sum(x * x); },
                   [](const Tensor& x) { return std::pair(Sum(x * x), std::tuple(x)); },
                   [=](const std::tuple<Tensor>& residuals, const Tensor& cotangent) {
                     return std::get<0>(residuals) * factor * cotangent;
                   });
}

TEST(CustomRulesTest, ARuleForReverseModeMayCaptureTensors) {
  const auto gradient = [](const Tensor& x, const Tensor& factor) {
    return Grad(Scaled(factor))(x);
  };
  EXPECT_THAT(Eval(gradient, {F32({2}, {1, 2}), F32({}, {7})}), Near({7, 14}));
  EXPECT_THAT(Eval(Vmap(gradient, {0, std::nullopt}), {F32({2, 1}, {1, 2}), F32({}, {7})}),
              Near({7, 14}));
  const auto of_batch = [](const Tensor& x, const Tensor& factor) {
    return Grad([&](const Tensor& y) { return Sum(Vmap(Scaled(factor))(y)); })(x);
  };
  EXPECT_THAT(Eval(of_batch, {F32({2, 1}, {1, 2}), F32({}, {7})}), Near({7, 14}));
}

TEST(CustomRulesTest, CotangentsOfWhatExamplesShareAreAddedUp) {
  const auto product =
      CustomVjp([](const Tensor& w, const Tensor& x) { return w * x; },
                [](const Tensor& w, const Tensor& x) { return std::pair(w * x, std::pair(w, x)); },
                [](const std::pair<Tensor, Tensor>& r, const Tensor& cotangent) {
                  return std::tuple(r.second * cotangent, r.first * cotangent);
                });
  const auto loss = [&](const Tensor& w, const Tensor& x) {
    return Sum(Vmap(product, {std::nullopt, 0})(w, x));
  };
  EXPECT_THAT(Eval(Grad<0, 1>(loss), {F32({}, {5}), F32({3}, {1, 2, 3})}), Near({6, 5, 5, 5}));
}

// A function f whose derivative is said to be f + 1, by a rule that calls f.
Tensor Exponential(const Tensor& x) {
  return CustomJvp([](const Tensor& y) { return Exp(y); },
                   [](const Tensor& y, const Tensor& dy) {
                     const Tensor value = Exponential(y);
                     return std::pair(value, dy * (value + 1));
                   })(x);
}
// The same, in reverse mode only.
Tensor ExponentialBackwards(const Tensor& x) {
  return CustomVjp([](const Tensor& y) { return Exp(y); },
                   [](const Tensor& y) {
                     const Tensor value = ExponentialBackwards(y);
                     return std::pair(value, value);
                   },
                   [](const Tensor& value, const Tensor& g) { return g * (value + 1); })(x);
}

TEST(CustomRulesTest, ARuleMayCallTheFunctionThatItBelongsTo) {
  const std::vector<ir::Literal> zero = {F32({}, {0})}, zeros = {F32({2}, {0, 0})};
  EXPECT_THAT(Eval(Grad(&Exponential), zero), Near({2}));
  EXPECT_THAT(Eval(Grad(Grad(&Exponential)), zero), Near({2}));
  EXPECT_THAT(Eval(Vmap(Grad(Grad(&Exponential))), zeros), Near({2, 2}));
  EXPECT_THAT(Eval(Grad([](const Tensor& x) { return Sum(Vmap(&Exponential)(x)); }), zeros),
              Near({2, 2}));
  EXPECT_THAT(Eval(Grad(&ExponentialBackwards), zero), Near({2}));
  EXPECT_THAT(Eval(Grad(Grad(&ExponentialBackwards)), zero), Near({2}));
  EXPECT_THAT(
      Eval(Grad([](const Tensor& x) { return Sum(Vmap(&ExponentialBackwards)(x)); }), zeros),
      Near({2, 2}));
}

TEST(CustomRulesTest, WhatIsCheckpointedIsComputedAgain) {
  const auto layer = [](const Tensor& x) { return Sin(Exp(x)); };
  const auto plain = [&](const Tensor& x) { return Sum(layer(layer(x))); };
  const auto cheap = [&](const Tensor& x) { return Sum(Checkpoint(layer)(Checkpoint(layer)(x))); };
  const std::vector<ir::Literal> arguments = {F32({2}, {0.5f, -1})};
  EXPECT_THAT(Eval(Grad(cheap), arguments), Near(Eval(Grad(plain), arguments)));
  EXPECT_THAT(Eval(Grad(Grad([&](const Tensor& x) { return Sum(Grad(cheap)(Ravel(x))); })),
                   {F32({}, {0.5f})}),
              Near(Eval(Grad(Grad([&](const Tensor& x) { return Sum(Grad(plain)(Ravel(x))); })),
                        {F32({}, {0.5f})})));
  EXPECT_THAT(Eval(Vmap(Grad(cheap)), {F32({2, 1}, {0.5f, -1})}),
              Near(Eval(Grad(plain), arguments)));
  // Exponentials of both layers: once for the value, and once more for the gradient, behind
  // barriers.
  const TensorType type{DType::kF32, {2}};
  EXPECT_EQ(CountOps(TraceOf(Grad(plain), {type})->module(), OpKind::kExponential), 2u);
  const ir::Module module = TraceOf(Grad(cheap), {type})->module();
  EXPECT_GE(CountOps(module, OpKind::kExponential), 4u);
  EXPECT_GE(CountOps(module, OpKind::kOptimizationBarrier), 1u);
}

TEST(CustomRulesTest, NothingOfTheRulesIsLeftInAProgram) {
  const auto f = [](const Tensor& x) {
    return Checkpoint(
        [](const Tensor& y) { return kOddProduct(y, StopGradient(y)) + Scaled(y)(y); })(x);
  };
  const absl::StatusOr<Program> program = TraceOf(f, {{DType::kF32, {}}});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(CountOps(program->module(), OpKind::kComposite), 0u);
}

TEST(CustomRulesTest, WrongRulesSayWhatIsWrong) {
  const TensorType scalar{DType::kF32, {}}, vector{DType::kF32, {3}};
  const auto f = [](const Tensor& x) { return x * 2; };
  const auto flat =
      CustomJvp(f, [](const Tensor& x, const Tensor& dx) { return std::pair(x * 2, Sum(dx)); });
  EXPECT_EQ(ErrorOf(flat, {vector}),
            "f: CustomJvp: the rule's tangent 0 is tensor<f32>, not tensor<3xf32>");
  const auto short_rule = CustomJvp(f, [](const Tensor& x, const Tensor&) { return x * 2; });
  EXPECT_EQ(ErrorOf(short_rule, {vector}),
            "f: CustomJvp: the rule gives 1 tensors for 1 results; expected as many, and their "
            "tangents");
  const auto reverse_only = CustomVjp(
      f, [](const Tensor& x) { return std::pair(x * 2, std::tuple<>()); },
      [](const std::tuple<>&, const Tensor& g) { return 2 * g; });
  const auto forward = [&](const Tensor& x) { return Jvp(reverse_only, x, x); };
  EXPECT_EQ(ErrorOf(forward, {scalar}),
            "f: Jvp: stablehlo.composite cannot be differentiated: a function with a rule for "
            "reverse mode has none for forward mode");
  const auto other = CustomVjp(
      f, [](const Tensor& x) { return std::pair(Sum(x), std::tuple<>()); },
      [](const std::tuple<>&, const Tensor& g) { return 2 * g; });
  EXPECT_EQ(ErrorOf(other, {vector}),
            "f: CustomVjp: the forward function gives (tensor<f32>), and the function "
            "(tensor<3xf32>)");
  const auto two = CustomVjp(
      f, [](const Tensor& x) { return std::pair(x * 2, std::tuple<>()); },
      [](const std::tuple<>&, const Tensor& g) { return std::tuple(g, g); });
  EXPECT_EQ(ErrorOf(two, {vector}),
            "f: CustomVjp: the backward function gives 2 cotangents for 1 leaves of arguments");
  const auto captured = [&](const Tensor& y) {
    return CustomJvp(
        [&](const Tensor& x) { return x * y; },
        [&](const Tensor& x, const Tensor& dx) { return std::pair(x * y, dx * y); })(y);
  };
  EXPECT_EQ(ErrorOf(Grad(captured), {scalar}),
            "f: Grad: stablehlo.composite cannot be differentiated: a function with a rule of its "
            "own uses a tensor from around it that is differentiated; pass that as an argument");
}

TEST(CustomRulesTest, ARuleThatThrowsLeavesAnError) {
  const auto f = [](const Tensor& x) {
    const auto odd = CustomJvp([](const Tensor& y) { return y; },
                               [](const Tensor& y, const Tensor& dy) {
                                 if (y.rank() == 0) throw std::runtime_error("no");
                                 return std::pair(y, dy);
                               });
    try {
      return odd(x);
    } catch (const std::runtime_error&) {
      return x;
    }
  };
  EXPECT_TRUE(TraceOf(f, {{DType::kF32, {2}}}).ok());
  EXPECT_EQ(
      TraceOf(f, {{DType::kF32, {}}}).status(),
      absl::InvalidArgumentError("f: CustomJvp: a function or its rule has thrown an exception"));
}

}  // namespace
}  // namespace acceld::client
