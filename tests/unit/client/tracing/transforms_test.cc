// Derivatives and batches of traced functions, evaluated by the reference interpreter.

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/tracing/tracing_test_util.h"

namespace acceld::client {
namespace {

using ir::DType;
using ir::OpKind;
using ir::TensorType;

TEST(TransformsTest, TheGradientOfASumOfLogistics) {
  const auto sum = [](const Tensor& x) { return Sum(Logistic(x)); };
  EXPECT_THAT(Eval(Grad(sum), {F32({3}, {0, 1, 2})}), Near({0.25f, 0.19661197f, 0.10499357f}));
}

TEST(TransformsTest, GradientsOfChosenArguments) {
  const auto f = [](const Tensor& x, const Tensor& y) { return Sum(x * x * y); };
  const std::vector<ir::Literal> arguments = {F32({2}, {1, 2}), F32({2}, {3, 4})};
  EXPECT_THAT(Eval(Grad(f), arguments), Near({6, 16}));
  EXPECT_THAT(Eval(Grad<1>(f), arguments), Near({1, 4}));
  EXPECT_THAT(Eval(Grad<1, 0>(f), arguments), Near({1, 4, 6, 16}));
}

TEST(TransformsTest, ValuesComeAlongWithTheGradient) {
  const auto f = [](const Tensor& x) { return std::pair(Sum(x * x), 10 * x); };
  EXPECT_THAT(Eval(ValueAndGrad(f), {F32({2}, {1, 2})}), Near({5, 10, 20, 2, 4}));
}

TEST(TransformsTest, DerivativesOfHigherOrder) {
  const auto cube = [](const Tensor& x) { return x * x * x; };
  EXPECT_THAT(Eval(Grad(Grad(cube)), {F32({}, {2})}), Near({12}));
  EXPECT_THAT(Eval(Grad(Grad(Grad(cube))), {F32({}, {2})}), Near({6}));
}

TEST(TransformsTest, WhatIsCapturedHasDerivativesOutside) {
  // The derivative of y x^2 by x, and of that by y.
  const auto by_x = [](const Tensor& x, const Tensor& y) {
    return Grad([&](const Tensor& z) { return y * z * z; })(x);
  };
  EXPECT_THAT(Eval(by_x, {F32({}, {3}), F32({}, {5})}), Near({30}));
  EXPECT_THAT(Eval(Grad<1>(by_x), {F32({}, {3}), F32({}, {5})}), Near({6}));
  EXPECT_THAT(Eval(Grad<0>(by_x), {F32({}, {3}), F32({}, {5})}), Near({10}));
}

TEST(TransformsTest, GradientsOfEachExample) {
  const auto loss = [](const Tensor& w, const Tensor& x) { return Sum(Square(w * x)); };
  const std::vector<ir::Literal> arguments = {F32({2}, {1, 2}), F32({3, 2}, {1, 1, 2, 2, 3, 0})};
  EXPECT_THAT(Eval(Vmap(Grad(loss), {std::nullopt, 0}), arguments), Near({2, 4, 8, 16, 18, 0}));
}

TEST(TransformsTest, ExamplesMayBeAlongAnyAxis) {
  const auto subtract = [](const Tensor& a, const Tensor& b) { return a - b; };
  const std::vector<ir::Literal> arguments = {F32({2, 3}, {1, 2, 3, 4, 5, 6}), F32({3}, {1, 2, 3})};
  // Each example is a column of the first, and a number of the second.
  EXPECT_THAT(Eval(Vmap(subtract, {1, 0}), arguments), Near({0, 3, 0, 3, 0, 3}));
  EXPECT_THAT(Eval(Vmap(subtract, {-1, -1}, {1}), arguments), Near({0, 0, 0, 3, 3, 3}));
  const auto twice = [](const Tensor& a) { return a + a; };
  EXPECT_THAT(Eval(Vmap(Vmap(twice)), {F32({2, 2}, {1, 2, 3, 4})}), Near({2, 4, 6, 8}));
}

TEST(TransformsTest, ForwardAndReverseMode) {
  const auto f = [](const Tensor& x, const Tensor& y) { return std::pair(x * y, Sin(x)); };
  const auto forward = [&](const Tensor& x, const Tensor& y, const Tensor& dx) {
    return Jvp(f, std::tuple(x, y), std::tuple(dx, Tensor(0)));
  };
  EXPECT_THAT(Eval(forward, {F32({}, {0}), F32({}, {3}), F32({}, {2})}), Near({0, 0, 6, 2}));
  const auto backward = [&](const Tensor& x, const Tensor& y, const Tensor& cotangent) {
    return Vjp(f, x, y).second({cotangent, 10});
  };
  EXPECT_THAT(Eval(backward, {F32({}, {0}), F32({}, {3}), F32({}, {2})}), Near({16, 0}));
}

TEST(TransformsTest, JacobiansAreTheSameInBothModes) {
  const auto f = [](const Tensor& x, const Tensor& y) { return Stack({x * x, x * y}); };
  const std::vector<ir::Literal> arguments = {F32({2}, {3, 4}), F32({2}, {5, 6})};
  // Elements [0, i] of the result depend on x[i] by 2 x[i], and [1, i] by y[i].
  const std::vector<float> expected = {6, 0, 0, 8, 5, 0, 0, 6};
  EXPECT_THAT(Eval(JacFwd(f), arguments), Near(expected));
  EXPECT_THAT(Eval(JacRev(f), arguments), Near(expected));
  EXPECT_THAT(Eval(Jacobian<1>(f), arguments), Near({0, 0, 0, 0, 3, 0, 0, 4}));
}

TEST(TransformsTest, AHessianHasAllSecondDerivatives) {
  const auto f = [](const Tensor& x) { return Prod(x); };
  EXPECT_THAT(Eval(Hessian(f), {F32({3}, {2, 3, 5})}), Near({0, 5, 3, 5, 0, 2, 3, 2, 0}));
}

TEST(TransformsTest, WrongCallsSayWhatIsWrong) {
  const TensorType vector{DType::kF32, {3}}, integers{DType::kI32, {3}};
  const auto square = [](const Tensor& x) { return x * x; };
  const auto sum = [](const Tensor& x) { return Sum(x); };
  EXPECT_EQ(ErrorOf(Grad(square), {vector}),
            "f: Grad: the result must be a scalar float, not tensor<3xf32>");
  EXPECT_EQ(ErrorOf(Grad(sum), {integers}),
            "f: Grad: argument 0 is tensor<3xi32>; only floats and complex numbers have gradients");
  const auto add = [](const Tensor& x, const Tensor& y) { return x + y; };
  EXPECT_EQ(ErrorOf(Vmap(add), {vector, {DType::kF32, {4}}}),
            "f: Vmap: argument 1 has 4 examples along axis 0, and argument 0 has 3");
  EXPECT_EQ(ErrorOf(Vmap(add, {0, 0, 0}), {vector, vector}),
            "f: Vmap: in_axes has 3 entries, and there are 2 arguments");
  EXPECT_EQ(ErrorOf(Vmap(add, {std::nullopt, std::nullopt}), {vector, vector}),
            "f: Vmap: no argument has examples");
}

// What a gradient costs beside JAX's for the same function.
TEST(TransformsTest, LoopsInReverseStackOnlyWhatDependsOnEarlierIterations) {
  const auto last = [](const Tensor& h, const Tensor& xs) {
    const auto step = [&](const Tensor& i, const Tensor& c) {
      return Tanh(2 * c * DynamicIndexInDim(xs, i, 0, /*keep_dim=*/false));
    };
    return ForiLoop(0, xs.shape()[0], step, h);
  };
  const absl::StatusOr<Program> program =
      TraceOf(Grad<0>(last), {{DType::kF32, {}}, {DType::kF32, {9}}});
  ASSERT_TRUE(program.ok()) << program.status();
  // The derivative of tanh; not what the loop reads, nor 2.
  EXPECT_EQ(CountOps(program->module(), OpKind::kDynamicUpdateSlice), 1u);
  const float h = std::tanh(2 * 0.5f * 0.3f);
  EXPECT_THAT(Eval(Grad<0>(last), {F32({}, {0.5f}), F32({1}, {0.3f})}), Near({0.6f * (1 - h * h)}));
}

TEST(TransformsTest, ProductsOfABatchWithAMatrixHaveOneGradientOfIt) {
  const auto f = [](const Tensor& w, const Tensor& x) { return Sum(MatMul(x, w)); };
  const absl::StatusOr<Program> program =
      TraceOf(Grad<0>(f), {{DType::kF32, {3, 2}}, {DType::kF32, {4, 5, 3}}});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(CountOps(program->module(), OpKind::kReduce), 1u);  // the sum
  EXPECT_EQ(CountOps(program->module(), OpKind::kBroadcastInDim), 1u);
}

TEST(TransformsTest, GradientsOfPartsAreJoined) {
  const auto f = [](const Tensor& x) {
    const std::vector<Tensor> parts = client::Split(x, 3);
    return Sum(Sin(parts[0]) * Cos(parts[2]));
  };
  const absl::StatusOr<Program> program = TraceOf(Grad(f), {{DType::kF32, {6}}});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(CountOps(program->module(), OpKind::kPad), 0u);
  EXPECT_EQ(CountOps(program->module(), OpKind::kConcatenate), 1u);
  EXPECT_THAT(Eval(Grad([](const Tensor& x) {
                     const Tensor middle = SliceInDim(x, 1, 3);
                     return Sum(2 * middle) + Sum(3 * SliceInDim(x, 2, 4)) + Sum(5 * middle);
                   }),
                   {F32({5}, {0, 0, 0, 0, 0})}),
              Near({0, 7, 10, 3, 0}));
}

}  // namespace
}  // namespace acceld::client
