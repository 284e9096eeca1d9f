// Nests whose blocks of threads take tiles through shared memory: which do, and that they compute
// the same, bit by bit.

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cuda/cuda_runner.h"

namespace acceld::kernels::cuda {
namespace {

constexpr auto kParallel = ForStatement::Kind::kParallel;

struct Case {
  Kernel kernel;
  int tiles;  // in shared memory
};

int64_t Product(absl::Span<const int64_t> extents) {
  int64_t product = 1;
  for (const int64_t extent : extents) product *= extent;
  return product;
}

std::vector<int64_t> RowMajor(absl::Span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

// The index of x that dimension `of[d]` of the loops walks as dimension d.
Var Permuted(KernelBuilder& b, absl::Span<const Var> at, absl::Span<const int64_t> extents,
             absl::Span<const int> of) {
  std::vector<Var> vars;
  std::vector<int64_t> dims;
  for (const int d : of) {
    vars.push_back(at[d]);
    dims.push_back(extents[d]);
  }
  return b.Linearize(vars, RowMajor(dims));
}

// y = transpose(x), of shape `extents`.
Kernel TransposeKernel(DType dtype, const std::vector<int64_t>& extents,
                       const std::vector<int>& of) {
  KernelBuilder b("transpose");
  const uint32_t x = b.AddBuffer({"x", dtype, Product(extents), Access::kRead});
  const uint32_t y = b.AddBuffer({"y", dtype, Product(extents), Access::kWrite});
  b.ForEach(kParallel, extents, [&](absl::Span<const Var> at) {
    b.Store(y, b.Linearize(at, RowMajor(extents)), b.Load(x, Permuted(b, at, extents, of)));
  });
  return b.Finish();
}

// z = x + transpose(w) * transpose(v).
Kernel FusedKernel(int64_t rows, int64_t columns) {
  KernelBuilder b("fused");
  std::vector<uint32_t> in;
  for (const char* name : {"x", "w", "v"}) {
    in.push_back(b.AddBuffer({name, DType::kF32, rows * columns, Access::kRead}));
  }
  const uint32_t z = b.AddBuffer({"z", DType::kF32, rows * columns, Access::kWrite});
  b.ForEach(kParallel, {rows, columns}, [&](absl::Span<const Var> at) {
    const Var index = b.Linearize(at, {columns, 1});
    const Var other = b.Linearize(at, {1, rows});
    const Var product = b.Apply(ScalarOp::kMultiply, {b.Load(in[1], other), b.Load(in[2], other)});
    b.Store(z, index, b.Apply(ScalarOp::kAdd, {b.Load(in[0], index), product}));
  });
  return b.Finish();
}

// Of pairs, as complex numbers are.
Kernel PairsKernel(int64_t rows, int64_t columns) {
  KernelBuilder b("pairs");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, 2 * rows * columns, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, 2 * rows * columns, Access::kWrite});
  b.ForEach(kParallel, {rows, columns}, [&](absl::Span<const Var> at) {
    for (const int64_t part : {0, 1}) {
      b.Store(y, b.Linearize(at, {2 * columns, 2}, part),
              b.Load(x, b.Linearize(at, {2, 2 * rows}, part)));
    }
  });
  return b.Finish();
}

// y[i, j] = x[j, rows[i]]: neighbours in memory are along no loop.
Kernel GatherKernel(int64_t rows, int64_t columns) {
  KernelBuilder b("gather");
  const uint32_t from = b.AddBuffer({"rows", DType::kI8, rows, Access::kRead});
  const uint32_t x = b.AddBuffer({"x", DType::kF32, 64 * columns, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, rows * columns, Access::kWrite});
  b.ForEach(kParallel, {rows, columns}, [&](absl::Span<const Var> at) {
    const Var row = b.Convert(DType::kI64, b.Load(from, at[0]));
    b.Store(y, b.Linearize(at, {columns, 1}), b.Load(x, b.Linearize({at[1], row}, {64, 1})));
  });
  return b.Finish();
}

// Two nests, the second of rows that blocks of more threads share.
Kernel TransposeAndSumKernel() {
  constexpr int64_t kRows = 40, kColumns = 2100;
  KernelBuilder b("transpose_and_sum");
  const uint32_t x = b.AddBuffer({"x", DType::kI32, kRows * kColumns, Access::kRead});
  const uint32_t sums = b.AddBuffer({"sums", DType::kI32, kRows, Access::kWrite});
  const uint32_t y = b.AddBuffer({"y", DType::kI32, kRows * kColumns, Access::kWrite});
  b.ForEach(kParallel, {kColumns, kRows}, [&](absl::Span<const Var> at) {
    b.Store(y, b.Linearize(at, {kRows, 1}), b.Load(x, b.Linearize(at, {1, kColumns})));
  });
  b.For(kParallel, kRows, [&](Var row) {
    const auto sum =
        b.For(ForStatement::Kind::kReduction, kColumns, {b.ConstantInt(DType::kI32, 0)},
              [&](Var i, absl::Span<const Var> current) -> std::vector<Var> {
                const Var at = b.Linearize({row, i}, {kColumns, 1});
                return {b.Apply(ScalarOp::kAdd, {current[0], b.Load(x, at)})};
              });
    b.Store(sums, row, sum[0]);
  });
  return b.Finish();
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  cases.push_back({TransposeKernel(DType::kF32, {64, 32}, {1, 0}), 1});
  cases.push_back({TransposeKernel(DType::kF32, {40, 50}, {1, 0}), 1});
  cases.push_back({TransposeKernel(DType::kF64, {33, 17}, {1, 0}), 1});
  cases.push_back({TransposeKernel(DType::kI1, {100, 16}, {1, 0}), 1});
  cases.push_back({TransposeKernel(DType::kF32, {3, 33, 40}, {0, 2, 1}), 1});
  cases.push_back({TransposeKernel(DType::kF32, {33, 3, 40}, {2, 1, 0}), 1});
  cases.push_back({TransposeKernel(DType::kBF16, {20, 5, 2, 40}, {1, 3, 2, 0}), 1});
  cases.push_back({FusedKernel(48, 20), 2});
  cases.push_back({PairsKernel(20, 30), 2});
  cases.push_back({TransposeAndSumKernel(), 1});
  // Nothing to gain: few rows, or columns, or neighbours in memory stay neighbours.
  cases.push_back({TransposeKernel(DType::kF32, {100, 3}, {1, 0}), 0});
  cases.push_back({TransposeKernel(DType::kF32, {3, 100}, {1, 0}), 0});
  cases.push_back({TransposeKernel(DType::kF32, {20, 30, 40}, {1, 0, 2}), 0});
  cases.push_back({GatherKernel(40, 40), 0});
  return cases;
}

int CountOf(absl::string_view text, absl::string_view part) {
  int count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(CudaTilesTest, TransposesGoThroughSharedMemory) {
  const std::vector<Case> cases = Cases();
  std::vector<const Kernel*> kernels;
  for (const Case& one : cases) kernels.push_back(&one.kernel);
  const auto module = testing::CudaHostModule::Compile(kernels);
  ASSERT_TRUE(module.ok()) << module.status();
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(ToString(cases[i].kernel));
    const CudaKernel printed = PrintKernel(cases[i].kernel);
    EXPECT_EQ(CountOf(printed.source, "[32][33];"), cases[i].tiles) << printed.source;
    EXPECT_EQ(CountOf(printed.source, "[row][column] = "), cases[i].tiles);
    EXPECT_EQ(CountOf(printed.source, "[column][row];"), cases[i].tiles);
    ExpectAsInterpreted(**module, i, cases[i].kernel);
  }
}

TEST(CudaTilesTest, EachTileHasABlock) {
  const CudaKernel printed = PrintKernel(TransposeKernel(DType::kF32, {7, 100, 200}, {0, 2, 1}));
  EXPECT_EQ(printed.blocks, 7 * 4 * 7);
  EXPECT_EQ(printed.threads, 256);
  EXPECT_TRUE(printed.has_barriers);
}

TEST(CudaTilesTest, SharedMemorySuffices) {
  // More loads than fit; those left go straight to memory. Each nest has its own tiles.
  KernelBuilder b("many");
  std::vector<uint32_t> in;
  for (int i = 0; i < 20; ++i) {
    in.push_back(b.AddBuffer({absl::StrCat("x", i), DType::kF64, 1600, Access::kRead}));
  }
  for (const char* name : {"y", "z", "w", "v"}) {
    const uint32_t out = b.AddBuffer({name, DType::kF64, 1600, Access::kWrite});
    b.ForEach(kParallel, {40, 40}, [&](absl::Span<const Var> at) {
      Var sum = b.ConstantFloat(DType::kF64, 0);
      for (const uint32_t x : in) {
        sum = b.Apply(ScalarOp::kAdd, {sum, b.Load(x, b.Linearize(at, {1, 40}))});
      }
      b.Store(out, b.Linearize(at, {40, 1}), sum);
    });
  }
  const Kernel kernel = b.Finish();
  // 2 + 2 of 8448 bytes: together less than 48 KiB, with what reductions may need.
  EXPECT_EQ(CountOf(PrintKernel(kernel).source, "[32][33];"), 4);
  const auto module = testing::CudaHostModule::Compile({&kernel});
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectAsInterpreted(**module, 0, kernel);
}

}  // namespace
}  // namespace acceld::kernels::cuda
