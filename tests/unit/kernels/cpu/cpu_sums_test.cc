// How exact sums and running sums are, of which the compiler makes blocks, and products, which it
// computes in f64.

#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "gtest/gtest.h"
#include "kernels/cpu/emit/nests/scan_in_blocks.h"
#include "kernels/cpu/emit/nests/sum_in_blocks.h"
#include "kernels/cpu/emit/nests/widen_products.h"
#include "kernels/ir/analysis/verify_kernel.h"
#include "kernels/ir/build/loop_nests.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

using Kind = ForStatement::Kind;
using Values = absl::Span<const Var>;

// Positive, so that an error of each addition would show.
std::vector<float> Elements(int64_t count, float low = 0, float high = 1) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> elements(count);
  for (float& element : elements) element = distribution(random);
  return elements;
}

std::vector<float> ResultsOf(const Kernel& kernel, const std::vector<float>& x) {
  for (const Kernel& rewritten :
       {SumInBlocks(kernel), ScanInBlocks(kernel), WidenProducts(kernel)}) {
    EXPECT_TRUE(VerifyKernel(rewritten).ok()) << VerifyKernel(rewritten);
  }
  const auto results = RunPlan(PlanOf(kernel), {BytesOf(x)});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? ValuesOf<float>((*results)[0]) : std::vector<float>();
}

double Ulp(double value) {
  return std::nextafterf(static_cast<float>(value), INFINITY) - static_cast<float>(value);
}

// The root mean square of the errors, in units in the last place.
double ErrorOf(const std::vector<float>& results, const std::vector<double>& exact) {
  EXPECT_EQ(results.size(), exact.size());
  double squares = 0;
  for (size_t i = 0; i < results.size() && i < exact.size(); ++i) {
    squares += std::pow((results[i] - exact[i]) / Ulp(exact[i]), 2);
  }
  return std::sqrt(squares / static_cast<double>(std::max<size_t>(1, results.size())));
}

// What a sum or a product begins with.
Var NeutralOf(KernelBuilder& b, ScalarOp op) {
  return b.ConstantFloat(DType::kF32, op == ScalarOp::kMultiply ? 1 : 0);
}

// result[c] = the sum, or product, of x[a, c, b] over a and b.
Kernel NestedKernel(ScalarOp op, int64_t outer, int64_t columns, int64_t inner) {
  KernelBuilder b("nested");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, outer * columns * inner, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, columns, Access::kWrite});
  b.For(Kind::kParallel, columns, [&](Var c) {
    const auto sum =
        b.For(Kind::kReduction, outer, {NeutralOf(b, op)}, [&](Var i, Values of_outer) {
          return b.For(Kind::kReduction, inner, of_outer,
                       [&](Var j, Values current) -> std::vector<Var> {
                         const Var at = b.Linearize({i, c, j}, {columns * inner, inner, 1});
                         return {b.Apply(op, {current[0], b.Load(x, at)})};
                       });
        });
    b.Store(y, c, sum[0]);
  });
  return b.Finish();
}

// result[k] = the sum of x[i, k] over i, all k in one loop.
Kernel CoordinatesKernel(int64_t count, int64_t coordinates) {
  KernelBuilder b("coordinates");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, count * coordinates, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, coordinates, Access::kWrite});
  const std::vector<Var> zeros(coordinates, NeutralOf(b, ScalarOp::kAdd));
  const auto sums = b.For(Kind::kReduction, count, zeros, [&](Var i, Values current) {
    std::vector<Var> next;
    for (int64_t k = 0; k < coordinates; ++k) {
      const Var element = b.Load(x, b.Linearize({i}, {coordinates}, k));
      next.push_back(b.Apply(ScalarOp::kAdd, {current[k], element}));
    }
    return next;
  });
  for (int64_t k = 0; k < coordinates; ++k) b.Store(y, b.Index(k), sums[k]);
  return b.Finish();
}

// result[row] = the sum of x[row, column] over columns, each of which is doubled and halved often.
Kernel LargeBodyKernel(int64_t rows, int64_t columns) {
  KernelBuilder b("large_body");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, rows * columns, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, rows, Access::kWrite});
  b.For(Kind::kParallel, rows, [&](Var row) {
    const Var zero = NeutralOf(b, ScalarOp::kAdd);
    const auto sums = b.For(
        Kind::kReduction, columns, {zero}, [&](Var column, Values current) -> std::vector<Var> {
          Var element = b.Load(x, b.Linearize({row, column}, {columns, 1}));
          for (int i = 0; i < 80; ++i) {
            const Var factor = b.ConstantFloat(DType::kF32, i % 2 == 0 ? 2 : 0.5);
            element = b.Apply(ScalarOp::kMultiply, {element, factor});
          }
          return {b.Apply(ScalarOp::kAdd, {current[0], element})};
        });
    b.Store(y, row, sums[0]);
  });
  return b.Finish();
}

// result[c] = the sum, or product, of x[r, c] over r, columns side by side in scratch.
Kernel ColumnKernel(ScalarOp op, int64_t rows, int64_t columns) {
  KernelBuilder b("columns");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, rows * columns, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, columns, Access::kWrite});
  const uint32_t sums = b.AddScratch({"sums", DType::kF32, columns, Access::kReadWrite});
  b.Once([&] {
    b.For(Kind::kSequential, columns, [&](Var c) { b.Store(sums, c, NeutralOf(b, op)); });
    b.For(Kind::kReduction, rows, [&](Var r) {
      b.For(Kind::kSequential, columns, [&](Var c) {
        const Var element = b.Load(x, b.Linearize({r, c}, {columns, 1}));
        b.Store(sums, c, b.Apply(op, {b.Load(sums, c), element}));
      });
    });
    b.For(Kind::kSequential, columns, [&](Var c) { b.Store(y, c, b.Load(sums, c)); });
  });
  return b.Finish();
}

// Running sums, or products, of x[r, c] over r: carried, or of all columns in scratch.
Kernel ScanKernel(ScalarOp op, int64_t rows, int64_t columns, bool in_scratch) {
  KernelBuilder b("scan");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, rows * columns, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, rows * columns, Access::kWrite});
  const auto at = [&](Var r, Var c) { return b.Linearize({r, c}, {columns, 1}); };
  const auto step = [&](Var r, Var c, Var before) {
    const Var sum = b.Apply(op, {before, b.Load(x, at(r, c))});
    b.Store(y, at(r, c), sum);
    return sum;
  };
  if (in_scratch) {
    const uint32_t sums = b.AddScratch({"sums", DType::kF32, columns, Access::kReadWrite});
    b.Once([&] {
      b.For(Kind::kSequential, columns, [&](Var c) { b.Store(sums, c, NeutralOf(b, op)); });
      b.For(Kind::kScan, rows, [&](Var r) {
        b.For(Kind::kSequential, columns,
              [&](Var c) { b.Store(sums, c, step(r, c, b.Load(sums, c))); });
      });
    });
  } else {
    b.For(Kind::kParallel, columns, [&](Var c) {
      b.For(Kind::kScan, rows, {NeutralOf(b, op)},
            [&](Var r, Values current) -> std::vector<Var> { return {step(r, c, current[0])}; });
    });
  }
  return b.Finish();
}

// What adding in pairs gives is about 0.45.
constexpr double kMostError = 0.7;

TEST(Sums, OfRowsAreAsExactAsThoseOfPairsWhateverTheirLength) {
  for (const int64_t length : {1, 7, 16, 20, 37, 64, 100, 1000, 2048, 4097, 20000, 70001}) {
    constexpr int64_t kRows = 64;
    const std::vector<float> x = Elements(kRows * length);
    std::vector<double> exact;
    for (int64_t row = 0; row < kRows; ++row) {
      exact.push_back(
          std::accumulate(x.begin() + row * length, x.begin() + (row + 1) * length, 0.0));
    }
    EXPECT_LT(ErrorOf(ResultsOf(RowSumKernel("sums", DType::kF32, kRows, length), x), exact),
              kMostError)
        << length;
  }
}

TEST(Sums, OfEachCoordinateAreAsExact) {
  for (const int64_t coordinates : {2, 3, 4, 7}) {
    double squares = 0;
    // A few results alone would say little.
    constexpr int kRounds = 20;
    for (int round = 0; round < kRounds; ++round) {
      const int64_t count = 3000 + 17 * round;
      const std::vector<float> x = Elements(count * coordinates);
      std::vector<double> exact(coordinates);
      for (size_t i = 0; i < x.size(); ++i) exact[i % coordinates] += x[i];
      squares += std::pow(ErrorOf(ResultsOf(CoordinatesKernel(count, coordinates), x), exact), 2);
    }
    EXPECT_LT(std::sqrt(squares / kRounds), kMostError) << coordinates;
  }
}

TEST(Sums, OfWhatTakesManyStatementsAreAsExact) {
  for (const int64_t length : {20, 100, 500, 511, 512, 1000, 5003, 70000}) {
    constexpr int64_t kRows = 64;
    const std::vector<float> x = Elements(kRows * length);
    std::vector<double> exact;
    for (int64_t row = 0; row < kRows; ++row) {
      exact.push_back(
          std::accumulate(x.begin() + row * length, x.begin() + (row + 1) * length, 0.0));
    }
    EXPECT_LT(ErrorOf(ResultsOf(LargeBodyKernel(kRows, length), x), exact), kMostError) << length;
  }
}

TEST(Sums, OverSeveralLoopsAreAsExact) {
  const int64_t shapes[][2] = {{100, 3}, {3, 100}, {64, 40}, {300, 300}, {5, 7}, {2, 20000}};
  for (const auto& [outer, inner] : shapes) {
    constexpr int64_t kColumns = 60;
    const std::vector<float> x = Elements(outer * kColumns * inner);
    std::vector<double> exact(kColumns);
    for (int64_t i = 0; i < outer * kColumns * inner; ++i) exact[i / inner % kColumns] += x[i];
    EXPECT_LT(ErrorOf(ResultsOf(NestedKernel(ScalarOp::kAdd, outer, kColumns, inner), x), exact),
              kMostError)
        << outer << " x " << inner;
  }
}

TEST(Sums, OfColumnsAreAsExactWhateverTheirLength) {
  for (const int64_t rows : {1, 8, 9, 31, 64, 100, 1000, 20000}) {
    constexpr int64_t kColumns = 80;
    const std::vector<float> x = Elements(rows * kColumns);
    std::vector<double> exact(kColumns);
    for (int64_t i = 0; i < rows * kColumns; ++i) exact[i % kColumns] += x[i];
    EXPECT_LT(ErrorOf(ResultsOf(ColumnKernel(ScalarOp::kAdd, rows, kColumns), x), exact),
              kMostError)
        << rows;
  }
}

TEST(Sums, ThatRunOnAreAsExactEverywhere) {
  for (const bool in_scratch : {false, true}) {
    for (const int64_t rows : {5, 16, 17, 1000, 9999}) {
      constexpr int64_t kColumns = 24;
      const std::vector<float> x = Elements(rows * kColumns);
      std::vector<double> exact(x.begin(), x.end());
      for (size_t i = kColumns; i < exact.size(); ++i) exact[i] += exact[i - kColumns];
      EXPECT_LT(
          ErrorOf(ResultsOf(ScanKernel(ScalarOp::kAdd, rows, kColumns, in_scratch), x), exact),
          kMostError)
          << rows << (in_scratch ? " in scratch" : "");
    }
  }
}

TEST(Sums, WithInfinitiesAndNaNAreWhatAddingInOrderGives) {
  constexpr int64_t kLength = 5000;
  constexpr float kLargest = std::numeric_limits<float>::max();
  const std::vector<std::vector<float>> firsts = {
      {INFINITY}, {-INFINITY}, {INFINITY, -INFINITY}, {NAN}, {kLargest, kLargest}};
  for (const std::vector<float>& first : firsts) {
    std::vector<float> x(kLength, 1.0f);
    // At distances, so that they come into different blocks.
    for (size_t i = 0; i < first.size(); ++i) x[i * 4000] = first[i];
    const float exact = std::accumulate(x.begin(), x.end(), 0.0f);
    const std::vector<float> results[] = {
        ResultsOf(RowSumKernel("sums", DType::kF32, 1, kLength), x),
        ResultsOf(ColumnKernel(ScalarOp::kAdd, kLength, 1), x),
        {ResultsOf(ScanKernel(ScalarOp::kAdd, kLength, 1, false), x).back()},
        {ResultsOf(ScanKernel(ScalarOp::kAdd, kLength, 1, true), x).back()}};
    for (const std::vector<float>& result : results) {
      ASSERT_EQ(result.size(), 1u);
      if (std::isnan(exact)) {
        EXPECT_TRUE(std::isnan(result[0])) << result[0];
      } else {
        EXPECT_EQ(result[0], exact);
      }
    }
  }
}

// Each product is rounded once, which is off by 0.29 in the root mean square.
constexpr double kMostErrorOfProducts = 0.35;

TEST(Products, AreRoundedOnceHoweverTheyAreMade) {
  constexpr int64_t kColumns = 60;
  for (const int64_t rows : {5, 64, 1000, 20000}) {
    const std::vector<float> x = Elements(rows * kColumns, 0.99f, 1.01f);
    std::vector<double> exact(kColumns, 1.0), running(x.begin(), x.end());
    for (size_t i = 0; i < x.size(); ++i) exact[i % kColumns] *= x[i];
    for (size_t i = kColumns; i < x.size(); ++i) running[i] *= running[i - kColumns];
    const ScalarOp op = ScalarOp::kMultiply;
    EXPECT_LT(ErrorOf(ResultsOf(NestedKernel(op, rows, kColumns, 1), x), exact),
              kMostErrorOfProducts)
        << rows;
    EXPECT_LT(ErrorOf(ResultsOf(ColumnKernel(op, rows, kColumns), x), exact), kMostErrorOfProducts)
        << rows;
    for (const bool in_scratch : {false, true}) {
      EXPECT_LT(ErrorOf(ResultsOf(ScanKernel(op, rows, kColumns, in_scratch), x), running),
                kMostErrorOfProducts)
          << rows << (in_scratch ? " in scratch" : "");
    }
  }
}

// A sum over sums that are squared, `depth` of them inside each other.
Kernel SumOfSquaredSums(int depth) {
  KernelBuilder b("sums_of_sums");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, 1000, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, 1, Access::kWrite});
  const std::function<Var(int, Var)> sum = [&](int level, Var at) {
    return b.For(Kind::kReduction, 1000, {NeutralOf(b, ScalarOp::kAdd)},
                 [&](Var i, Values current) -> std::vector<Var> {
                   const Var element =
                       level == 1 ? b.Load(x, i) : sum(level - 1, b.Linearize({at, i}, {1, 1}));
                   const Var square = b.Apply(ScalarOp::kMultiply, {element, element});
                   return {b.Apply(ScalarOp::kAdd, {current[0], square})};
                 })[0];
  };
  b.Once([&] { b.Store(y, b.Index(0), sum(depth, b.Index(0))); });
  return b.Finish();
}

TEST(Sums, InsideEachOtherDoNotMultiplyTheCode) {
  for (const int depth : {1, 4, 16, 64}) {
    const Kernel kernel = SumInBlocks(SumOfSquaredSums(depth));
    EXPECT_TRUE(VerifyKernel(kernel).ok()) << VerifyKernel(kernel);
    EXPECT_LT(CountStatements(kernel.body), 20000u) << depth;
  }
}

}  // namespace
}  // namespace acceld::kernels::cpu
