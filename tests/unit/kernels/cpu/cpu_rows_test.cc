// Rows that go through several loops, the last of which writes them to memory.

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/cpu/emit/llvm_passes/stream_stores.h"
#include "kernels/cpu/emit/nests/overlap_rows.h"
#include "kernels/ir/analysis/verify_kernel.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

using Values = absl::Span<const Var>;

struct RowsShape {
  int64_t rows, columns;
  constexpr int64_t size() const { return rows * columns; }
};

// Large enough for the writing to matter.
constexpr RowsShape kLarge{8192, 520};
static_assert(4 * kLarge.size() >= kMinStreamedBytes);

// What may be different about the kernel below.
struct RowsOptions {
  bool computes = true;             // exponentials
  bool stores_after_first = false;  // scratch is stored by a loop before the one that computes most
};

// p = exp(x - max(x)), s = sum(p), z = sum(p y), out = p / s + z y, for each row.
Kernel RowsKernel(RowsShape shape, RowsOptions options = {}) {
  KernelBuilder b("rows");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, shape.size(), Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, shape.size(), Access::kRead});
  const uint32_t out = b.AddBuffer({"out", DType::kF32, shape.size(), Access::kWrite});
  const uint32_t kept =
      b.AddScratch({"kept", DType::kF32, shape.columns, BufferParameter::Access::kReadWrite});
  b.For(ForStatement::Kind::kParallel, shape.rows, [&](Var row) {
    const auto At = [&](Var column) { return b.Linearize({row, column}, {shape.columns, 1}); };
    const auto Reduce = [&](double initial, const std::function<Var(Var, Var)>& step) {
      return b.For(ForStatement::Kind::kReduction, shape.columns,
                   {b.ConstantFloat(DType::kF32, initial)},
                   [&](Var column, Values current) -> std::vector<Var> {
                     return {step(column, current[0])};
                   })[0];
    };
    const Var max = Reduce(-INFINITY, [&](Var column, Var current) {
      const Var value = b.Load(x, At(column));
      if (options.stores_after_first) b.Store(kept, column, value);
      return b.Apply(ScalarOp::kMax, {current, value});
    });
    const Var sum = Reduce(0, [&](Var column, Var current) {
      const Var less = b.Apply(ScalarOp::kSubtract, {b.Load(x, At(column)), max});
      const Var p = options.computes ? b.Apply(ScalarOp::kExp, {less}) : less;
      b.Store(kept, column, p);
      return b.Apply(ScalarOp::kAdd, {current, p});
    });
    const Var dot = Reduce(0, [&](Var column, Var current) {
      const Var product =
          b.Apply(ScalarOp::kMultiply, {b.Load(kept, column), b.Load(y, At(column))});
      return b.Apply(ScalarOp::kAdd, {current, product});
    });
    b.For(ForStatement::Kind::kParallel, shape.columns, [&](Var column) {
      const Var share = b.Apply(ScalarOp::kDivide, {b.Load(kept, column), sum});
      const Var product = b.Apply(ScalarOp::kMultiply, {dot, b.Load(y, At(column))});
      b.Store(out, At(column), b.Apply(ScalarOp::kAdd, {share, product}));
    });
  });
  return b.Finish();
}

std::vector<float> Expected(RowsShape shape, const std::vector<float>& x,
                            const std::vector<float>& y) {
  std::vector<float> out(shape.size());
  for (int64_t row = 0; row < shape.rows; ++row) {
    const int64_t at = row * shape.columns;
    const float max = *std::max_element(&x[at], &x[at] + shape.columns);
    double sum = 0, dot = 0;
    for (int64_t i = at; i < at + shape.columns; ++i) {
      sum += std::exp(double{x[i] - max});
      dot += std::exp(double{x[i] - max}) * y[i];
    }
    for (int64_t i = at; i < at + shape.columns; ++i) {
      out[i] = static_cast<float>(std::exp(double{x[i] - max}) / sum + dot * y[i]);
    }
  }
  return out;
}

absl::optional<Kernel> Overlapped(const Kernel& kernel, BufferFacts facts = {}) {
  return OverlapRows(kernel, std::vector<BufferFacts>(kernel.buffers.size(), facts));
}

// The same machine's target, and one of its kind that has shorter vectors.
std::vector<CpuTarget> Targets() {
  CpuTarget target = CpuTarget::Host();
  std::vector<CpuTarget> targets = {target};
  const size_t has_wide = target.features.find("+avx512f");
  if (has_wide == std::string::npos) return targets;
  for (size_t at = 0; (at = target.features.find("+avx512", at)) != std::string::npos;) {
    target.features[at] = '-';
  }
  target.cpu = "x86-64-v3";
  targets.push_back(target);
  return targets;
}

TEST(OverlappedRows, AreWhatTheyWouldBeOneAfterTheOther) {
  std::vector<float> x(kLarge.size()), y(kLarge.size());
  uint32_t state = 1;
  for (int64_t i = 0; i < kLarge.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = static_cast<float>(state >> 16) * 0x1p-13f;
    y[i] = static_cast<float>(state & 0xFFFF) * 0x1p-16f;
  }
  const std::vector<float> expected = Expected(kLarge, x, y);
  const Plan plan = PlanOf(RowsKernel(kLarge));
  ASSERT_TRUE(Overlapped(plan.kernels[0]).has_value());
  for (const CpuTarget& target : Targets()) {
    const auto object = CpuCompiler(target).Compile(plan);
    ASSERT_TRUE(object.ok()) << object.status();
    const auto module = CpuModule::Load(*object);
    ASSERT_TRUE(module.ok()) << module.status();
    std::string of_one_thread;
    for (const int threads : {1, 3}) {
      const auto results = RunModule(**module, plan, {BytesOf(x), BytesOf(y)}, threads);
      ASSERT_TRUE(results.ok()) << results.status();
      const std::vector<float> out = ValuesOf<float>((*results)[0]);
      int64_t wrong = 0;
      for (int64_t i = 0; i < kLarge.size(); ++i) {
        wrong += std::abs(out[i] - expected[i]) <= 2e-6f * std::abs(expected[i]) ? 0 : 1;
      }
      EXPECT_EQ(wrong, 0) << target.cpu << ", " << threads << " threads";
      if (of_one_thread.empty()) of_one_thread = (*results)[0];
      EXPECT_TRUE((*results)[0] == of_one_thread) << target.cpu;
    }
  }
}

TEST(OverlappedRows, AreWrittenByTheLoopThatComputesMost) {
  const absl::optional<Kernel> overlapped = Overlapped(RowsKernel(kLarge));
  ASSERT_TRUE(overlapped.has_value());
  EXPECT_TRUE(VerifyKernel(*overlapped).ok()) << VerifyKernel(*overlapped);
  const std::string text = ToString(*overlapped);
  const size_t maximum = text.find(" max "), division = text.find(" div "),
               exponential = text.find(" exp ");
  ASSERT_NE(maximum, std::string::npos);
  EXPECT_LT(maximum, division);
  EXPECT_LT(division, exponential);
  EXPECT_EQ(text.substr(division, exponential - division).find("}"), std::string::npos) << text;
}

TEST(OverlappedRows, AreLargeComputedAndNobodyElses) {
  EXPECT_FALSE(Overlapped(RowsKernel({4096, 520})).has_value());
  EXPECT_FALSE(Overlapped(RowsKernel({8191, 1024})).has_value());
  EXPECT_FALSE(Overlapped(RowsKernel(kLarge), {.no_alias = false}).has_value());
  EXPECT_FALSE(Overlapped(RowsKernel(kLarge, {.computes = false})).has_value());
}

TEST(OverlappedRows, DoNotLoseWhatTheOneBeforeHasKept) {
  EXPECT_FALSE(Overlapped(RowsKernel(kLarge, {.stores_after_first = true})).has_value());
}

}  // namespace
}  // namespace acceld::kernels::cpu
