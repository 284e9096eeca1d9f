// Loops, reductions and threads of the CPU code generator.

#include <cmath>
#include <numeric>
#include <thread>

#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

std::vector<float> Ramp(int64_t n, float scale) {
  std::vector<float> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = scale * static_cast<float>((i * 7919) % 2003 - 1001);
  return values;
}

TEST(CpuKernelTest, SeluMatchesItsFormula) {
  constexpr int64_t kCount = 1003;
  const std::vector<float> x = Ramp(kCount, 0.01f);
  const auto results = RunPlan(PlanOf(SeluKernel(kCount)), {BytesOf(x)});
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<float> y = ValuesOf<float>((*results)[0]);
  for (int64_t i = 0; i < kCount; ++i) {
    const double expected =
        1.0507010 * (x[i] > 0 ? x[i] : 1.6732632 * (std::exp(static_cast<double>(x[i])) - 1));
    EXPECT_NEAR(y[i], expected, 3e-7 * std::max(1.0, std::abs(expected))) << x[i];
  }
}

TEST(CpuKernelTest, ResultsDoNotDependOnTheNumberOfThreads) {
  constexpr int64_t kCount = 1'000'003;
  const Plan plan = PlanOf(SeluKernel(kCount));
  const auto module = CompileAndLoad(plan);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string x = BytesOf(Ramp(kCount, 0.01f));
  const auto one = RunModule(**module, plan, {x}, 1);
  ASSERT_TRUE(one.ok()) << one.status();
  for (int threads : {2, 3, 7}) {
    const auto many = RunModule(**module, plan, {x}, threads);
    ASSERT_TRUE(many.ok()) << many.status();
    EXPECT_EQ((*one)[0], (*many)[0]) << threads << " threads";
  }
}

TEST(CpuKernelTest, RowSumsMatchForAllShapes) {
  for (const auto& [rows, columns] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {3, 17}, {5, 0}, {0, 4}, {1000, 2001}}) {
    const std::vector<float> x = Ramp(rows * columns, 1.0f);
    const auto results =
        RunPlan(PlanOf(RowSumKernel("sum", DType::kF32, rows, columns)), {BytesOf(x)}, 2);
    ASSERT_TRUE(results.ok()) << results.status();
    const std::vector<float> sums = ValuesOf<float>((*results)[0]);
    ASSERT_EQ(sums.size(), static_cast<size_t>(rows));
    for (int64_t row = 0; row < rows; ++row) {
      const double expected =
          std::accumulate(x.begin() + row * columns, x.begin() + (row + 1) * columns, 0.0);
      EXPECT_EQ(sums[row], expected) << rows << "x" << columns << " row " << row;
    }
  }
}

TEST(CpuKernelTest, NestOfSmallOuterLoopIsCutIntoTiles) {
  constexpr int64_t kOuter = 3, kInner = 700'001;
  KernelBuilder b("nest");
  const uint32_t in = b.AddBuffer({"x", DType::kI32, kOuter * kInner, Access::kRead});
  const uint32_t out = b.AddBuffer({"y", DType::kI32, kOuter * kInner, Access::kWrite});
  b.ForEach(ForStatement::Kind::kParallel, {kOuter, kInner}, [&](absl::Span<const Var> at) {
    const Var from = b.Linearize({at[1], at[0]}, {kOuter, 1});
    b.Store(out, b.Linearize(at, {kInner, 1}), b.Load(in, from));
  });
  std::vector<int32_t> x(kOuter * kInner);
  std::iota(x.begin(), x.end(), 0);
  const auto results = RunPlan(PlanOf(b.Finish()), {BytesOf(x)}, 4);
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<int32_t> y = ValuesOf<int32_t>((*results)[0]);
  for (int64_t i = 0; i < kOuter; ++i) {
    for (int64_t j = 0; j < kInner; ++j) ASSERT_EQ(y[i * kInner + j], j * kOuter + i);
  }
}

TEST(CpuKernelTest, ScratchBelongsToOneIteration) {
  // Each row is reversed through scratch; small rows use the stack, large ones the heap.
  for (const int64_t columns : {64, 20'000}) {
    constexpr int64_t kRows = 300;
    KernelBuilder b("reverse");
    const uint32_t in = b.AddBuffer({"x", DType::kI32, kRows * columns, Access::kRead});
    const uint32_t out = b.AddBuffer({"y", DType::kI32, kRows * columns, Access::kWrite});
    const uint32_t scratch = b.AddScratch({"row", DType::kI32, columns, Access::kReadWrite});
    b.For(ForStatement::Kind::kParallel, kRows, [&](Var row) {
      b.For(ForStatement::Kind::kSequential, columns,
            [&](Var j) { b.Store(scratch, j, b.Load(in, b.Linearize({row, j}, {columns, 1}))); });
      b.For(ForStatement::Kind::kSequential, columns, [&](Var j) {
        const Var mirrored = b.Apply(ScalarOp::kSubtract, {b.Index(columns - 1), j});
        b.Store(out, b.Linearize({row, j}, {columns, 1}), b.Load(scratch, mirrored));
      });
    });
    std::vector<int32_t> x(kRows * columns);
    std::iota(x.begin(), x.end(), 0);
    const auto results = RunPlan(PlanOf(b.Finish()), {BytesOf(x)}, 3);
    ASSERT_TRUE(results.ok()) << results.status();
    const std::vector<int32_t> y = ValuesOf<int32_t>((*results)[0]);
    for (int64_t i = 0; i < kRows * columns; ++i) {
      ASSERT_EQ(y[i], i / columns * columns + (columns - 1 - i % columns));
    }
  }
}

TEST(CpuKernelTest, InPlaceUpdateThroughOneSlice) {
  constexpr int64_t kCount = 1000;
  Kernel kernel =
      MapKernel("double", DType::kF32, DType::kF32, kCount,
                [](KernelBuilder& b, Var x) { return b.Apply(ScalarOp::kAdd, {x, x}); });
  Plan plan = PlanOf(std::move(kernel));
  PlanFunction& main = plan.functions[0];
  const Slice result = SliceOf(Slice::Space::kResult, 0, main.results[0]);
  const Slice argument = SliceOf(Slice::Space::kArgument, 0, main.arguments[0]);
  main.steps = {{CopyStep{argument, result}, ""}, {LaunchStep{0, {result, result}}, ""}};
  const std::vector<float> x = Ramp(kCount, 1.0f);
  const auto results = RunPlan(plan, {BytesOf(x)});
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<float> y = ValuesOf<float>((*results)[0]);
  for (int64_t i = 0; i < kCount; ++i) EXPECT_EQ(y[i], 2 * x[i]);
}

// LLVM 19.1.7's SLP vectorizer loses factors of this one.
TEST(CpuKernelTest, StraightLineOuterProductsKeepEveryFactor) {
  KernelBuilder b("outer_products");
  const uint32_t x = b.AddBuffer({"x", DType::kI64, 6, BufferParameter::Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kI64, 6, BufferParameter::Access::kRead});
  const uint32_t out = b.AddBuffer({"out", DType::kI64, 18, BufferParameter::Access::kWrite});
  for (int64_t i = 0; i < 18; ++i) {
    const Var left = b.Load(x, b.Index(i / 3));
    const Var right = b.Load(y, b.Index(i % 3 * 2 + i / 9));
    b.Store(out, b.Index(i), b.Apply(ScalarOp::kMultiply, {right, left}));
  }
  const auto results =
      RunPlan(PlanOf(b.Finish()), {BytesOf(std::vector<int64_t>{2, 3, 5, 7, 11, 13}),
                                   BytesOf(std::vector<int64_t>{17, 19, 23, 29, 31, 37})});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(ValuesOf<int64_t>((*results)[0]),
            (std::vector<int64_t>{34, 46, 62, 51, 69, 93, 85, 115, 155,  //
                                  133, 203, 259, 209, 319, 407, 247, 377, 481}));
}

// LLVM makes a call of fmaxf of it.
TEST(CpuKernelTest, TheGreaterOfTwoHalvesNeedsNoUnknownFunction) {
  KernelBuilder b("greater");
  const uint32_t x = b.AddBuffer({"x", DType::kF16, 1, BufferParameter::Access::kRead});
  const uint32_t out = b.AddBuffer({"out", DType::kF16, 1, BufferParameter::Access::kWrite});
  const Var value = b.Convert(DType::kF32, b.Load(x, b.Index(0)));
  const Var bound = b.ConstantFloat(DType::kF32, 2.25);
  const Var greater = b.Select(b.Apply(ScalarOp::kGt, {value, bound}), value, bound);
  b.Store(out, b.Index(0), b.Convert(DType::kF16, greater));
  const auto results = RunPlan(PlanOf(b.Finish()), {BytesOf(std::vector<uint16_t>{0x4200})});  // 3
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(ValuesOf<uint16_t>((*results)[0]), std::vector<uint16_t>{0x4200});
}

TEST(CpuKernelTest, RunsFromManyThreadsAtOnce) {
  constexpr int64_t kCount = 300'001;
  const Plan plan = PlanOf(SeluKernel(kCount));
  const auto module = CompileAndLoad(plan);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string x = BytesOf(Ramp(kCount, 0.01f));
  const auto expected = RunModule(**module, plan, {x});
  ASSERT_TRUE(expected.ok()) << expected.status();
  std::vector<int> same(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 10; ++repeat) {
        const auto results = RunModule(**module, plan, {x}, 1 + t % 2);
        same[t] += results.ok() && *results == *expected;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 10));
}

TEST(CpuKernelTest, CompilesOnManyThreadsAtOnce) {
  const Plan plan = PlanOf(SeluKernel(100));
  std::vector<std::string> objects(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto object = CompileForHost(plan);
      if (object.ok()) objects[t] = *object;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& object : objects) {
    EXPECT_FALSE(object.empty());
    EXPECT_EQ(object, objects[0]);
  }
}

}  // namespace
}  // namespace acceld::kernels::cpu
