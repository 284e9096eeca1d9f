#include <cmath>

#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

Literal Doubles(Dims dims, const std::vector<double>& values) {
  return Floats(DType::kF64, std::move(dims), values);
}

Literal Transform(FftType type, std::vector<int64_t> length, const Literal& x) {
  return RunOp(OpKind::kFft, {x}, FftAttributes{.fft_type = type, .fft_length = std::move(length)});
}

void ExpectNear(const Literal& got, const std::vector<Complex>& expected) {
  const std::vector<Complex> values = ComplexesOf(got);
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_LE(std::abs(values[i] - expected[i]), 1e-12) << i << ": " << values[i];
  }
}

TEST(InterpreterFft, FollowsTheDefinition) {
  const Literal x = Complexes(DType::kC128, {4}, {{1, 0}, {2, 0}, {3, 0}, {4, 0}});
  ExpectNear(Transform(FftType::kFft, {4}, x), {{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}});
  ExpectNear(Transform(FftType::kIfft, {4}, x), {{2.5, 0}, {-.5, -.5}, {-.5, 0}, {-.5, .5}});
}

TEST(InterpreterFft, RealOnesGiveHalfASpectrumAndComeBack) {
  for (const int64_t n : {1, 4, 5}) {
    std::vector<double> values;
    for (int64_t i = 0; i < 3 * n; ++i) values.push_back(std::sin(static_cast<double>(i * i)));
    const Literal spectrum = Transform(FftType::kRfft, {3, n}, Doubles({3, n}, values));
    EXPECT_EQ(spectrum.type().dims, (Dims{3, n / 2 + 1}));
    EXPECT_THAT(FloatsOf(Transform(FftType::kIrfft, {3, n}, spectrum)),
                Pointwise(DoubleNear(1e-12), values));
  }
}

TEST(InterpreterFft, OfLengthZeroIsEmpty) {
  // What has 0 / 2 + 1 elements in JAX, and what has none.
  for (const int64_t n : {0, 1}) {
    const Literal spectrum = Literal::Filled({DType::kC64, {3, n}}, 1);
    EXPECT_EQ(Transform(FftType::kIrfft, {0}, spectrum).type().ToString(), "tensor<3x0xf32>");
    EXPECT_EQ(Transform(FftType::kIrfft, {3, 0}, spectrum).type().ToString(), "tensor<3x0xf32>");
  }
  const Literal none = Literal::Filled({DType::kC64, {3, 0}}, 1);
  for (const FftType type : {FftType::kFft, FftType::kIfft}) {
    EXPECT_EQ(Transform(type, {0}, none).type(), none.type());
  }
}

TEST(InterpreterCholesky, ReadsOneTriangleAndClearsTheOther) {
  EXPECT_THAT(FloatsOf(RunOp(OpKind::kCholesky, {Doubles({2, 2}, {4, 99, 2, 5})},
                             CholeskyAttributes{.lower = true})),
              ElementsAre(2, 0, 1, 2));
  EXPECT_THAT(FloatsOf(RunOp(OpKind::kCholesky, {Doubles({2, 2}, {4, 2, 99, 5})},
                             CholeskyAttributes{.lower = false})),
              ElementsAre(2, 1, 0, 2));
  ExpectNear(
      RunOp(OpKind::kCholesky, {Complexes(DType::kC128, {2, 2}, {{4, 0}, {}, {0, 2}, {5, 0}})},
            CholeskyAttributes{.lower = true}),
      {{2, 0}, {}, {0, 1}, {2, 0}});
}

TEST(InterpreterCholesky, WhatIsNotPositiveDefiniteIsNan) {
  const std::vector<double> values =
      FloatsOf(RunOp(OpKind::kCholesky, {Doubles({2, 1, 1}, {-1, 9})}, CholeskyAttributes{}));
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], 3);
}

TEST(InterpreterTriangularSolve, SidesTransposesAndUnitDiagonals) {
  const auto solve = [](TriangularSolveAttributes attributes, Dims dims) {
    return FloatsOf(RunOp(OpKind::kTriangularSolve,
                          {Doubles({2, 2}, {2, 3, 5, 4}), Doubles(std::move(dims), {8, 4})},
                          attributes));
  };
  using A = TriangularSolveAttributes;
  // lower: [[2, 0], [5, 4]]; upper: [[2, 3], [0, 4]].
  EXPECT_THAT(solve(A{.left_side = true, .lower = true}, {2, 1}), ElementsAre(4, -4));
  EXPECT_THAT(solve(A{.left_side = true}, {2, 1}), ElementsAre(2.5, 1));
  EXPECT_THAT(solve(A{.lower = true}, {1, 2}), ElementsAre(1.5, 1));
  EXPECT_THAT(
      solve(A{.left_side = true, .lower = true, .transpose_a = Transpose::kTranspose}, {2, 1}),
      ElementsAre(1.5, 1));
  EXPECT_THAT(solve(A{.left_side = true, .lower = true, .unit_diagonal = true}, {2, 1}),
              ElementsAre(8, -36));
}

TEST(InterpreterTriangularSolve, AdjointConjugates) {
  const Literal a = Complexes(DType::kC128, {1, 1}, {{0, 2}}),
                b = Complexes(DType::kC128, {1, 1}, {{4, 0}});
  ExpectNear(
      RunOp(OpKind::kTriangularSolve, {a, b},
            TriangularSolveAttributes{.left_side = true, .transpose_a = Transpose::kAdjoint}),
      {{0, 2}});
}

}  // namespace
}  // namespace acceld::ir
