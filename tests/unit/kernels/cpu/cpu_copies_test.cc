// Loops that copy rows.

#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

constexpr int64_t kRows = 40, kTableRows = 17;

// y[i, j] = table[rows[i], j], in rows of y that are `pitch` elements apart.
Kernel GatherKernel(int64_t columns, int64_t pitch) {
  KernelBuilder b("gather");
  const uint32_t rows = b.AddBuffer({"rows", DType::kI64, kRows, Access::kRead});
  const uint32_t table = b.AddBuffer({"table", DType::kF32, kTableRows * columns, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, kRows * pitch, Access::kWrite});
  const auto at = [&](Var row, int64_t width, Var column) {
    return b.Apply(ScalarOp::kAdd, {b.Apply(ScalarOp::kMultiply, {row, b.Index(width)}), column});
  };
  b.For(ForStatement::Kind::kParallel, kRows, [&](Var i) {
    b.For(ForStatement::Kind::kParallel, columns, [&](Var j) {
      b.Store(y, at(i, pitch, j), b.Load(table, at(b.Load(rows, i), columns, j)));
    });
  });
  return b.Finish();
}

bool FetchesAhead(const Kernel& kernel) {
  CpuDumps dumps;
  const auto code = CompileForHost(PlanOf(kernel), &dumps);
  EXPECT_TRUE(code.ok()) << code.status();
  return dumps.optimized_llvm_ir.find("call void @llvm.prefetch") != std::string::npos;
}

TEST(CopiesOfRows, FetchTheLinesThatTheyWillWrite) {
  EXPECT_TRUE(FetchesAhead(GatherKernel(256, 256)));
  // One cache line; more than hardware needs help for; rows that do not follow each other.
  EXPECT_FALSE(FetchesAhead(GatherKernel(16, 16)));
  EXPECT_FALSE(FetchesAhead(GatherKernel(4096, 4096)));
  EXPECT_FALSE(FetchesAhead(GatherKernel(256, 1024)));
}

TEST(CopiesOfRows, CopyThemAll) {
  for (const int64_t columns : {16, 64, 200, 1024}) {
    std::vector<int64_t> rows(kRows);
    for (int64_t i = 0; i < kRows; ++i) rows[i] = i * 5 % kTableRows;
    std::vector<float> table(kTableRows * columns);
    for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i);
    const auto results =
        RunPlan(PlanOf(GatherKernel(columns, columns)), {BytesOf(rows), BytesOf(table)}, 2);
    ASSERT_TRUE(results.ok()) << results.status();
    const std::vector<float> y = ValuesOf<float>((*results)[0]);
    for (int64_t i = 0; i < kRows * columns; ++i) {
      ASSERT_EQ(y[i], table[rows[i / columns] * columns + i % columns]) << columns << " at " << i;
    }
  }
}

}  // namespace
}  // namespace acceld::kernels::cpu
