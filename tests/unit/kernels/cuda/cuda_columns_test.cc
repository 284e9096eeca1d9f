// Reductions of columns: neighbouring threads take neighbouring columns, several threads each where
// columns are few.

#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/cuda/emit/analysis/separate_columns.h"
#include "kernels/ir/analysis/verify_kernel.h"
#include "kernels/lowering/lower.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cuda/cuda_runner.h"
#include "tests/unit/kernels/lowering/lowering_test_util.h"

namespace acceld::kernels::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Kind = ForStatement::Kind;

constexpr int64_t kTile = 16;

// sums[j] = offset[j] + the sum over i of x[i, j], as lowerings write it: tiles of columns with
// their sums in scratch. `rows_kind` is that of the loop over the rows.
Kernel ColumnSumKernel(DType dtype, int64_t rows, int64_t columns,
                       Kind rows_kind = Kind::kReduction, ScalarOp op = ScalarOp::kAdd) {
  KernelBuilder b("column_sums");
  const uint32_t x = b.AddBuffer({"x", dtype, rows * columns, Access::kRead});
  const uint32_t offset = b.AddBuffer({"offset", dtype, columns, Access::kRead});
  const uint32_t sums = b.AddBuffer({"sums", dtype, columns, Access::kWrite});
  const uint32_t kept = b.AddScratch({"kept", dtype, kTile, Access::kReadWrite});
  const auto build = [&](int64_t first, int64_t tiles, int64_t size) {
    b.For(Kind::kParallel, tiles, [&](Var tile) {
      const Var start = b.Linearize({tile}, {kTile}, first);
      const auto for_columns = [&](const std::function<void(Var, Var)>& body) {
        b.For(Kind::kSequential, size,
              [&](Var c) { body(c, b.Apply(ScalarOp::kAdd, {start, c})); });
      };
      for_columns([&](Var c, Var) { b.Store(kept, c, b.Constant(dtype, 0)); });
      b.For(rows_kind, rows, [&](Var row) {
        for_columns([&](Var c, Var column) {
          const Var element = b.Load(x, b.Linearize({row, column}, {columns, 1}));
          b.Store(kept, c, b.Apply(op, {b.Load(kept, c), element}));
        });
      });
      for_columns([&](Var c, Var column) {
        b.Store(sums, column, b.Apply(ScalarOp::kAdd, {b.Load(offset, column), b.Load(kept, c)}));
      });
    });
  };
  if (columns >= kTile) build(0, columns / kTile, kTile);
  if (columns % kTile != 0) build(columns / kTile * kTile, 1, columns % kTile);
  return b.Finish();
}

// Columns whose numbers in scratch are not their own: y[j] = the last but j of the tile of x.
Kernel ReversedColumnsKernel() {
  KernelBuilder b("reversed");
  const uint32_t x = b.AddBuffer({"x", DType::kI32, 10 * kTile, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kI32, 10 * kTile, Access::kWrite});
  const uint32_t kept = b.AddScratch({"kept", DType::kI32, kTile, Access::kReadWrite});
  b.For(Kind::kParallel, 10, [&](Var tile) {
    b.For(Kind::kSequential, kTile,
          [&](Var c) { b.Store(kept, c, b.Load(x, b.Linearize({tile, c}, {kTile, 1}))); });
    b.For(Kind::kSequential, kTile, [&](Var c) {
      const Var other = b.Apply(ScalarOp::kSubtract, {b.Index(kTile - 1), c});
      b.Store(y, b.Linearize({tile, c}, {kTile, 1}), b.Load(kept, other));
    });
  });
  return b.Finish();
}

TEST(CudaColumnsTest, EachColumnBecomesAnIteration) {
  const Kernel separated = SeparateColumns(ColumnSumKernel(DType::kF32, 100, 64));
  EXPECT_TRUE(VerifyKernel(separated).ok()) << VerifyKernel(separated) << ToString(separated);
  EXPECT_TRUE(separated.scratch.empty());
  const std::string text = ToString(separated);
  EXPECT_THAT(text, HasSubstr("parallel %0 < 4"));
  EXPECT_THAT(text, HasSubstr("< 16 {"));
  EXPECT_THAT(text, Not(HasSubstr("kept")));
}

TEST(CudaColumnsTest, WhatIsNotOfColumnsStaysAsItIs) {
  const Kernel kernel = ReversedColumnsKernel();
  EXPECT_EQ(ToString(SeparateColumns(kernel)), ToString(kernel));
  EXPECT_EQ(SeparateColumns(kernel).scratch.size(), 1u);
}

TEST(CudaColumnsTest, ResultsAreTheSame) {
  struct Case {
    Kernel kernel;
    bool is_shared;  // a column by several threads
  };
  std::vector<Case> cases;
  for (const int64_t columns : {3, 16, 40, 100}) {
    cases.push_back({ColumnSumKernel(DType::kI32, 100, columns), true});
  }
  cases.push_back({ColumnSumKernel(DType::kI64, 1000, 7), true});
  cases.push_back({ColumnSumKernel(DType::kUI8, 33, 50, Kind::kReduction, ScalarOp::kMax), true});
  // Few rows, rows in order, an operation that can't be regrouped.
  cases.push_back({ColumnSumKernel(DType::kI32, 5, 100), false});
  cases.push_back({ColumnSumKernel(DType::kF32, 100, 40, Kind::kSequential), false});
  cases.push_back(
      {ColumnSumKernel(DType::kI32, 100, 40, Kind::kReduction, ScalarOp::kSubtract), false});
  cases.push_back({ReversedColumnsKernel(), false});
  std::vector<const Kernel*> kernels;
  for (const Case& one : cases) kernels.push_back(&one.kernel);
  const auto module = testing::CudaHostModule::Compile(kernels);
  ASSERT_TRUE(module.ok()) << module.status();
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(ToString(cases[i].kernel));
    const Kernel separated = SeparateColumns(cases[i].kernel);
    EXPECT_TRUE(VerifyKernel(separated).ok()) << VerifyKernel(separated) << ToString(separated);
    const CudaKernel printed = PrintKernel(cases[i].kernel);
    EXPECT_EQ(printed.has_barriers, cases[i].is_shared);
    if (cases[i].is_shared) {
      EXPECT_THAT(printed.source, HasSubstr("ColumnReduce("));
    } else {
      EXPECT_THAT(printed.source, Not(HasSubstr("Reduce(")));
    }
    ExpectAsInterpreted(**module, i, cases[i].kernel);
  }
}

TEST(CudaColumnsTest, ThreadsAreAsManyAsADeviceHasWorkFor) {
  const auto print = [](int64_t rows, int64_t columns) {
    return PrintKernel(ColumnSumKernel(DType::kF32, rows, columns));
  };
  const CudaKernel square = print(4096, 4096);
  EXPECT_EQ(square.threads, 1024);
  EXPECT_EQ(square.blocks, 128);
  const CudaKernel wide = print(4096, 65'536);
  EXPECT_EQ(wide.threads, 64);
  EXPECT_EQ(wide.blocks, 2048);
  const CudaKernel widest = print(4096, 1'000'000);
  EXPECT_EQ(widest.threads, 256);
  EXPECT_FALSE(widest.has_barriers);
}

// The kernel of a sum over dimension 0.
Kernel LoweredColumnSum(DType dtype, const ir::Dims& dims) {
  ir::FunctionBuilder b("main");
  const ir::ValueId x = b.AddParameter(ir::TensorType{dtype, dims});
  const ir::ValueId zero = b.AddParameter(ir::TensorType{dtype, {}});
  std::vector<ir::Region> regions;
  regions.push_back(ir::BinaryRegion(b, ir::OpKind::kAdd, dtype));
  const auto results =
      b.Add(ir::OpKind::kReduce, {x, zero}, ir::DimensionsAttributes{{0}}, std::move(regions));
  EXPECT_TRUE(results.ok()) << results.status();
  const ir::Function function = b.Finish(*results);
  const auto lowered = Lower(function, function.body.ops.back(), "sum");
  EXPECT_TRUE(lowered.ok()) << lowered.status();
  return lowered->kernels.at(0);
}

TEST(CudaColumnsTest, LoweredReductionsAreOfSeparateColumns) {
  const CudaKernel square = PrintKernel(LoweredColumnSum(DType::kBF16, {4096, 4096}));
  EXPECT_EQ(square.threads, 1024);
  EXPECT_EQ(square.blocks, 128);
  EXPECT_THAT(square.source, HasSubstr("ColumnReduce("));
  EXPECT_THAT(square.source, Not(HasSubstr("accumulators")));
  // Tiles and a rest, which all blocks share.
  const Kernel uneven = LoweredColumnSum(DType::kI32, {50, 4, 173});
  EXPECT_EQ(PrintKernel(uneven).blocks, 20);
  EXPECT_THAT(PrintKernel(uneven).source, Not(HasSubstr("accumulators")));
  const auto module = testing::CudaHostModule::Compile({&uneven});
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectAsInterpreted(**module, 0, uneven);
}

}  // namespace
}  // namespace acceld::kernels::cuda
