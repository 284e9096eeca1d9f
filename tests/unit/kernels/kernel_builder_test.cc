#include "kernels/ir/build/kernel_builder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/ir/analysis/verify_kernel.h"
#include "kernels/ir/interpreter/run_kernel.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"

namespace acceld::kernels {
namespace {

using ::testing::HasSubstr;
using Kind = ForStatement::Kind;

size_t NumStatements(const Kernel& kernel) { return kernel.body.size(); }

TEST(KernelBuilder, FoldsConstantIndexArithmetic) {
  KernelBuilder b("k");
  const Var sum = b.Apply(ScalarOp::kAdd, {b.Index(3), b.Index(4)});
  const Var product = b.Apply(ScalarOp::kMultiply, {sum, b.Index(6)});
  EXPECT_EQ(b.ConstantBits(product), absl::optional<uint64_t>(42));
}

TEST(KernelBuilder, DropsIdentities) {
  KernelBuilder b("k");
  b.For(Kind::kSequential, 10, [&](Var i) {
    EXPECT_EQ(b.Apply(ScalarOp::kAdd, {i, b.Index(0)}), i);
    EXPECT_EQ(b.Apply(ScalarOp::kMultiply, {i, b.Index(1)}), i);
    EXPECT_EQ(b.Apply(ScalarOp::kMultiply, {i, b.Index(0)}), b.Index(0));
    EXPECT_EQ(b.Apply(ScalarOp::kMin, {i, b.Index(9)}), i);
    EXPECT_EQ(b.ConstantBits(b.Apply(ScalarOp::kLt, {i, b.Index(10)})),
              absl::optional<uint64_t>(1));
  });
}

TEST(KernelBuilder, KeepsFloatArithmeticAsWritten) {
  KernelBuilder b("k");
  const Var x = b.ConstantFloat(DType::kF32, 1.5);
  EXPECT_NE(b.Apply(ScalarOp::kAdd, {x, b.ConstantFloat(DType::kF32, 0)}), x);
}

TEST(KernelBuilder, DelinearizesWhatItLinearized) {
  KernelBuilder b("k");
  b.ForEach(Kind::kParallel, {4, 5, 6}, [&](absl::Span<const Var> v) {
    const Var linear = b.Linearize(v, {30, 6, 1});
    EXPECT_EQ(b.Delinearize(linear, {4, 5, 6}), std::vector<Var>(v.begin(), v.end()));
  });
}

TEST(KernelBuilder, ReusesValuesOfEnclosingBlocksOnly) {
  KernelBuilder b("k");
  const uint32_t in = b.AddBuffer({"in", DType::kI64, 8, BufferParameter::Access::kRead});
  const Var x = b.Load(in, b.Index(0));
  Var inner = 0;
  b.For(Kind::kSequential, 3, [&](Var) {
    EXPECT_EQ(b.Load(in, b.Index(0)), x);
    inner = b.Apply(ScalarOp::kNegate, {x});
    EXPECT_EQ(b.Apply(ScalarOp::kNegate, {x}), inner);
  });
  EXPECT_NE(b.Apply(ScalarOp::kNegate, {x}), inner);
  EXPECT_TRUE(VerifyKernel(b.Finish()).ok());
}

TEST(KernelBuilder, LoadsWrittenMemoryAgain) {
  KernelBuilder b("k");
  const uint32_t out = b.AddBuffer({"out", DType::kF32, 8, BufferParameter::Access::kReadWrite});
  EXPECT_NE(b.Load(out, b.Index(0)), b.Load(out, b.Index(0)));
}

TEST(KernelBuilder, BuildsOnlyTheBranchTaken) {
  KernelBuilder b("k");
  b.If(
      b.ConstantInt(DType::kI1, 0),
      [&] {
        ADD_FAILURE();
        return std::vector<Var>{b.Index(1)};
      },
      [&] { return std::vector<Var>{b.Index(2)}; });
  EXPECT_EQ(NumStatements(b.Finish()), 2u);  // the condition and the value
}

TEST(KernelBuilder, NarrowFloatsSurviveARoundTripUnchanged) {
  KernelBuilder b("k");
  const uint32_t in = b.AddBuffer({"in", DType::kF16, 8, BufferParameter::Access::kRead});
  const Var x = b.Load(in, b.Index(0));
  EXPECT_EQ(b.Convert(DType::kF16, b.Convert(DType::kF32, x)), x);
}

Kernel DoublingKernel(int64_t extent) {
  KernelBuilder b("double_it");
  const uint32_t in = b.AddBuffer({"in", DType::kI32, 4, BufferParameter::Access::kRead});
  const uint32_t out = b.AddBuffer({"out", DType::kI32, 4, BufferParameter::Access::kWrite});
  b.For(Kind::kParallel, extent, [&](Var i) {
    const Var x = b.Load(in, i);
    b.Store(out, i, b.Apply(ScalarOp::kAdd, {x, x}));
  });
  return b.Finish();
}

TEST(KernelText, ShowsBuffersLoopsAndStatements) {
  EXPECT_EQ(ToString(DoublingKernel(4)),
            "kernel double_it(in: read i32[4], out: write i32[4]) {\n"
            "  parallel %0 < 4 {\n"
            "    %1: i32 = load in[%0]\n"
            "    %2: i32 = add %1, %1\n"
            "    store out[%0] = %2\n"
            "  }\n"
            "}\n");
}

TEST(KernelText, ShowsLoopsWithConditions) {
  EXPECT_EQ(ToString(HalvingsKernel(4, 0)),
            "kernel halvings(x: read i32[4], y: write i32[4]) {\n"
            "  parallel %0 < 4 {\n"
            "    %1: i32 = load x[%0]\n"
            "    %2: i32 = constant 0\n"
            "    while carries %3 = %2, %4 = %1 {\n"
            "      %5: i1 = ne %4, %2\n"
            "    } %5 do {\n"
            "      %6: i32 = constant 1\n"
            "      %7: i32 = add %3, %6\n"
            "      %8: i32 = constant 2\n"
            "      %9: i32 = div %4, %8\n"
            "      next %3 = %7\n"
            "      next %4 = %9\n"
            "    } gives %10, %11\n"
            "    store y[%0] = %10\n"
            "  }\n"
            "}\n");
}

TEST(RunKernel, LoopsUntilTheConditionFails) {
  const int32_t x[4] = {0, 1, 7, -8}, halvings[4] = {0, 1, 3, 4};
  std::string in(reinterpret_cast<const char*>(x), sizeof x), out(sizeof x, '\0');
  EXPECT_TRUE(RunKernel(HalvingsKernel(4, 0), {&in, &out}).ok());
  EXPECT_EQ(out, std::string(reinterpret_cast<const char*>(halvings), sizeof halvings));
}

TEST(RunKernel, RefusesIndicesOutOfBounds) {
  std::string in(16, '\1'), out(16, '\0');
  EXPECT_TRUE(RunKernel(DoublingKernel(4), {&in, &out}).ok());
  EXPECT_EQ(out, std::string(16, '\2'));
  const absl::Status status = RunKernel(DoublingKernel(5), {&in, &out});
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("in[4] of 4 elements"));
}

TEST(VerifyKernel, RefusesAValueUsedOutsideItsBlock) {
  KernelBuilder b("k");
  Var inner = 0;
  b.For(Kind::kSequential, 3, [&](Var i) { inner = b.Apply(ScalarOp::kNegate, {i}); });
  Kernel kernel = b.Finish();
  kernel.var_types.push_back(DType::kI64);
  kernel.body.push_back(
      {ScalarStatement{static_cast<Var>(kernel.var_types.size() - 1), ScalarOp::kNegate, {inner}}});
  EXPECT_FALSE(VerifyKernel(kernel).ok());
}

TEST(VerifyKernel, RefusesAValueOfAConditionInItsLoop) {
  KernelBuilder b("k");
  Var inside = 0;
  b.While(
      {b.Index(3)},
      [&](absl::Span<const Var> current) {
        inside = b.Apply(ScalarOp::kNegate, {current[0]});
        return b.Apply(ScalarOp::kLt, {inside, b.Index(0)});
      },
      [&](absl::Span<const Var>) { return std::vector<Var>{inside}; });
  EXPECT_FALSE(VerifyKernel(b.Finish()).ok());
}

TEST(VerifyKernel, RefusesArithmeticOnNarrowFloats) {
  KernelBuilder b("k");
  const uint32_t in = b.AddBuffer({"in", DType::kBF16, 8, BufferParameter::Access::kRead});
  b.Apply(ScalarOp::kNegate, {b.Load(in, b.Index(0))});
  EXPECT_FALSE(VerifyKernel(b.Finish()).ok());
}

}  // namespace
}  // namespace acceld::kernels
