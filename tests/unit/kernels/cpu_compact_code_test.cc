// Loops whose lengths are known become no more code than they need.

#include <cmath>

#include "gtest/gtest.h"
#include "kernels/cpu/emit/tile_nest.h"
#include "tests/unit/kernels/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu_runner.h"

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

#if defined(__x86_64__) || defined(__aarch64__)
TEST(CompactCode, EvenTilesAreVectorsOnly) {
  CpuDumps dumps;
  const auto code = CompilePlan(PlanOf(ExpKernel(1'000'000)), CpuTarget::Host(), &dumps);
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_NE(dumps.optimized_llvm_ir.find("x float> @llvm.fma"), std::string::npos);
  EXPECT_EQ(dumps.optimized_llvm_ir.find("call float @llvm.fma"), std::string::npos);
}
#endif

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
