// Loops that write parts of one buffer: all blocks share them where the parts have nothing in
// common.

#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cuda/cuda_runner.h"

namespace acceld::kernels::cuda {
namespace {

constexpr auto kParallel = ForStatement::Kind::kParallel;

struct Part {
  int64_t start, size;
};

// y[i, start + j] = x[i, j] for each part in turn, where a row of y has `columns` elements.
Kernel PartsKernel(int64_t rows, int64_t columns, const std::vector<Part>& parts) {
  KernelBuilder b("parts");
  std::vector<uint32_t> in;
  for (size_t i = 0; i < parts.size(); ++i) {
    in.push_back(
        b.AddBuffer({"x" + std::to_string(i), DType::kI32, rows * parts[i].size, Access::kRead}));
  }
  const uint32_t y = b.AddBuffer({"y", DType::kI32, rows * columns, Access::kWrite});
  for (size_t i = 0; i < parts.size(); ++i) {
    b.ForEach(kParallel, {rows, parts[i].size}, [&](absl::Span<const Var> at) {
      b.Store(y, b.Linearize(at, {columns, 1}, parts[i].start),
              b.Load(in[i], b.Linearize(at, {parts[i].size, 1})));
    });
  }
  return b.Finish();
}

TEST(CudaApartTest, PartsWithNothingInCommonAreSharedByAllBlocks) {
  // In rows, and one after the other.
  const Kernel kernels[] = {PartsKernel(100, 50, {{0, 20}, {20, 27}, {47, 3}}),
                            PartsKernel(1, 5000, {{3000, 2000}, {0, 3000}})};
  const auto module = testing::CudaHostModule::Compile({&kernels[0], &kernels[1]});
  ASSERT_TRUE(module.ok()) << module.status();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_GT(PrintKernel(kernels[i]).blocks, 1);
    EXPECT_FALSE(PrintKernel(kernels[i]).has_barriers);
    ExpectAsInterpreted(**module, i, kernels[i]);
  }
}

TEST(CudaApartTest, PartsThatOverlapAreWrittenInOrder) {
  const Kernel kernels[] = {PartsKernel(100, 50, {{0, 21}, {20, 30}}),
                            PartsKernel(1, 5000, {{2999, 2001}, {0, 3000}})};
  const auto module = testing::CudaHostModule::Compile({&kernels[0], &kernels[1]});
  ASSERT_TRUE(module.ok()) << module.status();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(PrintKernel(kernels[i]).blocks, 1);
    EXPECT_TRUE(PrintKernel(kernels[i]).has_barriers);
    ExpectAsInterpreted(**module, i, kernels[i]);
  }
}

TEST(CudaApartTest, WhatAnotherPartReadsIsWaitedFor) {
  // y[i] = i, then y[100 + i] = y[99 - i].
  KernelBuilder b("mirror");
  const uint32_t y = b.AddBuffer({"y", DType::kI64, 200, Access::kReadWrite});
  b.For(kParallel, 100, [&](Var i) { b.Store(y, i, i); });
  b.For(kParallel, 100, [&](Var i) {
    const Var from = b.Apply(ScalarOp::kSubtract, {b.Index(99), i});
    b.Store(y, b.Apply(ScalarOp::kAdd, {i, b.Index(100)}), b.Load(y, from));
  });
  const Kernel kernel = b.Finish();
  EXPECT_EQ(PrintKernel(kernel).blocks, 1);
  EXPECT_TRUE(PrintKernel(kernel).has_barriers);
}

}  // namespace
}  // namespace acceld::kernels::cuda
