// What vectors do otherwise than single values: dividing by what a loop does not change, extrema,
// and prefetching.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::denorm_min();

// y[row, column] = x[column] / divisor[row].
Kernel RowQuotientKernel(int64_t rows, int64_t columns) {
  KernelBuilder b("quotients");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, columns, Access::kRead});
  const uint32_t divisor = b.AddBuffer({"divisor", DType::kF32, rows, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, rows * columns, Access::kWrite});
  b.For(ForStatement::Kind::kParallel, rows, [&](Var row) {
    b.For(ForStatement::Kind::kParallel, columns, [&](Var column) {
      b.Store(y, b.Linearize({row, column}, {columns, 1}),
              b.Apply(ScalarOp::kDivide, {b.Load(x, column), b.Load(divisor, row)}));
    });
  });
  return b.Finish();
}

float OfBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Of all exponents, with both signs, and the special ones.
std::vector<float> AllSorts(int64_t count, uint32_t seed) {
  std::vector<float> values = {0.0f,     -0.0f,     kInfinity, -kInfinity,
                               kLargest, -kLargest, kSmallest, -kSmallest,
                               1.0f,     -1.0f,     3.0f,      std::numeric_limits<float>::min(),
                               NAN};
  while (static_cast<int64_t>(values.size()) < count) {
    seed = seed * 1664525u + 1013904223u;
    values.push_back(OfBits(seed));
  }
  return values;
}

TEST(VectorDivision, ByTheSameDivisorIsExactWhereNumbersAreNormal) {
  const std::vector<float> x = AllSorts(4096 + 5, 1), divisors = AllSorts(300, 2);
  const auto rows = static_cast<int64_t>(divisors.size());
  const auto columns = static_cast<int64_t>(x.size());
  const auto results =
      RunPlan(PlanOf(RowQuotientKernel(rows, columns)), {BytesOf(x), BytesOf(divisors)}, 2);
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<float> y = ValuesOf<float>((*results)[0]);
  int64_t wrong = 0;
  for (int64_t i = 0; i < rows * columns && wrong < 10; ++i) {
    const float dividend = x[i % columns], divisor = divisors[i / columns];
    const float exact = dividend / divisor;
    const bool is_exact = (std::isnan(exact) && std::isnan(y[i])) ||
                          (y[i] == exact && std::signbit(y[i]) == std::signbit(exact));
    const bool may_be_neighbour =
        std::abs(dividend) < 0x1p-100f || std::abs(exact) < std::numeric_limits<float>::min();
    const bool is_neighbour =
        y[i] == std::nextafterf(exact, kInfinity) || y[i] == std::nextafterf(exact, -kInfinity);
    if (is_exact || (may_be_neighbour && is_neighbour)) continue;
    ++wrong;
    ADD_FAILURE() << dividend << " / " << divisor << " = " << y[i] << ", expected " << exact;
  }
}

// The largest or smallest of `n` elements and `initial`.
Kernel ExtremumKernel(ScalarOp op, int64_t n, float initial, DType dtype = DType::kF32) {
  KernelBuilder b("extremum");
  const uint32_t in = b.AddBuffer({"x", dtype, n, Access::kRead});
  const uint32_t out = b.AddBuffer({"y", dtype, 1, Access::kWrite});
  const Var first = b.ConstantFloat(dtype, initial);
  const auto found = b.For(ForStatement::Kind::kReduction, n, {first},
                           [&](Var i, absl::Span<const Var> current) -> std::vector<Var> {
                             return {b.Apply(op, {current[0], b.Load(in, i)})};
                           });
  b.Store(out, b.Index(0), found[0]);
  return b.Finish();
}

float Reduced(ScalarOp op, const std::vector<float>& x, float initial) {
  const auto n = static_cast<int64_t>(x.size());
  const auto results = RunPlan(PlanOf(ExtremumKernel(op, n, initial)), {BytesOf(x)});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? ValuesOf<float>((*results)[0])[0] : NAN;
}

float Reduced(ScalarOp op, const std::vector<float>& x) {
  return Reduced(op, x, op == ScalarOp::kMax ? -kInfinity : kInfinity);
}

TEST(VectorExtrema, OfAllElementsFindNanAndTheSignOfZero) {
  for (const size_t n : {1, 7, 64, 100, 1003}) {
    for (const size_t index : {size_t{0}, n / 3, n - 1}) {
      std::vector<float> x(n, -3.0f);
      x[index] = 2.0f;
      EXPECT_EQ(Reduced(ScalarOp::kMax, x), 2.0f) << n << " at " << index;
      x[index] = -4.0f;
      EXPECT_EQ(Reduced(ScalarOp::kMin, x), -4.0f) << n << " at " << index;
      for (const float nan : {NAN, -NAN}) {
        x[index] = nan;
        EXPECT_TRUE(std::isnan(Reduced(ScalarOp::kMax, x))) << n << " at " << index;
        EXPECT_TRUE(std::isnan(Reduced(ScalarOp::kMin, x))) << n << " at " << index;
      }
      std::vector<float> zeros(n, -0.0f);
      EXPECT_TRUE(std::signbit(Reduced(ScalarOp::kMax, zeros))) << n;
      zeros[index] = 0.0f;
      EXPECT_FALSE(std::signbit(Reduced(ScalarOp::kMax, zeros))) << n << " at " << index;
      zeros.assign(n, 0.0f);
      EXPECT_FALSE(std::signbit(Reduced(ScalarOp::kMin, zeros))) << n;
      zeros[index] = -0.0f;
      EXPECT_TRUE(std::signbit(Reduced(ScalarOp::kMin, zeros))) << n << " at " << index;
    }
  }
}

TEST(VectorExtrema, OfAllElementsKnowWhereTheyBegan) {
  for (const size_t n : {3, 64, 1003}) {
    const std::vector<float> negative(n, -3.0f), positive(n, 3.0f);
    for (const float zero : {0.0f, -0.0f}) {
      const float largest = Reduced(ScalarOp::kMax, negative, zero);
      const float smallest = Reduced(ScalarOp::kMin, positive, zero);
      EXPECT_TRUE(largest == 0.0f && std::signbit(largest) == std::signbit(zero)) << n;
      EXPECT_TRUE(smallest == 0.0f && std::signbit(smallest) == std::signbit(zero)) << n;
      const std::vector<float> others(n, -zero);
      EXPECT_FALSE(std::signbit(Reduced(ScalarOp::kMax, others, zero))) << n;
      EXPECT_TRUE(std::signbit(Reduced(ScalarOp::kMin, others, zero))) << n;
    }
    EXPECT_TRUE(std::isnan(Reduced(ScalarOp::kMax, negative, NAN))) << n;
    EXPECT_EQ(Reduced(ScalarOp::kMin, std::vector<float>(n, kInfinity)), kInfinity) << n;
    EXPECT_EQ(Reduced(ScalarOp::kMax, std::vector<float>(n, -kInfinity)), -kInfinity) << n;
  }
}

TEST(VectorExtrema, OfDoublesFindNanAndTheSignOfZero) {
  const auto Largest = [](const std::vector<double>& x) {
    const auto n = static_cast<int64_t>(x.size());
    const auto results =
        RunPlan(PlanOf(ExtremumKernel(ScalarOp::kMax, n, -kInfinity, DType::kF64)), {BytesOf(x)});
    EXPECT_TRUE(results.ok()) << results.status();
    return results.ok() ? ValuesOf<double>((*results)[0])[0] : NAN;
  };
  std::vector<double> x(1003, -0.0);
  EXPECT_TRUE(std::signbit(Largest(x)));
  x[700] = 0;
  EXPECT_FALSE(std::signbit(Largest(x)));
  x[3] = 0x1p-1000;
  EXPECT_EQ(Largest(x), 0x1p-1000);
  x[900] = -std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(Largest(x)));
}

// One of another kind of value in the same loop, and one that takes two elements at a time.
TEST(VectorExtrema, StandBesideOthers) {
  constexpr int64_t kCount = 515;
  KernelBuilder b("several");
  const uint32_t in = b.AddBuffer({"x", DType::kF32, 2 * kCount, Access::kRead});
  const uint32_t out = b.AddBuffer({"y", DType::kF32, 3, Access::kWrite});
  const Var zero = b.ConstantFloat(DType::kF32, 0), high = b.ConstantFloat(DType::kF32, kInfinity),
            low = b.ConstantFloat(DType::kF32, -kInfinity);
  const auto found = b.For(
      ForStatement::Kind::kReduction, kCount, {low, zero, high},
      [&](Var i, absl::Span<const Var> current) -> std::vector<Var> {
        const Var x = b.Load(in, i);
        const Var y = b.Load(in, b.Apply(ScalarOp::kAdd, {i, b.Index(kCount)}));
        return {b.Apply(ScalarOp::kMax, {b.Apply(ScalarOp::kMax, {x, current[0]}), y}),
                b.Apply(ScalarOp::kAdd, {current[1], x}), b.Apply(ScalarOp::kMin, {current[2], y})};
      });
  for (int64_t i = 0; i < 3; ++i) b.Store(out, b.Index(i), found[i]);
  std::vector<float> x(2 * kCount);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1031) - 500;
  const auto results = RunPlan(PlanOf(b.Finish()), {BytesOf(x)});
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<float> y = ValuesOf<float>((*results)[0]);
  EXPECT_EQ(y[0], *std::max_element(x.begin(), x.end()));
  EXPECT_EQ(y[1], std::accumulate(x.begin(), x.begin() + kCount, 0.0f));
  EXPECT_EQ(y[2], *std::min_element(x.begin() + kCount, x.end()));
}

// Looking for NaN and signs costs more than the extremum itself.
TEST(VectorExtrema, OfAllElementsCompareNoFloats) {
  CpuDumps dumps;
  const Kernel kernel = ExtremumKernel(ScalarOp::kMax, 1024, -kInfinity);
  ASSERT_TRUE(CompileForHost(PlanOf(kernel), &dumps).ok());
  EXPECT_EQ(dumps.optimized_llvm_ir.find("fcmp"), std::string::npos);
}

TEST(VectorExtrema, OfTwoVectorsAreAsOfTwoNumbers) {
  const std::vector<float> sorts = {0.0f, -0.0f, 1.0f, -1.0f, kInfinity, -kInfinity, NAN, -NAN};
  std::vector<float> x, y;
  for (const float first : sorts) {
    for (const float second : sorts) {
      x.insert(x.end(), 3, first);
      y.insert(y.end(), 3, second);
    }
  }
  for (const ScalarOp op : {ScalarOp::kMax, ScalarOp::kMin}) {
    const Kernel kernel =
        ZipKernel("extrema", DType::kF32, DType::kF32, static_cast<int64_t>(x.size()),
                  [&](KernelBuilder& b, Var p, Var q) { return b.Apply(op, {p, q}); });
    const auto results = RunPlan(PlanOf(kernel), {BytesOf(x), BytesOf(y)});
    ASSERT_TRUE(results.ok()) << results.status();
    const std::vector<float> z = ValuesOf<float>((*results)[0]);
    for (size_t i = 0; i < z.size(); ++i) {
      if (std::isnan(x[i]) || std::isnan(y[i])) {
        EXPECT_TRUE(std::isnan(z[i])) << x[i] << ", " << y[i];
        continue;
      }
      const bool takes_x = x[i] == y[i] ? std::signbit(x[i]) == (op == ScalarOp::kMin)
                                        : (x[i] > y[i]) == (op == ScalarOp::kMax);
      const float expected = takes_x ? x[i] : y[i];
      EXPECT_EQ(z[i], expected) << x[i] << ", " << y[i];
      EXPECT_EQ(std::signbit(z[i]), std::signbit(expected)) << x[i] << ", " << y[i];
    }
  }
}

// `ending`: of the calls.
int Prefetches(const Kernel& kernel, const std::string& ending = "") {
  CpuDumps dumps;
  const auto code = CompileForHost(PlanOf(kernel), &dumps);
  EXPECT_TRUE(code.ok()) << code.status();
  int count = 0;
  std::istringstream lines(dumps.optimized_llvm_ir);
  for (std::string line; std::getline(lines, line);) {
    const bool is_call = line.find("call void @llvm.prefetch") != std::string::npos;
    count += is_call && line.find(ending) != std::string::npos;
  }
  return count;
}

TEST(Prefetching, IsForLargeBuffersReadOneAfterTheOther) {
  EXPECT_GT(Prefetches(SeluKernel(4'000'000)), 0);
  EXPECT_GT(Prefetches(RowSumKernel("sums", DType::kF32, 4096, 1024)), 0);
  EXPECT_EQ(Prefetches(SeluKernel(1'000'000)), 0);
}

Var Itself(KernelBuilder&, Var x) { return x; }

// y[row, column] = x[row, column] * (the sum of what `of` makes of the row's elements).
Kernel RowScaleKernel(int64_t rows, int64_t columns,
                      const std::function<Var(KernelBuilder&, Var)>& of = Itself) {
  KernelBuilder b("scaled_rows");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, rows * columns, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, rows * columns, Access::kWrite});
  b.For(ForStatement::Kind::kParallel, rows, [&](Var row) {
    const auto load = [&](Var column) {
      return b.Load(x, b.Linearize({row, column}, {columns, 1}));
    };
    const auto sum = b.For(ForStatement::Kind::kReduction, columns, {b.Constant(DType::kF32, 0)},
                           [&](Var column, absl::Span<const Var> current) -> std::vector<Var> {
                             return {b.Apply(ScalarOp::kAdd, {current[0], of(b, load(column))})};
                           });
    b.For(ForStatement::Kind::kParallel, columns, [&](Var column) {
      b.Store(y, b.Linearize({row, column}, {columns, 1}),
              b.Apply(ScalarOp::kMultiply, {load(column), sum[0]}));
    });
  });
  return b.Finish();
}

TEST(Prefetching, BeginsFartherAheadOfRowsThatSeveralLoopsReadAndOfLoopsThatWrite) {
  const std::string into_first = "i32 0, i32 3, i32 1)", into_second = "i32 0, i32 2, i32 1)";
  const Kernel kernel = RowScaleKernel(4096, 1024);
  EXPECT_GT(Prefetches(kernel, into_first), 0);
  EXPECT_GT(Prefetches(kernel, into_second), 0);
  EXPECT_GT(Prefetches(SeluKernel(4'000'000), into_second), 0);
  EXPECT_EQ(Prefetches(RowSumKernel("sums", DType::kF32, 4096, 1024), into_second), 0);
}

TEST(Prefetching, LeavesRowsOfMuchComputingInTheSecondCache) {
  // Too few rows for the loops to become one.
  const Kernel kernel = RowScaleKernel(1000, 4096, [](KernelBuilder& b, Var x) {
    return b.Apply(ScalarOp::kExp, {b.Apply(ScalarOp::kExp, {x})});
  });
  EXPECT_EQ(Prefetches(kernel, "i32 0, i32 3, i32 1)"), 0);
  EXPECT_GT(Prefetches(kernel, "i32 0, i32 2, i32 1)"), 0);
}

}  // namespace
}  // namespace acceld::kernels::cpu
