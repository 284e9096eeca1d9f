// Nests whose threads take several neighbouring elements each: which do, and that they compute the
// same, bit by bit.

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cuda/cuda_runner.h"

namespace acceld::kernels::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kParallel = ForStatement::Kind::kParallel;

struct Case {
  Kernel kernel;
  int width;  // of the lanes
};

Var Twice(KernelBuilder& b, Var x) { return b.Apply(ScalarOp::kAdd, {x, x}); }
Var Wider(KernelBuilder& b, Var x) { return b.Convert(DType::kF32, x); }
Var IsPositive(KernelBuilder& b, Var x) {
  return b.Apply(ScalarOp::kGt, {x, b.ConstantInt(DType::kI8, 0)});
}

// y[i] = 2 * x[f(i)] for i < n.
Kernel IndexKernel(int64_t n, int64_t size, const std::function<Var(KernelBuilder&, Var)>& f) {
  KernelBuilder b("index");
  const uint32_t x = b.AddBuffer({"x", DType::kI32, size, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kI32, n, Access::kWrite});
  b.For(kParallel, n, [&](Var i) { b.Store(y, i, Twice(b, b.Load(x, f(b, i)))); });
  return b.Finish();
}

Var Plus(KernelBuilder& b, Var i, int64_t offset) {
  return b.Apply(ScalarOp::kAdd, {i, b.Index(offset)});
}
Var Times(KernelBuilder& b, Var i, int64_t factor) {
  return b.Apply(ScalarOp::kMultiply, {i, b.Index(factor)});
}
Var Over(KernelBuilder& b, Var i, int64_t divisor) {
  return b.Apply(ScalarOp::kDivide, {i, b.Index(divisor)});
}
Var Modulo(KernelBuilder& b, Var i, int64_t divisor) {
  return b.Apply(ScalarOp::kRemainder, {i, b.Index(divisor)});
}

// z[i, j] = x[i, j] + of_row[i] * of_column[j].
Kernel BroadcastKernel(int64_t rows, int64_t columns) {
  KernelBuilder b("broadcast");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, rows * columns, Access::kRead});
  const uint32_t of_row = b.AddBuffer({"of_row", DType::kF32, rows, Access::kRead});
  const uint32_t of_column = b.AddBuffer({"of_column", DType::kF32, columns, Access::kRead});
  const uint32_t z = b.AddBuffer({"z", DType::kF32, rows * columns, Access::kWrite});
  b.ForEach(kParallel, {rows, columns}, [&](absl::Span<const Var> at) {
    const Var index = b.Linearize(at, {columns, 1});
    const Var product = b.Apply(ScalarOp::kMultiply, {b.Load(of_row, at[0]),  //
                                                      b.Load(of_column, at[1])});
    b.Store(z, index, b.Apply(ScalarOp::kAdd, {b.Load(x, index), product}));
  });
  return b.Finish();
}

// y[i, j] = table[rows[i], j].
Kernel RowGatherKernel(int64_t rows, int64_t columns, int64_t table_rows) {
  KernelBuilder b("row_gather");
  const uint32_t from = b.AddBuffer({"rows", DType::kI64, rows, Access::kRead});
  const uint32_t table = b.AddBuffer({"table", DType::kF32, table_rows * columns, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, rows * columns, Access::kWrite});
  b.ForEach(kParallel, {rows, columns}, [&](absl::Span<const Var> at) {
    const Var row = b.Apply(ScalarOp::kMin, {b.Apply(ScalarOp::kMax, {b.Load(from, at[0]),  //
                                                                      b.Index(0)}),
                                             b.Index(table_rows - 1)});
    b.Store(y, b.Linearize(at, {columns, 1}),
            b.Load(table, b.Linearize({row, at[1]}, {columns, 1})));
  });
  return b.Finish();
}

// y[i] = i < n / 2 ? 1 : 0, of whole groups or not.
Kernel StepKernel(int64_t n) {
  KernelBuilder b("step");
  const uint32_t x = b.AddBuffer({"x", DType::kF32, 8, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kF32, n, Access::kWrite});
  b.For(kParallel, n, [&](Var i) {
    const Var is_low = b.Apply(ScalarOp::kLt, {i, b.Index(n / 2)});
    b.Store(y, i, b.Load(x, b.Select(is_low, b.Index(3), b.Index(5))));
  });
  return b.Finish();
}

Kernel InPlaceKernel(int64_t n) {
  KernelBuilder b("in_place");
  const uint32_t y = b.AddBuffer({"y", DType::kI32, n, Access::kReadWrite});
  b.For(kParallel, n, [&](Var i) { b.Store(y, i, Twice(b, b.Load(y, i))); });
  return b.Finish();
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  // A rest behind the last group, and none.
  for (const int64_t n : {3, 4, 1024, 1027}) {
    cases.push_back({MapKernel("f32s", DType::kF32, DType::kF32, n, Twice), n < 4 ? 2 : 4});
  }
  cases.push_back({MapKernel("f64s", DType::kF64, DType::kF64, 333, Twice), 2});
  cases.push_back({MapKernel("i8s", DType::kI8, DType::kI8, 333, Twice), 16});
  cases.push_back({MapKernel("positive", DType::kI8, DType::kI1, 333, IsPositive), 16});
  cases.push_back({MapKernel("wider", DType::kBF16, DType::kF32, 333, Wider), 4});
  cases.push_back({BroadcastKernel(7, 12), 4});
  cases.push_back({BroadcastKernel(7, 10), 2});
  cases.push_back({BroadcastKernel(7, 9), 1});
  cases.push_back({RowGatherKernel(9, 16, 5), 4});
  cases.push_back({StepKernel(48), 4});
  cases.push_back({StepKernel(44), 2});
  // Aligned, and not.
  const auto index = [&](int64_t n, int64_t size, int width,
                         const std::function<Var(KernelBuilder&, Var)>& f) {
    cases.push_back({IndexKernel(n, size, f), width});
  };
  index(100, 200, 4, [](KernelBuilder& b, Var i) { return Plus(b, i, 8); });
  index(100, 200, 2, [](KernelBuilder& b, Var i) { return Plus(b, i, 6); });
  index(100, 200, 1, [](KernelBuilder& b, Var i) { return Plus(b, i, 7); });
  index(100, 200, 1, [](KernelBuilder& b, Var i) { return Times(b, i, 2); });
  index(100, 100, 1,
        [](KernelBuilder& b, Var i) { return b.Apply(ScalarOp::kSubtract, {b.Index(99), i}); });
  // Rows of a matrix, padded, by divisions.
  index(96, 12 * 12, 4, [](KernelBuilder& b, Var i) {
    return b.Apply(ScalarOp::kAdd, {Times(b, Over(b, i, 8), 12), Modulo(b, i, 8)});
  });
  index(96, 12 * 13, 1, [](KernelBuilder& b, Var i) {
    return b.Apply(ScalarOp::kAdd, {Times(b, Over(b, i, 8), 13), Modulo(b, i, 8)});
  });
  index(96, 12, 4, [](KernelBuilder& b, Var i) { return Over(b, i, 8); });
  index(96, 32, 1, [](KernelBuilder& b, Var i) { return Over(b, i, 3); });
  cases.push_back({InPlaceKernel(64), 1});
  return cases;
}

TEST(CudaLanesTest, ThreadsTakeNeighboursTogetherWhereTheyAreAligned) {
  const WorkDivision sharing{.busy_threads = 1};
  const std::vector<Case> cases = Cases();
  std::vector<const Kernel*> kernels;
  for (const Case& one : cases) kernels.push_back(&one.kernel);
  const auto module = testing::CudaHostModule::Compile(kernels, sharing);
  ASSERT_TRUE(module.ok()) << module.status();
  for (size_t i = 0; i < cases.size(); ++i) {
    const Kernel& kernel = cases[i].kernel;
    SCOPED_TRACE(ToString(kernel));
    const std::string source = PrintKernel(kernel, sharing).source;
    if (cases[i].width == 1) {
      EXPECT_THAT(source, Not(HasSubstr("Lanes")));
    } else {
      EXPECT_THAT(source, HasSubstr("StoreLanes("));
      EXPECT_THAT(source, HasSubstr(absl::StrCat("lane < ", cases[i].width, ";")));
    }
    ExpectAsInterpreted(**module, i, kernel);
  }
}

TEST(CudaLanesTest, LoadsAreOfNeighboursToo) {
  const std::string source =
      PrintKernel(BroadcastKernel(512, 1024), WorkDivision{.busy_threads = 1}).source;
  EXPECT_THAT(source, HasSubstr("LoadLanes<4>(x + "));
  EXPECT_THAT(source, HasSubstr("LoadLanes<4>(of_column + "));
  EXPECT_THAT(source, HasSubstr("= of_row["));
}

TEST(CudaLanesTest, LittleWorkIsForManyThreads) {
  const auto print = [](int64_t n) {
    return PrintKernel(MapKernel("twice", DType::kF32, DType::kF32, n, Twice));
  };
  EXPECT_THAT(print(100'000).source, Not(HasSubstr("Lanes")));
  EXPECT_THAT(print(200'000).source, HasSubstr("lane < 2;"));
  EXPECT_THAT(print(1'000'000).source, HasSubstr("lane < 4;"));
  EXPECT_EQ(print(1'000'000).blocks, 977);
}

TEST(CudaLanesTest, MuchWorkForEachElementIsForOneThread) {
  const auto rounds = [](int count) {
    return [count](KernelBuilder& b, Var x) {
      for (int i = 0; i < count; ++i) x = b.Apply(ScalarOp::kSin, {x});
      return x;
    };
  };
  const auto print = [&](int count) {
    return PrintKernel(MapKernel("sines", DType::kF32, DType::kF32, 10'000'000, rounds(count)));
  };
  EXPECT_THAT(print(10).source, HasSubstr("lane < 4;"));
  EXPECT_THAT(print(100).source, Not(HasSubstr("Lanes")));
}

}  // namespace
}  // namespace acceld::kernels::cuda
