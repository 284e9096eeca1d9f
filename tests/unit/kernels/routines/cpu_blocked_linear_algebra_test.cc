// Factorizations and solves of real matrices that are larger than one block.

#include <cmath>
#include <limits>

#include "tests/unit/kernels/routines/routine_runner.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;
using ir::TensorType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
class CpuBlockedLinearAlgebraTest : public ::testing::Test {
 protected:
  static constexpr double kTolerance = std::is_same_v<T, float> ? 2e-4 : 1e-12;

  static TensorType Of(ir::Dims dims) { return {DTypeOf<T>(), std::move(dims)}; }
  static TensorType Integers(ir::Dims dims) { return {DType::kI32, std::move(dims)}; }
  static Matrix Random(int64_t rows, int64_t columns, int seed) {
    return MatrixOf<T>(BytesOf(Scattered<T>(rows * columns, seed)), rows, columns);
  }
  static std::string Bytes(const Matrix& a) {
    std::vector<T> out;
    for (const Complex& value : a.values) out.push_back(static_cast<T>(value.real()));
    return BytesOf(out);
  }
  static Matrix PositiveDefinite(int64_t n) {
    Matrix out = Random(n, n, 1);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) out.At(i, j) = out.At(j, i) = out.At(i, j) / double(n);
      out.At(i, i) = 2.0 + out.At(i, i);
    }
    return out;
  }

  struct LuResult {
    Matrix lu;
    std::vector<int32_t> pivots;
    int32_t info;
  };
  static LuResult Lu(const Matrix& a) {
    const int64_t m = a.rows, n = a.columns;
    const auto out = RunCall(
        {Routine::kLu, {}, {Of({m, n})}, {Of({m, n}), Integers({std::min(m, n)}), Integers({})}},
        {Bytes(a)}, 2);
    return {MatrixOf<T>(out[0], m, n), ValuesOf<int32_t>(out[1]), ValuesOf<int32_t>(out[2]).at(0)};
  }
};

using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CpuBlockedLinearAlgebraTest, Types);

TYPED_TEST(CpuBlockedLinearAlgebraTest, CholeskyOfSizesAroundBlocks) {
  for (const int64_t n : {32, 33, 47, 63, 64, 65, 72, 100, 129, 200}) {
    const Matrix a = this->PositiveDefinite(n);
    for (const bool lower : {true, false}) {
      // The other triangle is not read.
      const Matrix read = Part(a, [&](int64_t r, int64_t c) { return lower ? r >= c : r <= c; });
      Matrix given = read;
      for (int64_t r = 0; r < n; ++r) {
        for (int64_t c = 0; c < n; ++c) {
          if (lower ? r < c : r > c) given.At(r, c) = kNan;
        }
      }
      const TensorType square = this->Of({n, n});
      const auto out =
          RunCall({Routine::kCholesky, {lower}, {square}, {square}}, {this->Bytes(given)}, 2);
      const Matrix l = MatrixOf<TypeParam>(out[0], n, n);
      ExpectNear(l, lower ? Lower(l) : Upper(l), 0);
      ExpectNear(lower ? l * Adjoint(l) : Adjoint(l) * l, a, this->kTolerance);
    }
  }
}

TYPED_TEST(CpuBlockedLinearAlgebraTest, CholeskyOfALargeMatrix) {
  constexpr int64_t n = 1600;
  Matrix a(n, n);  // Its factor has ones only.
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c < n; ++c) a.At(r, c) = double(std::min(r, c) + 1);
  }
  const TensorType square = this->Of({n, n});
  for (const bool lower : {true, false}) {
    const auto out =
        RunCall({Routine::kCholesky, {lower}, {square}, {square}}, {this->Bytes(a)}, 2);
    const Matrix l = MatrixOf<TypeParam>(out[0], n, n);
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        ASSERT_EQ(l.At(r, c), (lower ? r >= c : r <= c) ? 1.0 : 0.0) << r << " " << c;
      }
    }
  }
}

TYPED_TEST(CpuBlockedLinearAlgebraTest, CholeskyFactorKeepsTheOtherTriangle) {
  constexpr int64_t n = 150;
  Matrix a = this->PositiveDefinite(n);
  const TensorType square = this->Of({n, n});
  for (const bool lower : {true, false}) {
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        if (lower ? r < c : r > c) a.At(r, c) = 100.0 + double(r * n + c);
        if (lower ? r > c : r < c) a.At(r, c) = 0.5 / double(n);
      }
    }
    const auto out =
        RunCall({Routine::kCholeskyFactor, {lower}, {square}, {square, this->Integers({})}},
                {this->Bytes(a)}, 2);
    EXPECT_EQ(ValuesOf<int32_t>(out[1]).at(0), 0);
    const Matrix l = MatrixOf<TypeParam>(out[0], n, n);
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        if (lower ? r < c : r > c) {
          ASSERT_EQ(l.At(r, c), 100.0 + double(r * n + c));
        }
      }
    }
  }
}

TYPED_TEST(CpuBlockedLinearAlgebraTest, CholeskyNamesTheFirstMinorThatIsNotPositive) {
  constexpr int64_t n = 200;
  const TensorType square = this->Of({n, n});
  for (const int64_t bad : {0, 7, 64, 71, 150, 199}) {
    for (const double value : {0.0, -1.0}) {
      Matrix a = Identity(n);
      a.At(bad, bad) = value;
      for (const bool lower : {true, false}) {
        const auto out =
            RunCall({Routine::kCholeskyFactor, {lower}, {square}, {square, this->Integers({})}},
                    {this->Bytes(a)}, 2);
        EXPECT_EQ(ValuesOf<int32_t>(out[1]).at(0), bad + 1);
        const auto all =
            RunCall({Routine::kCholesky, {lower}, {square}, {square}}, {this->Bytes(a)}, 2);
        for (const TypeParam x : ValuesOf<TypeParam>(all[0])) ASSERT_TRUE(std::isnan(x));
      }
    }
  }
}

TYPED_TEST(CpuBlockedLinearAlgebraTest, CholeskyIsNanFromANanOfTheDiagonalOn) {
  constexpr int64_t n = 200;
  const TensorType square = this->Of({n, n});
  for (const int64_t bad : {0, 70, 127, 199}) {
    Matrix a = this->PositiveDefinite(n);
    a.At(bad, bad) = kNan;
    for (const bool lower : {true, false}) {
      const auto out =
          RunCall({Routine::kCholesky, {lower}, {square}, {square}}, {this->Bytes(a)}, 2);
      const Matrix l = MatrixOf<TypeParam>(out[0], n, n);
      for (int64_t r = 0; r < n; ++r) {
        for (int64_t c = 0; c <= r; ++c) {
          const Complex value = lower ? l.At(r, c) : l.At(c, r);
          ASSERT_EQ(std::isnan(value.real()), c >= bad) << r << " " << c;
        }
      }
    }
  }
}

TYPED_TEST(CpuBlockedLinearAlgebraTest, LuOfShapesAroundBlocks) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{32, 32},
                             {33, 100},
                             {100, 33},
                             {64, 65},
                             {65, 64},
                             {71, 71},
                             {200, 200},
                             {190, 130},
                             {130, 190},
                             {129, 40}}) {
    const int64_t p = std::min(m, n);
    const Matrix a = this->Random(m, n, 4);
    const auto result = this->Lu(a);
    Matrix l(m, p), u(p, n);
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        const Complex value = result.lu.At(r, c);
        if (r > c) {
          l.At(r, c) = value;
          ASSERT_LE(std::abs(value), 1.0 + this->kTolerance);
        }
        if (r <= c) u.At(r, c) = value;
        if (r == c) l.At(r, c) = 1;
      }
    }
    Matrix exchanged = a;
    for (int64_t i = 0; i < p; ++i) {
      ASSERT_GE(result.pivots[i], i + 1);
      ASSERT_LE(result.pivots[i], m);
      for (int64_t c = 0; c < n; ++c) {
        std::swap(exchanged.At(i, c), exchanged.At(result.pivots[i] - 1, c));
      }
    }
    ExpectNear(l * u, exchanged, this->kTolerance);
    EXPECT_EQ(result.info, 0);
  }
}

TYPED_TEST(CpuBlockedLinearAlgebraTest, LuExchangesRowsForTheLargestPivot) {
  constexpr int64_t n = 150;
  // Row i has the one large value of column order[i].
  Matrix a(n, n);
  std::vector<int64_t> order(n);
  for (int64_t i = 0; i < n; ++i) {
    order[i] = i * 53 % n;
    for (int64_t c = 0; c < n; ++c)
      a.At(i, c) = c == order[i] ? 4.0 : 0.5 * std::sin(i * n + c) / n;
  }
  const auto result = this->Lu(a);
  for (int64_t k = 0; k < n; ++k) {
    const int64_t row = std::find(order.begin() + k, order.end(), k) - order.begin();
    ASSERT_EQ(result.pivots[k], row + 1) << k;
    std::swap(order[k], order[row]);
  }
}

// Its factors have ones only, and all candidates of a step are equal.
TYPED_TEST(CpuBlockedLinearAlgebraTest, LuTakesTheFirstOfEqualPivots) {
  for (const int64_t n : {40, 64, 100, 150, 1600}) {
    Matrix a(n, n);
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < n; ++c) a.At(r, c) = double(std::min(r, c) + 1);
    }
    const auto result = this->Lu(a);
    for (int64_t k = 0; k < n; ++k) ASSERT_EQ(result.pivots[k], k + 1);
    for (const Complex& value : result.lu.values) ASSERT_EQ(value, 1.0);
  }
}

TYPED_TEST(CpuBlockedLinearAlgebraTest, LuGoesOnAfterAPivotOfZero) {
  constexpr int64_t n = 150;
  for (const int64_t bad : {0, 63, 64, 100, 149}) {
    Matrix a = Identity(n);
    a.At(bad, bad) = 0;
    if (bad < 120) a.At(120, 120) = 0;
    const auto result = this->Lu(a);
    EXPECT_EQ(result.info, bad + 1);
    ExpectNear(result.lu, a, 0);
  }
}

TYPED_TEST(CpuBlockedLinearAlgebraTest, LuScalesByTheSmallestPivots) {
  constexpr int64_t n = 40;
  const auto smallest = static_cast<double>(std::numeric_limits<TypeParam>::denorm_min());
  Matrix a = Identity(n);
  a.At(0, 0) = 4 * smallest;
  a.At(1, 0) = 2 * smallest;
  EXPECT_EQ(this->Lu(a).lu.At(1, 0), 0.5);
}

// A NaN is a pivot only where it stands on the diagonal, as in LAPACK.
TYPED_TEST(CpuBlockedLinearAlgebraTest, LuSpreadsNan) {
  constexpr int64_t n = 150;
  Matrix a = Identity(n);
  a.At(100, 70) = kNan;
  auto result = this->Lu(a);
  EXPECT_EQ(result.pivots[70], 71);
  EXPECT_TRUE(std::isnan(result.lu.At(100, 70).real()));
  EXPECT_TRUE(std::isnan(result.lu.At(n - 1, n - 1).real()));
  EXPECT_EQ(result.lu.At(99, 99), 1.0);
  EXPECT_EQ(result.lu.At(120, 60), 0.0);

  a = Identity(n);
  a.At(70, 70) = kNan;
  result = this->Lu(a);
  EXPECT_EQ(result.pivots[70], 71);
  EXPECT_TRUE(std::isnan(result.lu.At(71, 70).real()));
  EXPECT_TRUE(std::isnan(result.lu.At(n - 1, n - 1).real()));
}

TYPED_TEST(CpuBlockedLinearAlgebraTest, TriangularSolvesInAllWays) {
  for (const auto& [n, k] : {std::pair<int64_t, int64_t>{24, 12}, {65, 33}, {100, 70}, {37, 150}}) {
    for (const bool lower : {true, false}) {
      Matrix triangle = this->Random(n, n, 2);
      for (Complex& value : triangle.values) value /= double(n);
      for (int64_t i = 0; i < n; ++i) triangle.At(i, i) += 2.0;
      triangle = lower ? Lower(triangle) : Upper(triangle);
      Matrix given = triangle;  // The other triangle is not read.
      for (int64_t r = 0; r < n; ++r) {
        for (int64_t c = 0; c < n; ++c) {
          if (lower ? r < c : r > c) given.At(r, c) = kNan;
        }
      }
      for (const bool unit : {true, false}) {
        Matrix a = triangle;
        for (int64_t i = 0; i < n; ++i) {
          if (unit) {
            a.At(i, i) = 1;
            given.At(i, i) = kNan;
          } else {
            given.At(i, i) = triangle.At(i, i);
          }
        }
        for (const int64_t transpose : {0, 1}) {
          const Matrix op = transpose == 0 ? a : Adjoint(a);
          for (const bool left : {true, false}) {
            const Matrix b = left ? this->Random(n, k, 3) : this->Random(k, n, 3);
            const auto out =
                RunCall({left ? Routine::kTriangularSolveLeft : Routine::kTriangularSolveRight,
                         {lower, unit, transpose},
                         {this->Of({n, n}), this->Of({b.rows, b.columns})},
                         {this->Of({b.rows, b.columns})}},
                        {this->Bytes(given), this->Bytes(b)}, 2);
            const Matrix x = MatrixOf<TypeParam>(out[0], b.rows, b.columns);
            ExpectNear(left ? op * x : x * op, b, this->kTolerance);
          }
        }
      }
    }
  }
}

TYPED_TEST(CpuBlockedLinearAlgebraTest, TriangularSolvesDivideByZero) {
  constexpr int64_t n = 40, k = 20;
  Matrix a = Identity(n), b(n, k);
  a.At(30, 30) = 0;
  for (Complex& value : b.values) value = 1;
  const auto out = RunCall({Routine::kTriangularSolveLeft,
                            {1, 0, 0},
                            {this->Of({n, n}), this->Of({n, k})},
                            {this->Of({n, k})}},
                           {this->Bytes(a), this->Bytes(b)});
  const Matrix x = MatrixOf<TypeParam>(out[0], n, k);
  EXPECT_EQ(x.At(29, 5), 1.0);
  EXPECT_EQ(x.At(30, 5), std::numeric_limits<double>::infinity());
}

TYPED_TEST(CpuBlockedLinearAlgebraTest, ResultsDoNotDependOnTheNumberOfThreads) {
  // Two large items, and many small ones.
  for (const auto& [batch, n] : {std::pair<int64_t, int64_t>{2, 330}, {9, 70}}) {
    const TensorType matrices = this->Of({batch, n, n}), pivots = this->Integers({batch, n}),
                     info = this->Integers({batch});
    const std::string any = BytesOf(Scattered<TypeParam>(batch * n * n, 7));
    std::string definite;
    for (int64_t i = 0; i < batch; ++i) definite += this->Bytes(this->PositiveDefinite(n));
    for (const int threads : {2, 3, 8}) {
      const auto expect_same = [&](const RoutineCall& call,
                                   const std::vector<std::string>& operands) {
        EXPECT_EQ(RunCall(call, operands, 1), RunCall(call, operands, threads))
            << NameOf(call.routine) << " on " << threads;
      };
      expect_same({Routine::kCholesky, {1}, {matrices}, {matrices}}, {definite});
      expect_same({Routine::kCholesky, {0}, {matrices}, {matrices}}, {definite});
      expect_same({Routine::kLu, {}, {matrices}, {matrices, pivots, info}}, {any});
      expect_same({Routine::kTriangularSolveLeft, {0, 0, 0}, {matrices, matrices}, {matrices}},
                  {definite, any});
      expect_same({Routine::kTriangularSolveRight, {1, 0, 0}, {matrices, matrices}, {matrices}},
                  {definite, any});
    }
  }
}

TEST(CpuBlockedLinearAlgebraOfAnyTypeTest, HalfFloatsAreComputedInFloat) {
  constexpr int64_t n = 40;
  std::vector<uint16_t> a(n * n, 0);
  for (int64_t i = 0; i < n; ++i) a[i * n + i] = 0x4400;  // 4
  std::vector<uint16_t> expected(n * n, 0);
  for (int64_t i = 0; i < n; ++i) expected[i * n + i] = 0x4000;  // 2
  const TensorType type{DType::kF16, {n, n}};
  const auto out = RunCall({Routine::kCholesky, {1}, {type}, {type}}, {BytesOf(a)});
  EXPECT_EQ(ValuesOf<uint16_t>(out[0]), expected);
  const auto solved = RunCall({Routine::kTriangularSolveLeft, {1, 0, 0}, {type, type}, {type}},
                              {BytesOf(expected), BytesOf(a)});
  EXPECT_EQ(ValuesOf<uint16_t>(solved[0]), expected);
}

}  // namespace
}  // namespace acceld::kernels::cpu
