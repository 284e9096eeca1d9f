// Scans: the threads of a block go through a row together, or each through a column of its own.

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/lowering/lower.h"
#include "tests/unit/kernels/buffers.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cuda/cuda_runner.h"
#include "tests/unit/kernels/lowering/lowering_test_util.h"

namespace acceld::kernels::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Scan {
  DType dtype;
  ir::Dims dims;
  int64_t dimension = 0;
  bool reverse = false;
  ir::OpKind kind = ir::OpKind::kAdd;
  double initial = 0;
};

// As they reach us: a window over a whole axis.
Kernel KernelOf(const Scan& scan) {
  ir::FunctionBuilder b("main");
  const ir::ValueId x = b.AddParameter(ir::TensorType{scan.dtype, scan.dims});
  const ir::ValueId initial = b.Constant(ir::Literal::Filled({scan.dtype, {}}, scan.initial));
  ir::WindowAttributes window;
  window.window_dimensions.assign(scan.dims.size(), 1);
  const int64_t size = window.window_dimensions[scan.dimension] = scan.dims[scan.dimension];
  window.padding.pairs.assign(scan.dims.size(), {0, 0});
  auto& padding = window.padding.pairs[scan.dimension];
  (scan.reverse ? padding.second : padding.first) = size - 1;
  std::vector<ir::Region> regions;
  regions.push_back(ir::BinaryRegion(b, scan.kind, scan.dtype));
  const auto results = b.Add(ir::OpKind::kReduceWindow, {x, initial}, window, std::move(regions));
  EXPECT_TRUE(results.ok()) << results.status();
  const ir::Function function = b.Finish(*results);
  const auto lowered = Lower(function, function.body.ops.back(), "scan");
  EXPECT_TRUE(lowered.ok()) << lowered.status();
  return lowered->kernels.at(0);
}

TEST(CudaScansTest, ResultsAreThoseOfLoops) {
  std::vector<Kernel> kernels;
  for (const int64_t size : {2, 31, 32, 33, 127, 128, 129, 1000, 4099}) {
    kernels.push_back(KernelOf({DType::kI32, {size}}));
    kernels.push_back(KernelOf({DType::kI32, {2, size}, 1, true}));
  }
  // Every width of registers, and what is narrower than its register.
  for (const DType dtype : {DType::kI4, DType::kUI8, DType::kI16, DType::kUI32, DType::kI64}) {
    kernels.push_back(KernelOf({dtype, {3, 300}, 1}));
    kernels.push_back(KernelOf({dtype, {300, 40}, 0, true}));
  }
  kernels.push_back(KernelOf({DType::kI1, {500}, 0, false, ir::OpKind::kOr}));
  kernels.push_back(KernelOf({DType::kI1, {500}, 0, true, ir::OpKind::kAnd, 1}));
  kernels.push_back(KernelOf({DType::kI64, {700}, 0, false, ir::OpKind::kMultiply, 1}));
  const double infinity = std::numeric_limits<double>::infinity();
  for (const DType dtype : {DType::kF16, DType::kF32, DType::kF64}) {
    kernels.push_back(KernelOf({dtype, {2, 500}, 1, false, ir::OpKind::kMaximum, -infinity}));
    kernels.push_back(KernelOf({dtype, {90, 2, 9}, 0, true, ir::OpKind::kMinimum, infinity}));
  }
  // Short rows, few columns, columns that are no multiple of anything, and outer dimensions.
  kernels.push_back(KernelOf({DType::kI32, {600, 5}, 1}));
  kernels.push_back(KernelOf({DType::kI32, {600, 3}, 0}));
  kernels.push_back(KernelOf({DType::kI32, {67, 521}, 0}));
  kernels.push_back(KernelOf({DType::kI32, {4, 61, 40}, 1, true}));
  std::vector<const Kernel*> all;
  for (const Kernel& kernel : kernels) all.push_back(&kernel);
  const auto module = testing::CudaHostModule::Compile(all);
  ASSERT_TRUE(module.ok()) << module.status();
  for (size_t i = 0; i < kernels.size(); ++i) {
    SCOPED_TRACE(ToString(kernels[i]));
    ExpectAsInterpreted(**module, i, kernels[i]);
  }
}

TEST(CudaScansTest, SumsOfComplexNumbersAreScansOfTheirParts) {
  const Kernel kernel = KernelOf({DType::kC64, {2, 333}, 1});
  EXPECT_THAT(PrintKernel(kernel).source, HasSubstr("BlockSums("));
  const ir::TensorType type{DType::kC64, {2, 333}};
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    ir::WriteComplex(DType::kC64, bytes.data(), i, {static_cast<double>(i % 9), i % 5 - 2.0});
  }
  std::string argument = bytes, initial(8, '\0'), expected(bytes.size(), '\0');
  std::string* buffers[] = {&argument, &initial, &expected};
  ASSERT_TRUE(RunKernel(kernel, buffers).ok());
  EXPECT_EQ(RunAlone(kernel, {bytes, initial}), expected);
}

TEST(CudaScansTest, ABlockTakesARowAndAThreadAColumn) {
  const CudaKernel one = PrintKernel(KernelOf({DType::kF32, {100'000}}));
  EXPECT_EQ(one.blocks, 1);
  EXPECT_EQ(one.threads, 1024);
  EXPECT_THAT(one.source, HasSubstr("BlockSums("));
  // Many blocks are small ones.
  const CudaKernel rows = PrintKernel(KernelOf({DType::kF32, {1000, 4096}, 1}));
  EXPECT_EQ(rows.blocks, 1000);
  EXPECT_EQ(rows.threads, 256);
  EXPECT_THAT(rows.source, HasSubstr("BlockSums("));
  const CudaKernel short_rows = PrintKernel(KernelOf({DType::kF32, {100'000, 40}, 1}));
  EXPECT_EQ(short_rows.blocks, 4096);
  EXPECT_EQ(short_rows.threads, 32);
  const CudaKernel columns = PrintKernel(KernelOf({DType::kF32, {1000, 4096}, 0}));
  EXPECT_EQ(columns.blocks, 16);
  EXPECT_EQ(columns.threads, 256);
  EXPECT_THAT(columns.source, Not(HasSubstr("BlockSums(")));
  EXPECT_THAT(columns.source, Not(HasSubstr("folds")));
  EXPECT_FALSE(columns.has_barriers);
}

// Adding in order would be off by up to a hundred units in the last place.
TEST(CudaScansTest, SumsLoseNoRoundingWhateverTheirLength) {
  const Scan scans[] = {
      {DType::kF32, {70'001}}, {DType::kF32, {3, 4099}, 1, true}, {DType::kF32, {9001, 5}}};
  std::vector<Kernel> kernels;
  for (const Scan& scan : scans) kernels.push_back(KernelOf(scan));
  std::vector<const Kernel*> all;
  for (const Kernel& kernel : kernels) all.push_back(&kernel);
  const auto module = testing::CudaHostModule::Compile(all);
  ASSERT_TRUE(module.ok()) << module.status();
  for (size_t k = 0; k < kernels.size(); ++k) {
    const Scan& scan = scans[k];
    const int64_t count = ir::TensorType{scan.dtype, scan.dims}.num_elements();
    const int64_t columns = scan.dimension == 0 && scan.dims.size() == 2 ? scan.dims[1] : 1;
    std::vector<float> x(count);
    for (int64_t i = 0; i < count; ++i) x[i] = static_cast<float>(i * 7919 % 10007) / 10007;
    const std::string result =
        RunOn(**module, k, kernels[k], {BytesOf(x), std::string(sizeof(float), '\0')});
    const std::vector<float> sums = ValuesOf<float>(result);
    std::vector<double> exact(x.begin(), x.end());
    const int64_t row = scan.dimension == 1 ? scan.dims[1] : count;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = scan.reverse ? count - 1 - i : i;
      const int64_t before = scan.reverse ? at + columns : at - columns;
      if (i % row >= columns) exact[at] += exact[before];
    }
    double squares = 0;
    for (int64_t i = 0; i < count; ++i) {
      const auto rounded = static_cast<float>(exact[i]);
      squares += std::pow((sums[i] - exact[i]) / (std::nextafterf(rounded, INFINITY) - rounded), 2);
    }
    EXPECT_LT(std::sqrt(squares / static_cast<double>(count)), 0.7) << "scan " << k;
  }
}

// y[i] = what is carried before i: nothing that threads could share.
TEST(CudaScansTest, WhatNeedsWhatIsCarriedIsOneThreads) {
  KernelBuilder b("exclusive");
  const uint32_t x = b.AddBuffer({"x", DType::kI32, 500, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kI32, 500, Access::kWrite});
  b.For(ForStatement::Kind::kScan, 500, {b.Constant(DType::kI32, 0)},
        [&](Var i, absl::Span<const Var> current) -> std::vector<Var> {
          b.Store(y, i, current[0]);
          return {b.Apply(ScalarOp::kAdd, {current[0], b.Load(x, i)})};
        });
  const Kernel kernel = b.Finish();
  EXPECT_THAT(PrintKernel(kernel).source, Not(HasSubstr("BlockScan(")));
  const auto module = testing::CudaHostModule::Compile({&kernel});
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectAsInterpreted(**module, 0, kernel);
}

}  // namespace
}  // namespace acceld::kernels::cuda
