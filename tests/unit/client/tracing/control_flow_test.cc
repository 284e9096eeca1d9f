// Loops and branches of traced functions, evaluated by the reference interpreter.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/tracing/tracing_test_util.h"

namespace acceld::client {
namespace {

using ir::DType;
using ir::TensorType;
using Tensors = std::vector<Tensor>;

// x (1 + ... ) doubled until it is above the limit.
Tensor DoubledAbove(const Tensor& x, const Tensor& limit) {
  return WhileLoop([&](const Tensor& v) { return v < limit; },
                   [](const Tensor& v) { return v * 2; }, x);
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
        1, 5, [](const Tensor& i, const Tensor& v) { return v * Convert(i, DType::kF32); }, x);
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
  const auto [last, all] = Scan(step, Zeros({}), xs);
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
  EXPECT_THAT(Eval(&Recurrent, arguments), Near(Eval(written_out, arguments)));
  EXPECT_THAT(Eval(Grad<0, 1>(&Recurrent), arguments),
              Near(Eval(Grad<0, 1>(written_out), arguments)));
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
        Reshape(x, {}) > 0, [](const Tensor& v) { return v * 10; },
        [&](const Tensor& v) { return v - x; }, x);
  };
  EXPECT_THAT(Eval(cond, {F32({1}, {2})}), Near({20}));
  EXPECT_THAT(Eval(cond, {F32({1}, {-2})}), Near({0}));
  const auto choose = [](const Tensor& x) {
    return Switch(
        Convert(x, DType::kI32),
        std::tuple([](const Tensor& v) { return v + 1; }, [](const Tensor& v) { return v * v; },
                   [](const Tensor& v) { return -v; }),
        x);
  };
  EXPECT_THAT(Eval(choose, {F32({}, {1})}), Near({1}));
  EXPECT_THAT(Eval(choose, {F32({}, {2})}), Near({-2}));
  EXPECT_THAT(Eval(choose, {F32({}, {-5})}), Near({-4}));
  EXPECT_THAT(Eval(choose, {F32({}, {9})}), Near({-9}));
  EXPECT_THAT(Eval(Vmap(choose), {F32({3}, {0, 1, 2})}), Near({1, 1, -2}));
  EXPECT_THAT(Eval(Grad(choose), {F32({}, {1})}), Near({2}));
}

TEST(ControlFlowTest, LoopsCarryTrees) {
  const auto f = [](const Tensor& x) {
    const auto step = [](const std::pair<Tensor, std::vector<Tensor>>& state) {
      const auto& [sum, powers] = state;
      return std::pair(std::pair(sum + powers[0], std::vector{powers[0] * powers[1], powers[1]}),
                       std::tuple(sum, powers[0] * 2));
    };
    return Scan(step, std::pair(Tensor(0), std::vector{x, x}), std::nullopt, {.length = 3});
  };
  // x + x^2 + x^3, x^4, x; then the sums before each step and twice the powers.
  EXPECT_THAT(Eval(f, {F32({}, {2})}), Near({14, 16, 2, 0, 2, 6, 4, 8, 16}));
  const auto mapped = [](const Tensor& x) {
    return Map([](const Tensor& row) { return std::pair(Sum(row), row * row); }, x);
  };
  EXPECT_THAT(Eval(mapped, {F32({2, 2}, {1, 2, 3, 4})}), Near({3, 7, 1, 4, 9, 16}));
}

TEST(ControlFlowTest, BoundsOfALoopMayBeTensors) {
  const auto doubled = [](const Tensor& x, const Tensor& times) {
    return ForiLoop(0, times, [](const Tensor&, const Tensor& v) { return v * 2; }, x);
  };
  EXPECT_THAT(Eval(doubled, {F32({}, {3}), I32({}, {4})}), Near({48}));
}

TEST(ControlFlowTest, AnAssociativeScanCombinesAllElementsBeforeEachOne) {
  const auto products = [](const Tensor& x) {
    return AssociativeScan([](const Tensor& a, const Tensor& b) { return a * b; }, x);
  };
  const auto backwards = [](const Tensor& x) {
    return AssociativeScan([](const Tensor& a, const Tensor& b) { return a + b; }, x, 1, true);
  };
  std::vector<float> numbers, expected;
  float product = 1;
  for (int i = 0; i < 7; ++i) {
    numbers.push_back(static_cast<float>(i % 3 + 1));
    expected.push_back(product *= numbers.back());
    EXPECT_THAT(Eval(products, {F32({i + 1}, numbers)}), Near(expected));
  }
  EXPECT_THAT(Eval(backwards, {F32({1, 3}, {1, 2, 4})}), Near({7, 6, 4}));
  EXPECT_THAT(Eval(Grad([&](const Tensor& x) { return Sum(products(x)); }), {F32({3}, {2, 3, 4})}),
              Near({1 + 3 + 12, 2 + 8, 6}));
}

TEST(ControlFlowTest, WrongCallsSayWhatIsWrong) {
  const TensorType vector{DType::kF32, {3}};
  const auto while_of = [](auto condition, auto body) {
    return [=](const Tensor& x) { return WhileLoop(condition, body, x); };
  };
  const auto same = [](const Tensor& v) { return v; };
  EXPECT_EQ(ErrorOf(while_of(same, same), {vector}),
            "f: WhileLoop: the condition gives (tensor<3xf32>), not a scalar of type i1");
  const auto positive = [](const Tensor& v) { return Sum(v) > 0; };
  const auto sum = [](const Tensor& v) { return Sum(v); };
  EXPECT_EQ(ErrorOf(while_of(positive, sum), {vector}),
            "f: WhileLoop: the body takes (tensor<3xf32>) and gives (tensor<f32>)");
  const auto scan = [](const Tensor& x, const Tensor& y) {
    const auto step = [](const Tensor& c, const std::pair<Tensor, Tensor>&) {
      return std::pair(c, std::tuple<>());
    };
    return Scan(step, x, std::pair(x, y));
  };
  EXPECT_EQ(ErrorOf(scan, {vector, {DType::kF32, {4}}}),
            "f: Scan: input 1 has 4 steps, and there are 3");
  const auto endless = [](const Tensor& x) {
    return Scan([](const Tensor& c) { return std::pair(c, c); }, x, std::nullopt, {});
  };
  EXPECT_EQ(ErrorOf(endless, {vector}), "f: Scan: there are no inputs, and no length");
  const auto wide = [](const Tensor& x) {
    return Scan([](const Tensor& c) { return std::pair(Sum(c), c); }, x, std::nullopt,
                {.length = 2});
  };
  EXPECT_EQ(ErrorOf(wide, {vector}),
            "f: Scan: the step carries (tensor<3xf32>) and gives (tensor<f32>, tensor<3xf32>)");
  const auto cond = [&](const Tensor& x) { return Cond(x, same, same, x); };
  EXPECT_EQ(ErrorOf(cond, {vector}), "f: Cond: the choice is tensor<3xf32>, not tensor<i1>");
  const auto mixed = [&](const Tensor& x) { return Cond(Sum(x) > 0, same, sum, x); };
  EXPECT_EQ(ErrorOf(mixed, {vector}),
            "f: Cond: branch 1 gives (tensor<f32>), and branch 0 (tensor<3xf32>)");
  const auto uneven = [](const Tensor& x, const Tensor& y) {
    using Both = std::pair<Tensor, Tensor>;
    return AssociativeScan([](const Both& a, const Both&) { return a; }, Both(x, y));
  };
  EXPECT_EQ(ErrorOf(uneven, {vector, {DType::kF32, {4}}}),
            "f: AssociativeScan: leaves have [3] and [4], which differ along axis 0");
}

}  // namespace
}  // namespace acceld::client
