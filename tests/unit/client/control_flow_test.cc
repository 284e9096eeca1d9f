// Loops and branches of traced functions, evaluated by the reference interpreter.

#include "client/tracing/control_flow.h"

#include <string>
#include <vector>

#include "client/tracing/transforms.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/tracing_test_util.h"

namespace acceld::client {
namespace {

using ir::DType;
using ir::TensorType;
using Tensors = std::vector<Tensor>;

// x (1 + ... ) doubled until it is above the limit.
Tensor DoubledAbove(const Tensor& x, const Tensor& limit) {
  return WhileLoop([&](const Tensors& v) { return Tensors{v[0] < limit}; },
                   [](const Tensors& v) { return Tensors{v[0] * 2}; }, {x})[0];
}

TEST(ControlFlowTest, AWhileLoopUsesTensorsAroundIt) {
  EXPECT_THAT(Eval(&DoubledAbove, {F32({}, {3}), F32({}, {40})}), Near({48}));
  EXPECT_THAT(Eval(&DoubledAbove, {F32({}, {50}), F32({}, {40})}), Near({50}));
}

TEST(ControlFlowTest, EachExampleLoopsForItself) {
  EXPECT_THAT(Eval(Vmap(&DoubledAbove, {0, std::nullopt}), {F32({3}, {3, 50, 1}), F32({}, {40})}),
              Near({48, 50, 64}));
}

TEST(ControlFlowTest, AForiLoopCounts) {
  const auto f = [](const Tensor& x) {
    return ForiLoop(
        1, 5,
        [](const Tensor& i, const Tensors& v) { return Tensors{v[0] * Convert(i, DType::kF32)}; },
        {x})[0];
  };
  EXPECT_THAT(Eval(f, {F32({}, {2})}), Near({48}));
  EXPECT_THAT(Eval(Grad(f), {F32({}, {2})}), Near({24}));
}

Tensors RunningSums(const Tensor& start, const Tensor& xs, const ScanOptions& options) {
  const auto [last, sums] = Scan(
      [](const Tensor& sum, const Tensor& x) {
        const Tensor next = sum + x;
        return std::make_pair(next, next);
      },
      start, xs, options);
  return {last, sums};
}

TEST(ControlFlowTest, AScanGivesTheLastValueAndAllOutputs) {
  const auto forward = [](const Tensor& start, const Tensor& xs) {
    return RunningSums(start, xs, {});
  };
  EXPECT_THAT(Eval(forward, {F32({}, {10}), F32({3}, {1, 2, 3})}), Near({16, 11, 13, 16}));
  const auto backward = [](const Tensor& start, const Tensor& xs) {
    return RunningSums(start, xs, {.reverse = true});
  };
  EXPECT_THAT(Eval(backward, {F32({}, {10}), F32({3}, {1, 2, 3})}), Near({16, 16, 15, 13}));
}

// A recurrent network: h = tanh(w h + x).
Tensor Recurrent(const Tensor& w, const Tensor& xs) {
  const auto step = [&](const Tensor& h, const Tensor& x) {
    const Tensor next = Tanh(w * h + x);
    return std::make_pair(next, next);
  };
  const auto [last, all] = Scan(step, Full(xs, {DType::kF32, {}}, 0), xs);
  return last + Sum(all * all);
}

TEST(ControlFlowTest, TheGradientOfAScanIsThatOfItsStepsWrittenOut) {
  const auto written_out = [](const Tensor& w, const Tensor& xs) {
    Tensor h = 0, sum = 0;
    for (int64_t i = 0; i < 4; ++i) {
      const Tensor x = Reshape(Slice(xs, {i}, {i + 1}), {});
      h = i == 0 ? Tanh(x) : Tanh(w * h + x);
      sum = i == 0 ? h * h : sum + h * h;
    }
    return h + sum;
  };
  const std::vector<ir::Literal> arguments = {F32({}, {0.7f}), F32({4}, {0.3f, -1, 0.5f, 0.2f})};
  const std::vector<size_t> both = {0, 1};
  EXPECT_THAT(Eval(&Recurrent, arguments), Near(Eval(written_out, arguments)));
  EXPECT_THAT(Eval(Grad(&Recurrent, both), arguments),
              Near(Eval(Grad(written_out, both), arguments)));
  EXPECT_THAT(Eval(Grad(Grad(&Recurrent)), arguments),
              Near(Eval(Grad(Grad(written_out)), arguments)));
}

TEST(ControlFlowTest, ExamplesOfGradientsOfScans) {
  const std::vector<ir::Literal> arguments = {F32({}, {0.7f}), F32({2, 2}, {0.3f, -1, 0.5f, 0.2f})};
  std::vector<float> expected = Eval(Grad(&Recurrent), {F32({}, {0.7f}), F32({2}, {0.3f, -1})});
  const std::vector<float> second =
      Eval(Grad(&Recurrent), {F32({}, {0.7f}), F32({2}, {0.5f, 0.2f})});
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_THAT(Eval(Vmap(Grad(&Recurrent), {std::nullopt, 0}), arguments), Near(expected));
}

TEST(ControlFlowTest, Branches) {
  const auto cond = [](const Tensor& x) {
    return Cond(
        Reshape(x, {}) > 0, [](const Tensors& v) { return Tensors{v[0] * 10}; },
        [&](const Tensors& v) { return Tensors{v[0] - x}; }, {x})[0];
  };
  EXPECT_THAT(Eval(cond, {F32({1}, {2})}), Near({20}));
  EXPECT_THAT(Eval(cond, {F32({1}, {-2})}), Near({0}));
  const auto choose = [](const Tensor& x) {
    const std::vector<TracedFunction> branches = {
        [](const Tensors& v) { return Tensors{v[0] + 1}; },
        [](const Tensors& v) { return Tensors{v[0] * v[0]}; },
        [](const Tensors& v) { return Tensors{-v[0]}; }};
    return Switch(Convert(x, DType::kI32), branches, {x})[0];
  };
  EXPECT_THAT(Eval(choose, {F32({}, {1})}), Near({1}));
  EXPECT_THAT(Eval(choose, {F32({}, {2})}), Near({-2}));
  EXPECT_THAT(Eval(choose, {F32({}, {-5})}), Near({-4}));
  EXPECT_THAT(Eval(choose, {F32({}, {9})}), Near({-9}));
  EXPECT_THAT(Eval(Vmap(choose), {F32({3}, {0, 1, 2})}), Near({1, 1, -2}));
  EXPECT_THAT(Eval(Grad(choose), {F32({}, {1})}), Near({2}));
}

TEST(ControlFlowTest, WrongCallsSayWhatIsWrong) {
  const TensorType vector{DType::kF32, {3}};
  const auto while_of = [](const TracedFunction& condition, const TracedFunction& body) {
    return [=](const Tensor& x) { return WhileLoop(condition, body, {x})[0]; };
  };
  const TracedFunction same = [](const Tensors& v) { return v; };
  EXPECT_EQ(ErrorOf(while_of(same, same), {vector}),
            "f: WhileLoop: the condition gives (tensor<3xf32>), not a scalar of type i1");
  const TracedFunction positive = [](const Tensors& v) { return Tensors{Sum(v[0]) > 0}; };
  const TracedFunction sum = [](const Tensors& v) { return Tensors{Sum(v[0])}; };
  EXPECT_EQ(ErrorOf(while_of(positive, sum), {vector}),
            "f: WhileLoop: the body takes (tensor<3xf32>) and gives (tensor<f32>)");
  const auto scan = [](const Tensor& x, const Tensor& y) {
    return Scan([](const Tensors& c, const Tensors&) -> ScanStep { return {c, {}}; }, {x}, {x, y})
        .carried[0];
  };
  EXPECT_EQ(ErrorOf(scan, {vector, {DType::kF32, {4}}}),
            "f: Scan: input 1 has 4 steps, and there are 3");
  const auto two = [](const Tensor& x) {
    return Scan([](const Tensors& c, const Tensors&) -> ScanStep { return {{c[0], c[0]}, {}}; },
                {x}, {x})
        .carried[0];
  };
  EXPECT_EQ(ErrorOf(two, {vector}), "f: Scan: the step takes 1 carried values and gives 2");
  const auto cond = [](const Tensor& x) {
    return Cond(x, [](const Tensors& v) { return v; }, [](const Tensors& v) { return v; }, {x})[0];
  };
  EXPECT_EQ(ErrorOf(cond, {vector}), "f: Cond: the choice is tensor<3xf32>, not tensor<i1>");
  const auto mixed = [&](const Tensor& x) { return Cond(Sum(x) > 0, same, sum, {x})[0]; };
  EXPECT_EQ(ErrorOf(mixed, {vector}),
            "f: Cond: branch 1 gives (tensor<f32>), and branch 0 (tensor<3xf32>)");
}

}  // namespace
}  // namespace acceld::client
