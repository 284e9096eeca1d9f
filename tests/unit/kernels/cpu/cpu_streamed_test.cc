// Results that are too large for caches.

#include "gtest/gtest.h"
#include "kernels/cpu/emit/llvm_passes/stream_stores.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

constexpr int64_t kFloats = kMinStreamedBytes / 4;

// y[i + shift] = 2 x[i].
Kernel ShiftKernel(int64_t n, int64_t shift) {
  KernelBuilder b("shift");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, n, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, n + shift, Access::kWrite});
  b.For(ForStatement::Kind::kParallel, n, [&](Var i) {
    const Var value = b.Load(x, i);
    b.Store(y, b.Apply(ScalarOp::kAdd, {i, b.Index(shift)}),
            b.Apply(ScalarOp::kAdd, {value, value}));
  });
  return b.Finish();
}

bool IsStreamed(const Kernel& kernel) {
  CpuDumps dumps;
  const auto code = CompileForHost(PlanOf(kernel), &dumps);
  EXPECT_TRUE(code.ok()) << code.status();
  return dumps.optimized_llvm_ir.find("!nontemporal") != std::string::npos;
}

void ExpectShifted(int64_t n, int64_t shift) {
  std::vector<float> x(n);
  for (int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 1021);
  for (int threads : {1, 3}) {
    const auto results = RunPlan(PlanOf(ShiftKernel(n, shift)), {BytesOf(x)}, threads);
    ASSERT_TRUE(results.ok()) << results.status();
    const std::vector<float> y = ValuesOf<float>((*results)[0]);
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; ++i) wrong += y[i + shift] == 2 * x[i] ? 0 : 1;
    EXPECT_EQ(wrong, 0) << n << " shifted by " << shift << ", " << threads << " threads";
  }
}

TEST(StreamedStores, WriteWhatOthersWould) {
  for (const int64_t n : {kFloats, kFloats + 1, kFloats + 77}) {
    for (const int64_t shift : {0, 1, 16}) ExpectShifted(n, shift);
  }
}

#if defined(__x86_64__)
TEST(StreamedStores, AreForLargeResultsAtAlignedAddresses) {
  EXPECT_TRUE(IsStreamed(ShiftKernel(kFloats, 0)));
  EXPECT_TRUE(IsStreamed(ShiftKernel(kFloats + 5, 16)));
  EXPECT_FALSE(IsStreamed(ShiftKernel(kFloats, 1)));
  EXPECT_FALSE(IsStreamed(ShiftKernel(kFloats - 1, 0)));
}
#endif

}  // namespace
}  // namespace acceld::kernels::cpu
