// Loops whose lengths are known become no more code than they need.

#include <cmath>

#include "gtest/gtest.h"
#include "kernels/cpu/emit/nests/tile_nest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

// y[i] = 2 exp(x[i]).
Kernel ExpKernel(int64_t n) {
  return MapKernel("exponentials", DType::kF32, DType::kF32, n, [](KernelBuilder& b, Var x) {
    const Var value = b.Apply(ScalarOp::kExp, {x});
    return b.Apply(ScalarOp::kAdd, {value, value});
  });
}

int64_t TileOf(const Kernel& kernel) {
  const auto nest = FindTileNest(kernel, std::get<ForStatement>(kernel.body.front().value));
  return nest.has_value() ? nest->tile_extent : 0;
}

TEST(CompactCode, TilesGoIntoTheLoopEvenlyWhereTheyCan) {
  for (const int64_t n : {int64_t{1} << 22, int64_t{1'000'000}, int64_t{64'000'000}}) {
    const int64_t tile = TileOf(ExpKernel(n));
    ASSERT_GT(tile, 0) << n;
    EXPECT_EQ(n % tile, 0) << n;
    EXPECT_EQ(tile % 16, 0) << n;
  }
  const int64_t prime = 1'000'003;
  EXPECT_EQ(TileOf(ExpKernel(prime)) % 64, 0);
}

// How often the optimized code of a plan says `text`.
int Count(const std::string& text, const Plan& plan) {
  CpuDumps dumps;
  EXPECT_TRUE(CompileForHost(plan, &dumps).ok());
  int count = 0;
  for (size_t at = 0; (at = dumps.optimized_llvm_ir.find(text, at)) != std::string::npos; ++at) {
    ++count;
  }
  return count;
}
int Count(const std::string& text, const Kernel& kernel) { return Count(text, PlanOf(kernel)); }

#if defined(__x86_64__) || defined(__aarch64__)
TEST(CompactCode, EvenTilesAreVectorsOnly) {
  EXPECT_GT(Count("x float> @llvm.fma", ExpKernel(1'000'000)), 0);
  EXPECT_EQ(Count("call float @llvm.fma", ExpKernel(1'000'000)), 0);
}

TEST(CompactCode, LoopsOfFunctionsAreNotInterleaved) {
  constexpr int kMostOfOneFunction = 10;
  EXPECT_LE(Count("= call <16 x float> @llvm.fma", ExpKernel(1 << 20)), kMostOfOneFunction);
  EXPECT_LE(Count("= call <8 x float> @llvm.fma", ExpKernel(1 << 20)), kMostOfOneFunction);
  EXPECT_LE(Count("= call <4 x float> @llvm.fma", ExpKernel(1 << 20)), kMostOfOneFunction);
}
#endif

#if defined(__aarch64__)
TEST(CompactCode, ProcessorsWithVectorsOfAnyLengthUseThoseOfAFixedLength) {
  CpuTarget target = CpuTarget::Host();
  target.cpu = "neoverse-v1";  // has SVE
  CpuDumps dumps;
  ASSERT_TRUE(CompilePlan(PlanOf(ExpKernel(1'000'000)), target, &dumps).ok());
  EXPECT_NE(dumps.optimized_llvm_ir.find("<4 x float>"), std::string::npos);
  EXPECT_EQ(dumps.optimized_llvm_ir.find("vscale"), std::string::npos);
}
#endif

TEST(CompactCode, APlanOfOneLoopIsItsEntryAndTheLoop) {
  EXPECT_EQ(Count("\ndefine ", ExpKernel(1'000'000)), 2);
}

TEST(CompactCode, AKernelThatIsLaunchedAgainIsNoFunctionOfItsOwn) {
  Plan plan = PlanOf(ExpKernel(1'000'000));
  Steps& steps = plan.functions[0].steps;
  steps.push_back(steps[0]);
  EXPECT_EQ(Count("\ndefine ", plan), 2);
  EXPECT_EQ(Count("call i32 @acceld_cpu_parallel_for_pointers", plan), 2);
}

TEST(CompactCode, OnlyFunctionsThatJustLaunchAreTranslatedQuickly) {
  for (const int64_t n : {16, 1'000'000}) {
    EXPECT_EQ(Count("; Function Attrs: noinline nounwind optnone\ndefine", ExpKernel(n)), 1) << n;
    EXPECT_EQ(Count("optnone\ndefine i32 @acceld_entry", ExpKernel(n)), 1) << n;
  }
}

// y[i] = op(op(...(x[i]))).
Kernel ChainKernel(ScalarOp op, int64_t n, int length) {
  return MapKernel("chain", DType::kF32, DType::kF32, n, [&](KernelBuilder& b, Var x) {
    for (int i = 0; i < length; ++i) x = b.Apply(op, {x});
    return x;
  });
}

TEST(CompactCode, ManyCallsOfAFunctionShareItsBodyAndItsResults) {
  constexpr int64_t kCount = 1003;
  constexpr int kLength = 40;
  std::vector<float> x(kCount);
  for (int64_t i = 0; i < kCount; ++i) x[i] = 0.01f * static_cast<float>(i - 500);
  for (const ScalarOp op : {ScalarOp::kSin, ScalarOp::kCos, ScalarOp::kLogistic, ScalarOp::kTanh}) {
    std::string expected = BytesOf(x);
    for (int i = 0; i < kLength; ++i) {
      const auto results = RunPlan(PlanOf(ChainKernel(op, kCount, 1)), {expected});
      ASSERT_TRUE(results.ok()) << results.status();
      expected = (*results)[0];
    }
    const Kernel many = ChainKernel(op, kCount, kLength);
    const auto results = RunPlan(PlanOf(many), {BytesOf(x)});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ((*results)[0], expected) << static_cast<int>(op);
    // Each multiplies.
    EXPECT_LT(Count(" = fmul ", many), 10 * Count(" = fmul ", ChainKernel(op, kCount, 1)));
    EXPECT_GE(Count(" @math.", many), kLength);
    EXPECT_EQ(Count("call float @math.", ChainKernel(op, kCount, 2)), 0);
  }
}

// y[i] = x0[0] + x0[i] + x1[i] + ...: the loop has a value from outside if `with_first`.
Kernel SumKernel(int64_t n, int num_buffers, bool with_first) {
  KernelBuilder b("sums");
  std::vector<uint32_t> xs;
  for (int k = 0; k < num_buffers; ++k) {
    xs.push_back(b.AddBuffer({"x" + std::to_string(k), DType::kF32, n, Access::kRead}));
  }
  const uint32_t y = b.AddBuffer({"y", DType::kF32, n, Access::kWrite});
  const Var first = with_first ? b.Load(xs[0], b.Index(0)) : b.ConstantFloat(DType::kF32, 0);
  b.For(ForStatement::Kind::kParallel, n, [&](Var i) {
    Var sum = first;
    for (uint32_t x : xs) sum = b.Apply(ScalarOp::kAdd, {sum, b.Load(x, i)});
    b.Store(y, i, sum);
  });
  return b.Finish();
}

TEST(CompactCode, LoopsOfManyBuffersAndOfValuesFromOutsideAreSpreadOverThreads) {
  constexpr int64_t kN = 4'000'000;
  for (const bool with_first : {false, true}) {
    for (const int num_buffers : {1, 5, 6, 30, 31, 40}) {
      const int64_t n = kN / num_buffers;
      std::vector<std::string> arguments;
      for (int k = 0; k < num_buffers; ++k) {
        arguments.push_back(BytesOf(std::vector<float>(n, static_cast<float>(k + 1))));
      }
      const auto results = RunPlan(PlanOf(SumKernel(n, num_buffers, with_first)), arguments, 3);
      ASSERT_TRUE(results.ok()) << results.status();
      const float expected =
          static_cast<float>(num_buffers * (num_buffers + 1) / 2 + (with_first ? 1 : 0));
      for (const float sum : ValuesOf<float>((*results)[0])) ASSERT_EQ(sum, expected);
    }
  }
}

TEST(CompactCode, WhatRemainsIsComputedToo) {
  for (const int64_t n : {1'000'003, 1'000'016, 999'999, 1'000'000}) {
    std::vector<float> x(n);
    for (int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 37) / 16;
    for (int threads : {1, 3}) {
      const auto results = RunPlan(PlanOf(ExpKernel(n)), {BytesOf(x)}, threads);
      ASSERT_TRUE(results.ok()) << results.status();
      const std::vector<float> y = ValuesOf<float>((*results)[0]);
      int64_t wrong = 0;
      for (int64_t i = 0; i < n; ++i) {
        const float expected = 2 * std::exp(x[i]);
        wrong += std::abs(y[i] - expected) <= 1e-6f * expected ? 0 : 1;
      }
      EXPECT_EQ(wrong, 0) << n << " elements, " << threads << " threads";
    }
  }
}

TEST(CompactCode, SumsThatAreToBeTakenInOrderStayInOrder) {
  constexpr int64_t kN = 4096;
  KernelBuilder b("in_order");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, kN, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, 1, Access::kWrite});
  const auto sums = b.For(ForStatement::Kind::kSequential, kN, {b.ConstantFloat(DType::kF32, 0)},
                          [&](Var i, absl::Span<const Var> current) -> std::vector<Var> {
                            return {b.Apply(ScalarOp::kAdd, {current[0], b.Load(x, i)})};
                          });
  b.Store(y, b.Index(0), sums[0]);
  // Ones are lost beside so large a number, and would not be beside each other.
  std::vector<float> values(kN, 1.0f);
  values[0] = 1e8f;
  const auto results = RunPlan(PlanOf(b.Finish()), {BytesOf(values)}, 1);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(ValuesOf<float>((*results)[0])[0], 1e8f);
}

TEST(CompactCode, SumsOfRowsOfAnyLengthAreComplete) {
  constexpr int64_t kRows = 300;
  for (const int64_t length : {5, 16, 37, 100, 1000, 4096, 4100, 15625}) {
    const auto results = RunPlan(PlanOf(RowSumKernel("sums", DType::kF32, kRows, length)),
                                 {BytesOf(std::vector<float>(kRows * length, 0.5f))}, 2);
    ASSERT_TRUE(results.ok()) << results.status();
    for (const float sum : ValuesOf<float>((*results)[0])) {
      ASSERT_EQ(sum, 0.5f * static_cast<float>(length));
    }
  }
}

}  // namespace
}  // namespace acceld::kernels::cpu
