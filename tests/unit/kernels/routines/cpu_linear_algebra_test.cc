// Routines of linear algebra on the CPU, for each element type: what they give, put together again.

#include <cmath>
#include <limits>

#include "tests/unit/kernels/routines/routine_runner.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;
using ir::TensorType;

template <typename T>
class CpuLinearAlgebraTest : public ::testing::Test {
 protected:
  using R = decltype(std::abs(T()));
  static constexpr bool kComplex = !std::is_same_v<T, R>;
  static constexpr double kTolerance = std::is_same_v<R, float> ? 1e-4 : 1e-12;

  static TensorType Of(ir::Dims dims) { return {DTypeOf<T>(), std::move(dims)}; }
  static TensorType RealOf(ir::Dims dims) { return {DTypeOf<R>(), std::move(dims)}; }
  static TensorType Integers(ir::Dims dims) { return {DType::kI32, std::move(dims)}; }

  static int32_t InfoOf(const std::string& bytes) { return ValuesOf<int32_t>(bytes).at(0); }
  static Matrix Random(int64_t rows, int64_t columns, int seed) {
    return MatrixOf<T>(BytesOf(Scattered<T>(rows * columns, seed)), rows, columns);
  }
  static std::string Bytes(const Matrix& a) {
    std::vector<T> out;
    for (const Complex& value : a.values) {
      if constexpr (kComplex) {
        out.push_back(T(value));
      } else {
        out.push_back(static_cast<T>(value.real()));
      }
    }
    return BytesOf(out);
  }
  static Matrix PositiveDefinite(int64_t n, int seed) {
    const Matrix a = Random(n, n, seed);
    Matrix out = a * Adjoint(a);
    for (int64_t i = 0; i < n; ++i) out.At(i, i) += 1.0;
    return out;
  }
  static Matrix Diagonal(const std::string& bytes, int64_t rows, int64_t columns) {
    const std::vector<R> values = ValuesOf<R>(bytes);
    Matrix out(rows, columns);
    for (size_t i = 0; i < values.size(); ++i) out.At(i, i) = values[i];
    return out;
  }
};

using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(CpuLinearAlgebraTest, Types);

TYPED_TEST(CpuLinearAlgebraTest, CholeskyReadsOneTriangleAndClearsTheOther) {
  constexpr int64_t n = 5;
  const Matrix a = this->PositiveDefinite(n, 1);
  for (const bool lower : {true, false}) {
    const Matrix read = lower ? Lower(a) : Upper(a);
    const auto out = RunCall({Routine::kCholesky, {lower}, {this->Of({n, n})}, {this->Of({n, n})}},
                             {this->Bytes(read)});
    const Matrix l = MatrixOf<TypeParam>(out[0], n, n);
    ExpectNear(l, lower ? Lower(l) : Upper(l), 0);
    ExpectNear(lower ? l * Adjoint(l) : Adjoint(l) * l, a, this->kTolerance);
  }
}

TYPED_TEST(CpuLinearAlgebraTest, CholeskyOfAnIndefiniteItemIsNanAndOthersAreNot) {
  const std::string items = this->Bytes(Identity(2)) + this->Bytes(Matrix(2, 2));
  const auto out =
      RunCall({Routine::kCholesky, {1}, {this->Of({2, 2, 2})}, {this->Of({2, 2, 2})}}, {items});
  ExpectNear(MatrixOf<TypeParam>(out[0], 2, 2, 0), Identity(2), 0);
  for (const Complex& value : MatrixOf<TypeParam>(out[0], 2, 2, 1).values) {
    EXPECT_TRUE(std::isnan(value.real()));
  }
  const auto with_info = RunCall({Routine::kCholeskyFactor,
                                  {1},
                                  {this->Of({2, 2, 2})},
                                  {this->Of({2, 2, 2}), this->Integers({2})}},
                                 {items});
  EXPECT_EQ(ValuesOf<int32_t>(with_info[1]), (std::vector<int32_t>{0, 1}));
}

// A NaN that an elimination divides by is in all that comes after it.
TYPED_TEST(CpuLinearAlgebraTest, FactorizationsKeepNan) {
  constexpr int64_t n = 40, bad = 17;
  Matrix a = this->PositiveDefinite(n, 1);
  a.At(bad, bad) = std::numeric_limits<double>::quiet_NaN();
  const TensorType square = this->Of({n, n});
  const auto is_nan = [](const std::string& bytes, int64_t row, int64_t column) {
    return std::isnan(MatrixOf<TypeParam>(bytes, n, n).At(row, column).real());
  };
  for (const bool lower : {true, false}) {
    const std::string factor =
        RunCall({Routine::kCholesky, {lower}, {square}, {square}}, {this->Bytes(a)})[0];
    for (int64_t row = 0; row < n; ++row) {
      for (int64_t column = 0; column <= row; ++column) {
        EXPECT_EQ(lower ? is_nan(factor, row, column) : is_nan(factor, column, row), column >= bad)
            << row << " " << column;
      }
    }
  }
  // Which row is the pivot of the NaN's column is the library's choice; the last is NaN in any
  // case.
  const std::string lu =
      RunCall({Routine::kLu, {}, {square}, {square, this->Integers({n}), this->Integers({})}},
              {this->Bytes(a)})[0];
  EXPECT_TRUE(is_nan(lu, n - 1, n - 1));

  const std::string qr =
      RunCall({Routine::kQr, {}, {square}, {square, this->Of({n})}}, {this->Bytes(a)})[0];
  for (int64_t row = 0; row < n; ++row) {
    for (int64_t column = 0; column < bad; ++column) EXPECT_FALSE(is_nan(qr, row, column));
    for (int64_t column = bad + 1; column < n && row >= bad; ++column) {
      EXPECT_TRUE(is_nan(qr, row, column)) << row << " " << column;
    }
  }
}

TYPED_TEST(CpuLinearAlgebraTest, TriangularSolvesInAllWays) {
  constexpr int64_t n = 4;
  Matrix full = this->Random(n, n, 2);
  for (int64_t i = 0; i < n; ++i) full.At(i, i) += 3.0;
  // Many right-hand sides are solved in parts.
  for (const auto& [left, k] : {std::pair(true, 3), {false, 3}, {true, 300}, {false, 300}}) {
    const Matrix b = left ? this->Random(n, k, 3) : this->Random(k, n, 3);
    for (const bool lower : {true, false}) {
      for (const bool unit : {true, false}) {
        for (const int64_t transpose : {0, 1, 2}) {
          Matrix a = lower ? Lower(full) : Upper(full);
          for (int64_t i = 0; unit && i < n; ++i) a.At(i, i) = 1;
          Matrix op = transpose == 0 ? a : Adjoint(a);
          for (Complex& value : op.values) value = transpose == 1 ? std::conj(value) : value;
          const auto out =
              RunCall({left ? Routine::kTriangularSolveLeft : Routine::kTriangularSolveRight,
                       {lower, unit, transpose},
                       {this->Of({n, n}), this->Of({b.rows, b.columns})},
                       {this->Of({b.rows, b.columns})}},
                      {this->Bytes(full), this->Bytes(b)});
          const Matrix x = MatrixOf<TypeParam>(out[0], b.rows, b.columns);
          ExpectNear(left ? op * x : x * op, b, this->kTolerance);
        }
      }
    }
  }
}

TYPED_TEST(CpuLinearAlgebraTest, LuOfTallAndWideMatrices) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{5, 3}, {3, 5}, {4, 4}}) {
    const int64_t p = std::min(m, n);
    const Matrix a = this->Random(m, n, 4);
    const auto out = RunCall({Routine::kLu,
                              {},
                              {this->Of({m, n})},
                              {this->Of({m, n}), this->Integers({p}), this->Integers({})}},
                             {this->Bytes(a)});
    const Matrix lu = MatrixOf<TypeParam>(out[0], m, n);
    Matrix l(m, p), u(p, n);
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        if (r > c) l.At(r, c) = lu.At(r, c);
        if (r <= c) u.At(r, c) = lu.At(r, c);
        if (r == c) l.At(r, c) = 1;
      }
    }
    Matrix exchanged = a;
    const std::vector<int32_t> pivots = ValuesOf<int32_t>(out[1]);
    for (int64_t i = 0; i < p; ++i) {
      for (int64_t c = 0; c < n; ++c) std::swap(exchanged.At(i, c), exchanged.At(pivots[i] - 1, c));
    }
    ExpectNear(l * u, exchanged, this->kTolerance);
    EXPECT_EQ(this->InfoOf(out[2]), 0);
  }
}

TYPED_TEST(CpuLinearAlgebraTest, QrProductAndMultiplicationByQ) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{6, 4}, {4, 4}}) {
    const Matrix a = this->Random(m, n, 5);
    const auto qr =
        RunCall({Routine::kQr, {}, {this->Of({m, n})}, {this->Of({m, n}), this->Of({n})}},
                {this->Bytes(a)});
    const auto product = RunCall(
        {Routine::kHouseholderProduct, {}, {this->Of({m, n}), this->Of({n})}, {this->Of({m, n})}},
        qr);
    const Matrix q = MatrixOf<TypeParam>(product[0], m, n);
    Matrix r(n, n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i; j < n; ++j) r.At(i, j) = MatrixOf<TypeParam>(qr[0], m, n).At(i, j);
    }
    ExpectNear(q * r, a, this->kTolerance);
    ExpectNear(Adjoint(q) * q, Identity(n), this->kTolerance);

    Matrix padded(m, n);  // R over zeros
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) padded.At(i, j) = r.At(i, j);
    }
    const auto multiply = [&](Routine routine, bool adjoint, const Matrix& c) {
      const auto out = RunCall({routine,
                                {adjoint},
                                {this->Of({m, n}), this->Of({n}), this->Of({c.rows, c.columns})},
                                {this->Of({c.rows, c.columns})}},
                               {qr[0], qr[1], this->Bytes(c)});
      return MatrixOf<TypeParam>(out[0], c.rows, c.columns);
    };
    ExpectNear(multiply(Routine::kHouseholderMultiplyLeft, false, padded), a, this->kTolerance);
    ExpectNear(multiply(Routine::kHouseholderMultiplyLeft, true, a), padded, this->kTolerance);
    ExpectNear(multiply(Routine::kHouseholderMultiplyRight, true, Adjoint(padded)), Adjoint(a),
               this->kTolerance);
    ExpectNear(multiply(Routine::kHouseholderMultiplyRight, false, Adjoint(a)), Adjoint(padded),
               this->kTolerance);
  }
}

TYPED_TEST(CpuLinearAlgebraTest, PivotedQrBringsMarkedColumnsFirst) {
  constexpr int64_t m = 5, n = 3;
  const Matrix a = this->Random(m, n, 6);
  const auto out = RunCall({Routine::kQrPivoted,
                            {},
                            {this->Of({m, n}), this->Integers({n})},
                            {this->Of({m, n}), this->Integers({n}), this->Of({n})}},
                           {this->Bytes(a), BytesOf(std::vector<int32_t>{0, 0, 1})});
  const std::vector<int32_t> pivots = ValuesOf<int32_t>(out[1]);
  EXPECT_EQ(pivots[0], 3);
  const auto product = RunCall(
      {Routine::kHouseholderProduct, {}, {this->Of({m, n}), this->Of({n})}, {this->Of({m, n})}},
      {out[0], out[2]});
  const Matrix upper = Upper(MatrixOf<TypeParam>(out[0], m, n));
  Matrix r(n, n), permuted(m, n);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < n; ++i) r.At(i, j) = upper.At(i, j);
    for (int64_t i = 0; i < m; ++i) permuted.At(i, j) = a.At(i, pivots[j] - 1);
  }
  ExpectNear(MatrixOf<TypeParam>(product[0], m, n) * r, permuted, this->kTolerance);
}

TYPED_TEST(CpuLinearAlgebraTest, EigenvectorsOfHermitianMatrices) {
  constexpr int64_t n = 5;
  const Matrix a = this->PositiveDefinite(n, 7);
  for (const bool lower : {true, false}) {
    const auto out = RunCall({Routine::kHermitianEigen,
                              {lower, 1},
                              {this->Of({n, n})},
                              {this->Of({n, n}), this->RealOf({n}), this->Integers({})}},
                             {this->Bytes(lower ? Lower(a) : Upper(a))});
    const Matrix v = MatrixOf<TypeParam>(out[0], n, n);
    ExpectNear(v * this->Diagonal(out[1], n, n) * Adjoint(v), a, this->kTolerance);
    EXPECT_EQ(this->InfoOf(out[2]), 0);
  }
}

TYPED_TEST(CpuLinearAlgebraTest, SingularValuesAndVectorsByBothAlgorithms) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{6, 4}, {3, 5}}) {
    const int64_t p = std::min(m, n);
    const Matrix a = this->Random(m, n, 8);
    for (const bool full : {true, false}) {
      for (const int64_t qr_iteration : {0, 1}) {
        const int64_t u_columns = full ? m : p, v_rows = full ? n : p;
        const RoutineCall call{full ? Routine::kSvdFull : Routine::kSvdThin,
                               {1, qr_iteration},
                               {this->Of({m, n})},
                               {this->Of({m, n}), this->RealOf({p}), this->Of({m, u_columns}),
                                this->Of({v_rows, n}), this->Integers({})}};
        const auto out = RunCall(call, {this->Bytes(a)});
        const Matrix u = MatrixOf<TypeParam>(out[2], m, u_columns);
        const Matrix vt = MatrixOf<TypeParam>(out[3], v_rows, n);
        ExpectNear(u * this->Diagonal(out[1], u_columns, v_rows) * vt, a, this->kTolerance);
        ExpectNear(Adjoint(u) * u, Identity(u_columns), this->kTolerance);
        RoutineCall values_only = call;
        values_only.parameters[0] = 0;
        const auto values = RunCall(values_only, {this->Bytes(a)});
        ExpectNear(this->Diagonal(values[1], p, p), this->Diagonal(out[1], p, p), this->kTolerance);
      }
    }
  }
}

TYPED_TEST(CpuLinearAlgebraTest, EigenvectorsOfGeneralMatrices) {
  constexpr int64_t n = 5;
  using C = std::complex<typename TestFixture::R>;
  const Matrix a = this->Random(n, n, 9);
  const TensorType vectors{DTypeOf<C>(), {n, n}};
  RoutineCall call{Routine::kEigenReal,
                   {1, 1},
                   {this->Of({n, n})},
                   {this->Of({n}), this->Of({n}), vectors, vectors, this->Integers({})}};
  if (this->kComplex) {
    call.routine = Routine::kEigenComplex;
    call.results.erase(call.results.begin());
  }
  const auto out = RunCall(call, {this->Bytes(a)});
  Matrix w(n, n);
  for (int64_t i = 0; i < n; ++i) {
    w.At(i, i) = MatrixOf<TypeParam>(out[0], n, 1).At(i, 0);
    if (!this->kComplex) w.At(i, i) += Complex(0, 1) * MatrixOf<TypeParam>(out[1], n, 1).At(i, 0);
  }
  const size_t first = out.size() - 3;
  const Matrix left = MatrixOf<C>(out[first], n, n), right = MatrixOf<C>(out[first + 1], n, n);
  ExpectNear(a * right, right * w, this->kTolerance);
  ExpectNear(Adjoint(left) * a, w * Adjoint(left), this->kTolerance);
  EXPECT_EQ(this->InfoOf(out.back()), 0);
}

TYPED_TEST(CpuLinearAlgebraTest, SchurForm) {
  constexpr int64_t n = 5;
  const Matrix a = this->Random(n, n, 10);
  RoutineCall call{Routine::kSchurReal,
                   {1},
                   {this->Of({n, n})},
                   {this->Of({n, n}), this->Of({n, n}), this->Of({n}), this->Of({n}),
                    this->Integers({}), this->Integers({})}};
  if (this->kComplex) {
    call.routine = Routine::kSchurComplex;
    call.results.erase(call.results.begin() + 2);
  }
  const auto out = RunCall(call, {this->Bytes(a)});
  const Matrix t = MatrixOf<TypeParam>(out[0], n, n), z = MatrixOf<TypeParam>(out[1], n, n);
  ExpectNear(z * t * Adjoint(z), a, this->kTolerance);
  ExpectNear(Adjoint(z) * z, Identity(n), this->kTolerance);
}

TYPED_TEST(CpuLinearAlgebraTest, HessenbergKeepsTheTrace) {
  constexpr int64_t n = 5;
  const Matrix a = this->Random(n, n, 11);
  const auto out = RunCall({Routine::kHessenberg,
                            {},
                            {this->Of({n, n})},
                            {this->Of({n, n}), this->Of({n - 1}), this->Integers({})}},
                           {this->Bytes(a)});
  Complex before = 0, after = 0;
  for (int64_t i = 0; i < n; ++i) {
    before += a.At(i, i);
    after += MatrixOf<TypeParam>(out[0], n, n).At(i, i);
  }
  EXPECT_LE(std::abs(before - after), this->kTolerance);
  EXPECT_EQ(this->InfoOf(out[2]), 0);
}

TYPED_TEST(CpuLinearAlgebraTest, TridiagonalFormHasTheSameEigenvalues) {
  constexpr int64_t n = 5;
  const Matrix a = this->PositiveDefinite(n, 12);
  const auto out = RunCall({Routine::kTridiagonal,
                            {1},
                            {this->Of({n, n})},
                            {this->Of({n, n}), this->RealOf({n}), this->RealOf({n - 1}),
                             this->Of({n - 1}), this->Integers({})}},
                           {this->Bytes(a)});
  Matrix t = this->Diagonal(out[1], n, n);
  for (int64_t i = 0; i + 1 < n; ++i) {
    t.At(i, i + 1) = t.At(i + 1, i) = ValuesOf<typename TestFixture::R>(out[2])[i];
  }
  const auto eigenvalues = [&](const Matrix& matrix) {
    return RunCall({Routine::kHermitianEigen,
                    {1, 0},
                    {this->Of({n, n})},
                    {this->Of({n, n}), this->RealOf({n}), this->Integers({})}},
                   {this->Bytes(matrix)})[1];
  };
  ExpectNear(this->Diagonal(eigenvalues(t), n, n), this->Diagonal(eigenvalues(a), n, n),
             10 * this->kTolerance);
}

TYPED_TEST(CpuLinearAlgebraTest, TridiagonalSolveDoesNotReadTheOuterEnds) {
  constexpr int64_t n = 4, k = 2;
  Matrix lower = this->Random(n, 1, 13), diagonal = this->Random(n, 1, 14),
         upper = this->Random(n, 1, 15);
  const Matrix b = this->Random(n, k, 16);
  Matrix a(n, n);
  for (int64_t i = 0; i < n; ++i) {
    diagonal.At(i, 0) += 4.0;
    a.At(i, i) = diagonal.At(i, 0);
    if (i > 0) a.At(i, i - 1) = lower.At(i, 0);
    if (i + 1 < n) a.At(i, i + 1) = upper.At(i, 0);
  }
  const TensorType line = this->Of({n}), sides = this->Of({n, k});
  const auto out =
      RunCall({Routine::kTridiagonalSolve,
               {},
               {line, line, line, sides},
               {line, line, line, sides, this->Integers({})}},
              {this->Bytes(lower), this->Bytes(diagonal), this->Bytes(upper), this->Bytes(b)});
  ExpectNear(a * MatrixOf<TypeParam>(out[3], n, k), b, this->kTolerance);
}

TYPED_TEST(CpuLinearAlgebraTest, PerturbedTridiagonalSolveSolvesWhatIsNotSingular) {
  for (const int64_t n : {1, 2, 3, 4, 50}) {
    for (const double weight : {0.0, 4.0}) {
      constexpr int64_t k = 3;
      const Matrix lower = this->Random(n, 1, 23), upper = this->Random(n, 1, 24);
      Matrix diagonal = this->Random(n, 1, 25);
      const Matrix b = this->Random(n, k, 26);
      Matrix a(n, n);
      for (int64_t i = 0; i < n; ++i) {
        diagonal.At(i, 0) += weight;
        a.At(i, i) = diagonal.At(i, 0);
        if (i > 0) a.At(i, i - 1) = lower.At(i, 0);
        if (i + 1 < n) a.At(i, i + 1) = upper.At(i, 0);
      }
      const TensorType line = this->Of({n}), sides = this->Of({n, k});
      const auto out =
          RunCall({Routine::kTridiagonalSolvePerturbed, {}, {line, line, line, sides}, {sides}},
                  {this->Bytes(lower), this->Bytes(diagonal), this->Bytes(upper), this->Bytes(b)});
      ExpectNear(a * MatrixOf<TypeParam>(out[0], n, k), b, 100 * this->kTolerance);
    }
  }
}

// The null vector of a singular matrix comes out of any right-hand side, however much larger.
TYPED_TEST(CpuLinearAlgebraTest, PerturbedTridiagonalSolveFindsNullVectors) {
  constexpr int64_t n = 5;
  Matrix lower(n, 1), diagonal(n, 1), upper(n, 1), a(n, n), b(n, 1);
  for (int64_t i = 0; i < n; ++i) {
    diagonal.At(i, 0) = a.At(i, i) = i == 0 || i + 1 == n ? 1.0 : 2.0;
    b.At(i, 0) = 1.0 + static_cast<double>(i);
    if (i > 0) lower.At(i, 0) = a.At(i, i - 1) = -1.0;
    if (i + 1 < n) upper.At(i, 0) = a.At(i, i + 1) = -1.0;
  }
  const TensorType line = this->Of({n}), sides = this->Of({n, 1});
  const auto solve = [&](const Matrix& middle) {
    return MatrixOf<TypeParam>(
        RunCall({Routine::kTridiagonalSolvePerturbed, {}, {line, line, line, sides}, {sides}},
                {this->Bytes(lower), this->Bytes(middle), this->Bytes(upper), this->Bytes(b)})[0],
        n, 1);
  };
  Matrix x = solve(diagonal);
  const auto scale = x.At(0, 0);
  EXPECT_GT(std::abs(scale), 1 / (100 * this->kTolerance));
  for (int64_t i = 0; i < n; ++i) x.At(i, 0) /= scale;
  ExpectNear(a * x, Matrix(n, 1), 10 * this->kTolerance);
  // Of zeros, too.
  lower = upper = Matrix(n, 1);
  const Matrix y = solve(Matrix(n, 1));
  for (int64_t i = 0; i < n; ++i) EXPECT_TRUE(std::isfinite(std::abs(y.At(i, 0))));
}

TYPED_TEST(CpuLinearAlgebraTest, IterationsEndOnWhatIsNotFinite) {
  constexpr int64_t n = 3;
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Matrix a = Identity(n);
    a.At(1, 2) = a.At(2, 1) = bad;
    const auto out = RunCall({Routine::kSvdThin,
                              {1, 0},
                              {this->Of({n, n})},
                              {this->Of({n, n}), this->RealOf({n}), this->Of({n, n}),
                               this->Of({n, n}), this->Integers({})}},
                             {this->Bytes(a)});
    EXPECT_NE(this->InfoOf(out[4]), 0);
  }
}

TYPED_TEST(CpuLinearAlgebraTest, EigenvaluesDoNotDependOnTheOtherTriangle) {
  constexpr int64_t n = 4;
  const Matrix a = this->PositiveDefinite(n, 18);
  for (const bool lower : {true, false}) {
    Matrix spoiled = a;
    spoiled.At(lower ? 0 : n - 1, lower ? n - 1 : 0) = std::numeric_limits<double>::quiet_NaN();
    const RoutineCall call{Routine::kHermitianEigen,
                           {lower, 1},
                           {this->Of({n, n})},
                           {this->Of({n, n}), this->RealOf({n}), this->Integers({})}};
    const auto out = RunCall(call, {this->Bytes(spoiled)});
    EXPECT_EQ(this->InfoOf(out[2]), 0);
    EXPECT_EQ(out[1], RunCall(call, {this->Bytes(a)})[1]);
  }
}

TYPED_TEST(CpuLinearAlgebraTest, TridiagonalSolveWithoutRightHandSidesEliminates) {
  constexpr int64_t n = 5;
  const std::vector<std::string> lines = {this->Bytes(this->Random(n, 1, 19)),
                                          this->Bytes(this->Random(n, 1, 20)),
                                          this->Bytes(this->Random(n, 1, 21))};
  const auto solve = [&](int64_t k) {
    const TensorType line = this->Of({n}), sides = this->Of({n, k});
    return RunCall({Routine::kTridiagonalSolve,
                    {},
                    {line, line, line, sides},
                    {line, line, line, sides, this->Integers({})}},
                   {lines[0], lines[1], lines[2], this->Bytes(Matrix(n, k))});
  };
  const auto none = solve(0), one = solve(1);
  for (const size_t result : {0, 1, 2, 4}) EXPECT_EQ(none[result], one[result]);
}

// More than one panel, narrow ones of many rows, and both sides.
TYPED_TEST(CpuLinearAlgebraTest, LargeQrProductAndMultiplicationByQ) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{100, 70}, {70, 100}, {20000, 21}}) {
    const int64_t p = std::min(m, n);
    const Matrix a = this->Random(m, n, 22);
    const auto qr =
        RunCall({Routine::kQr, {}, {this->Of({m, n})}, {this->Of({m, n}), this->Of({p})}},
                {this->Bytes(a)});
    const Matrix factors = MatrixOf<TypeParam>(qr[0], m, n);
    const Matrix r = Part(factors, [](int64_t row, int64_t column) { return row <= column; });
    const auto multiply = [&](Routine routine, bool adjoint, const Matrix& c) {
      const auto out = RunCall({routine,
                                {adjoint},
                                {this->Of({m, n}), this->Of({p}), this->Of({c.rows, c.columns})},
                                {this->Of({c.rows, c.columns})}},
                               {qr[0], qr[1], this->Bytes(c)});
      return MatrixOf<TypeParam>(out[0], c.rows, c.columns);
    };
    const double tolerance = 10 * this->kTolerance;
    ExpectNear(multiply(Routine::kHouseholderMultiplyLeft, false, r), a, tolerance);
    ExpectNear(multiply(Routine::kHouseholderMultiplyLeft, true, a), r, tolerance);
    ExpectNear(multiply(Routine::kHouseholderMultiplyRight, true, Adjoint(r)), Adjoint(a),
               tolerance);
    ExpectNear(multiply(Routine::kHouseholderMultiplyRight, false, Adjoint(a)), Adjoint(r),
               tolerance);
    if (n > m) continue;
    for (const int64_t columns : {n, (n + m) / 2}) {
      if (columns > n && m > 1000) continue;
      Matrix reflectors(m, columns);
      for (int64_t row = 0; row < m; ++row) {
        for (int64_t c = 0; c < n; ++c) reflectors.At(row, c) = factors.At(row, c);
      }
      const auto product = RunCall({Routine::kHouseholderProduct,
                                    {},
                                    {this->Of({m, columns}), this->Of({p})},
                                    {this->Of({m, columns})}},
                                   {this->Bytes(reflectors), qr[1]});
      const Matrix q = MatrixOf<TypeParam>(product[0], m, columns);
      ExpectNear(Adjoint(q) * q, Identity(columns), tolerance);
      Matrix upper(columns, n);
      for (int64_t row = 0; row < n; ++row) {
        for (int64_t c = row; c < n; ++c) upper.At(row, c) = factors.At(row, c);
      }
      ExpectNear(q * upper, a, tolerance);
    }
  }
}

// The triangle is cut into panels.
TYPED_TEST(CpuLinearAlgebraTest, LargeTriangularSolvesOfFewSides) {
  constexpr int64_t n = 300, k = 5;
  Matrix full = this->Random(n, n, 23);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) full.At(i, j) *= i == j ? 1.0 : 0.01;
    full.At(i, i) += 3.0;
  }
  for (const bool left : {true, false}) {
    const Matrix b = left ? this->Random(n, k, 24) : this->Random(k, n, 24);
    for (const bool lower : {true, false}) {
      for (const int64_t transpose : {0, 1, 2}) {
        const Matrix a = lower ? Lower(full) : Upper(full);
        Matrix op = transpose == 0 ? a : Adjoint(a);
        for (Complex& value : op.values) value = transpose == 1 ? std::conj(value) : value;
        const auto out =
            RunCall({left ? Routine::kTriangularSolveLeft : Routine::kTriangularSolveRight,
                     {lower, 0, transpose},
                     {this->Of({n, n}), this->Of({b.rows, b.columns})},
                     {this->Of({b.rows, b.columns})}},
                    {this->Bytes(full), this->Bytes(b)});
        const Matrix x = MatrixOf<TypeParam>(out[0], b.rows, b.columns);
        ExpectNear(left ? op * x : x * op, b, this->kTolerance);
      }
    }
  }
}

TYPED_TEST(CpuLinearAlgebraTest, EmptyMatricesAndBatches) {
  for (const auto& [batch, n] : {std::pair<int64_t, int64_t>{2, 0}, {0, 3}}) {
    const auto out =
        RunCall({Routine::kHermitianEigen,
                 {1, 1},
                 {this->Of({batch, n, n})},
                 {this->Of({batch, n, n}), this->RealOf({batch, n}), this->Integers({batch})}},
                {""});
    EXPECT_EQ(out[2].size(), 4 * batch);
    RunCall({Routine::kQr,
             {},
             {this->Of({batch, n, n})},
             {this->Of({batch, n, n}), this->Of({batch, n})}},
            {""});
    RunCall({Routine::kCholesky, {1}, {this->Of({batch, n, n})}, {this->Of({batch, n, n})}}, {""});
  }
}

TEST(CpuLinearAlgebraOfAnyTypeTest, HalfFloatsAreComputedInFloat) {
  // [[4, 2], [2, 5]] has the factor [[2, 0], [1, 2]]; f16 as bits.
  const std::vector<uint16_t> a = {0x4400, 0x4000, 0x4000, 0x4500};
  const TensorType type{DType::kF16, {2, 2}};
  const auto out = RunCall({Routine::kCholesky, {1}, {type}, {type}}, {BytesOf(a)});
  EXPECT_EQ(ValuesOf<uint16_t>(out[0]), (std::vector<uint16_t>{0x4000, 0, 0x3C00, 0x4000}));
}

TEST(CpuLinearAlgebraOfAnyTypeTest, BatchesDoNotDependOnTheNumberOfThreads) {
  constexpr int64_t kBatch = 300, n = 12;
  const TensorType matrices{DType::kF64, {kBatch, n, n}}, values{DType::kF64, {kBatch, n}};
  const RoutineCall call{Routine::kSvdThin,
                         {1, 0},
                         {matrices},
                         {matrices, values, matrices, matrices, {DType::kI32, {kBatch}}}};
  const std::string bytes = BytesOf(Scattered<double>(kBatch * n * n, 17));
  EXPECT_EQ(RunCall(call, {bytes}, 1), RunCall(call, {bytes}, 4));
}

}  // namespace
}  // namespace acceld::kernels::cpu
