// The values of operations on tensors. tests/jax compares most of them with JAX's.

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "client/tracing/ops/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/tracing/tracing_test_util.h"

namespace acceld::client {
namespace {

using ir::DType;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> Counted(int count) {
  std::vector<float> numbers(count);
  for (int i = 0; i < count; ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}
const ir::Literal kMatrix = F32({2, 3}, {0, 1, 2, 3, 4, 5});

TEST(OperationsTest, PlainNumbersAreComputedInC) {
  EXPECT_THAT(Eval([](const Tensor& x) { return x * (Tensor(1) / 4 - 2); }, {F32({}, {2})}),
              Near({-3.5f}));
}

TEST(OperationsTest, FloorDivisionAndModRoundDown) {
  const auto both = [](const Tensor& a, const Tensor& b) {
    return std::pair(FloorDivide(a, b), Mod(a, b));
  };
  EXPECT_THAT(Eval(both, {F32({4}, {7, -7, 7, -7}), F32({4}, {2, 2, -2, -2})}),
              Near({3, -4, -4, 3, 1, 1, -1, -1}));
  EXPECT_THAT(Eval(both, {I32({4}, {7, -7, 7, -7}), I32({4}, {2, 2, -2, -2})}),
              Near({3, -4, -4, 3, 1, 1, -1, -1}));
}

TEST(OperationsTest, SpecialFunctions) {
  const auto f = [](const Tensor& x) {
    return std::tuple(Erf(x), Lgamma(x + 2), Digamma(x + 2), Atan(x), Sinh(x));
  };
  EXPECT_THAT(Eval(f, {F32({1}, {0.5f})}),
              Near({0.5204999f, 0.2846829f, 0.7031566f, 0.4636476f, 0.5210953f}));
}

TEST(OperationsTest, IndicesSelectAsInNumPy) {
  const auto at = [](const Index& index) {
    return Eval([&](const Tensor& x) { return At(x, index); }, {kMatrix});
  };
  EXPECT_THAT(at({1}), Near({3, 4, 5}));
  EXPECT_THAT(at({kAll, -1}), Near({2, 5}));
  EXPECT_THAT(at({kEllipsis, Range{.step = -2}}), Near({2, 0, 5, 3}));
  EXPECT_THAT(at({Range{1}, kNewAxis, Range{0, 2}}), Near({3, 4}));
  EXPECT_THAT(at({0, Range{5, 9}}), Near({}));
  const auto gather = [](const Tensor& x, const Tensor& i) {
    return std::tuple(At(x, {kAll, i}), At(x, {i, i}), At(x, {1, i}));
  };
  EXPECT_THAT(Eval(gather, {kMatrix, I32({2}, {1, -1})}), Near({1, 2, 4, 5, 4, 5, 4, 5}));
  const auto shape = Results([](const Tensor& x, const Tensor& i) { return At(x, {i, kAll, i}); },
                             {F32({2, 3, 2}, Counted(12)), I32({2}, {0, 1})});
  EXPECT_EQ(shape[0], F32({2, 3}, {0, 2, 4, 7, 9, 11}));
  // One number from a tensor is a slice.
  EXPECT_THAT(
      Eval([](const Tensor& x, const Tensor& i) { return At(x, {i}); }, {kMatrix, I32({}, {-1})}),
      Near({3, 4, 5}));
}

TEST(OperationsTest, UpdatesAtIndices) {
  const auto set = [](const Index& index, const Tensor& value) {
    return Eval([&](const Tensor& x) { return SetAt(x, index, value); }, {kMatrix});
  };
  EXPECT_THAT(set({1}, 9), Near({0, 1, 2, 9, 9, 9}));
  EXPECT_THAT(set({kAll, Range{.step = -2}}, 9), Near({9, 1, 9, 9, 4, 9}));
  EXPECT_THAT(set({0, -1}, 9), Near({0, 1, 9, 3, 4, 5}));
  const auto rows = [](const Tensor& x, const Tensor& row) {
    return std::pair(SetAt(x, {kAll, Range{.step = -2}}, row), AddAt(x, {0}, 10));
  };
  EXPECT_THAT(Eval(rows, {kMatrix, F32({2}, {7, 8})}),
              Near({8, 1, 7, 8, 4, 7, 10, 11, 12, 3, 4, 5}));
  const auto scattered = [](const Tensor& x, const Tensor& i) {
    return std::tuple(AddAt(x, {kAll, i}, 10), MaxAt(x, {0, i}, 1.5), MultiplyAt(x, {i, i}, 3));
  };
  EXPECT_THAT(Eval(scattered, {kMatrix, I32({2}, {1, 1})}),
              Near({0, 21, 2, 3, 24, 5, 0, 1.5f, 2, 3, 4, 5, 0, 1, 2, 3, 36, 5}));
  EXPECT_THAT(Eval([](const Tensor& x, const Tensor& s) { return SegmentSum(x, s, 2); },
                   {F32({4}, {1, 2, 3, 4}), I32({4}, {1, 0, 1, 5})}),
              Near({2, 4}));
}

TEST(OperationsTest, ShapesAreRearranged) {
  const auto f = [](const Tensor& x) {
    return std::tuple(Roll(x, 1, 1), Flip(x, {0}), Tile(x, {2}), Repeat(x, 2, 1),
                      MoveAxis(x, 0, -1), Stack({x, x}, 1));
  };
  EXPECT_THAT(Eval(f, {F32({2, 2}, {1, 2, 3, 4})}),
              Near({2, 1, 4, 3, 3, 4, 1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 1, 1,
                    2, 2, 3, 3, 4, 4, 1, 3, 2, 4, 1, 2, 1, 2, 3, 4, 3, 4}));
  const auto pad = [](PadMode mode) {
    return Eval([&](const Tensor& x) { return Pad(x, {{2, 1}}, 9, mode); }, {F32({3}, {1, 2, 3})});
  };
  EXPECT_THAT(pad(PadMode::kConstant), Near({9, 9, 1, 2, 3, 9}));
  EXPECT_THAT(pad(PadMode::kEdge), Near({1, 1, 1, 2, 3, 3}));
  EXPECT_THAT(pad(PadMode::kReflect), Near({3, 2, 1, 2, 3, 2}));
  EXPECT_THAT(pad(PadMode::kSymmetric), Near({2, 1, 1, 2, 3, 3}));
  EXPECT_THAT(pad(PadMode::kWrap), Near({2, 3, 1, 2, 3, 1}));
  const auto diagonals = [](const Tensor& x) {
    return std::tuple(Diagonal(x), Diagonal(x, 1), Diagonal(x, -1), Tril(x), Triu(x, 1));
  };
  EXPECT_THAT(Eval(diagonals, {kMatrix}),
              Near({0, 4, 1, 5, 3, 0, 0, 0, 3, 4, 0, 0, 1, 2, 0, 0, 5}));
}

TEST(OperationsTest, EinsumContracts) {
  const auto einsum = [](const char* labels) {
    return Eval([&](const Tensor& a, const Tensor& b) { return Einsum(labels, {a, b}); },
                {kMatrix, F32({3, 2}, {1, 0, 0, 1, 1, 1})});
  };
  EXPECT_THAT(einsum("ij,jk->ik"), Near({2, 3, 8, 9}));
  EXPECT_THAT(einsum("ij,jk->ki"), Near({2, 8, 3, 9}));
  EXPECT_THAT(einsum("ij,ki->kj"), Near({0, 1, 2, 3, 4, 5, 3, 5, 7}));
  EXPECT_THAT(einsum("ij,kl->"), Near({60}));
  const auto one = [](const char* labels, const ir::Literal& x) {
    return Eval([&](const Tensor& a) { return Einsum(labels, {a}); }, {x});
  };
  EXPECT_THAT(one("ii->i", F32({2, 2}, {1, 2, 3, 4})), Near({1, 4}));
  EXPECT_THAT(one("ij->j", kMatrix), Near({3, 5, 7}));
  const auto three = [](const Tensor& a) { return Einsum("ij,jk,kl->il", {a, a, a}); };
  EXPECT_THAT(Eval(three, {F32({2, 2}, {1, 1, 0, 1})}), Near({1, 3, 0, 1}));
}

TEST(OperationsTest, SortingPutsNanLast) {
  const auto f = [](const Tensor& x) {
    return std::tuple(Argsort(x), Argsort(x, -1, true), ArgMax(x, 0), ArgMin(x, 0));
  };
  EXPECT_THAT(Eval(f, {F32({4}, {2, 1, kNan, 1})}), Near({1, 3, 0, 2, 2, 0, 1, 3, 2, 2}));
  const auto top = [](const Tensor& x) { return TopK(x, 2); };
  EXPECT_THAT(Eval(top, {F32({4}, {2, 7, 1, 7})}), Near({7, 7, 1, 3}));
  const auto search = [](const Tensor& x, const Tensor& v) {
    return std::pair(SearchSorted(x, v), SearchSorted(x, v, true));
  };
  EXPECT_THAT(Eval(search, {F32({3}, {1, 2, 2}), F32({4}, {0, 1, 2, 3})}),
              Near({0, 0, 1, 3, 0, 1, 3, 3}));
}

TEST(OperationsTest, RunningReductions) {
  const auto f = [](const Tensor& x) {
    return std::tuple(CumSum(x), CumSum(x, 0, true), CumProd(x), CumMax(x), CumMin(x));
  };
  EXPECT_THAT(Eval(f, {F32({3}, {2, 1, 3})}), Near({2, 3, 6, 6, 4, 3, 2, 2, 6, 2, 2, 3, 2, 1, 1}));
}

TEST(OperationsTest, ConvolutionsAndPools) {
  const auto f = [](const Tensor& x, const Tensor& kernel) {
    return std::tuple(nn::Convolution(x, kernel), nn::MaxPool(x, {2, 2}), nn::AvgPool(x, {2, 2}));
  };
  EXPECT_THAT(Eval(f, {F32({1, 2, 2, 1}, {1, 2, 3, 4}), F32({2, 2, 1, 1}, {1, 1, 1, 1})}),
              Near({10, 6, 7, 4, 4, 2.5f}));
}

// The expected numbers are those of jax.random with PRNGKey(42).
TEST(OperationsTest, RandomBitsAreThoseOfJax) {
  const auto bits = []() {
    const Tensor key = random::Key(42);
    return std::tuple(random::Split(key), random::FoldIn(key, 7), random::Bits(key, {2}));
  };
  std::vector<uint32_t> words;
  for (const ir::Literal& result : Results(bits, {})) {
    const std::string bytes = result.DenseBytes();
    for (int64_t i = 0; i < result.type().num_elements(); ++i) {
      words.push_back(static_cast<uint32_t>(ir::ReadInt(DType::kUI32, bytes.data(), i)));
    }
  }
  EXPECT_THAT(words, ::testing::ElementsAre(1832780943u, 270669613u, 64467757u, 2916123636u,
                                            2547012911u, 1371500959u, 2098992034u, 2919706841u));
}

TEST(OperationsTest, RandomNumbersAreThoseOfJax) {
  const auto floats = []() {
    const Tensor key = random::Key(42);
    return std::tuple(random::Uniform(key, {3}), random::Normal(key, {2}),
                      random::TruncatedNormal(key, -1, 1, {2}), random::Laplace(key, {2}),
                      random::Exponential(key, {2}), random::Cauchy(key, {2}),
                      random::Logistic(key, {2}), random::Gumbel(key, {2}));
  };
  EXPECT_THAT(Eval(floats, {}),
              Near({0.48870957f, 0.67979717f, 0.6162715f, -0.028304616f, 0.46713185f, -0.019321937f,
                    0.31269985f, 0.022839652f, -0.44565356f, 0.6708175f, 1.1388006f, -0.03548463f,
                    0.63372612f, -0.045169413f, 0.7528398f, 0.3340934f, 0.95201945f}));
  const auto others = []() {
    const Tensor key = random::Key(42);
    return std::tuple(random::Randint(key, {3}, -5, 100), random::Permutation(key, 5),
                      random::Categorical(key, Zeros({4})),
                      random::Gamma(key, Constant(F32({2}, {0.5f, 3}))),
                      Convert(random::Uniform(key, {3}, DType::kBF16), DType::kF32));
  };
  EXPECT_THAT(Eval(others, {}), Near({94, 49, 76, 4, 2, 3, 0, 1, 1, 0.9994542f, 1.9191895f,
                                      0.6328125f, 0.84375f, 0.96875f}));
}

TEST(OperationsTest, NumbersOfDistributionsWithParametersAreThoseOfJax) {
  const auto floats = []() {
    const Tensor key = random::Key(42), p = Constant(F32({2}, {2, 3}));
    return std::tuple(
        std::tuple(random::LogNormal(key, p),
                   random::MultivariateNormal(key, p, Constant(F32({2, 2}, {2, 0.5f, 0.5f, 1}))),
                   random::Pareto(key, p), random::Rayleigh(key, p), random::WeibullMin(key, 2, p),
                   random::Maxwell(key, {2})),
        std::tuple(random::LogGamma(key, Constant(F32({2}, {0.01f, 3}))), random::Beta(key, p, 0.5),
                   random::ChiSquare(key, p), random::StudentT(key, p), random::Dirichlet(key, p)));
  };
  EXPECT_THAT(Eval(floats, {}),
              Near({0.9449633f, 4.060863f,   1.9599712f, 3.4269547f,  1.3985119f, 1.4617001f,
                    2.3933022f, 2.6357722f,  1.638069f,  2.0885549f,  0.5535825f, 0.29328507f,
                    -53.09775f, 0.65190315f, 0.9489363f, 0.99985266f, 4.2906604f, 1.397851f,
                    0.0984596f, -1.7357467f, 0.6567792f, 0.34322077f}));
  const auto choices = []() {
    const Tensor key = random::Key(42), weights = Constant(F32({3}, {1, 2, 5}));
    return std::tuple(random::Choice(key, 10, 3), random::Choice(key, 10, 3, /*replace=*/false),
                      random::Choice(key, weights, 4),
                      random::Choice(key, weights, 2, /*replace=*/false));
  };
  EXPECT_THAT(Eval(choices, {}), Near({4, 4, 1, 7, 4, 2, 2, 1, 2, 2, 2, 1}));
}

}  // namespace
}  // namespace acceld::client
