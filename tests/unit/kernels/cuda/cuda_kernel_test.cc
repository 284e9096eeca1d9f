// Generated CUDA C++ on the host: every scalar operation, and how work is shared out.

#include <cmath>
#include <cstring>
#include <numeric>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/kernels/buffers.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cuda/cuda_runner.h"
#include "tests/unit/kernels/scalar_cases.h"

namespace acceld::kernels::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CudaKernelTest, EveryScalarOperationMatchesItsDefinition) {
  std::vector<ScalarCase> cases;
  const auto add = [&cases](std::vector<ScalarCase> more) {
    for (ScalarCase& one : more) cases.push_back(std::move(one));
  };
  for (const DType dtype : kIntegerTypes) {
    add(ConversionCases(dtype));
    add(IntegerCases(dtype));
  }
  for (const DType dtype : kFloatTypes) add(ConversionCases(dtype));
  add(ConversionCases(DType::kI1));
  add(FloatCases(DType::kF32));
  add(FloatCases(DType::kF64));
  add(BoolCases());
  add(BitcastCases());
  add(ContractionCases(DType::kF32));
  add(ContractionCases(DType::kF64));
  std::vector<const Kernel*> kernels;
  for (const ScalarCase& one : cases) kernels.push_back(&one.kernel);
  const auto module = testing::CudaHostModule::Compile(kernels);
  ASSERT_TRUE(module.ok()) << module.status();
  for (size_t i = 0; i < cases.size(); ++i) {
    ExpectAgrees(cases[i], RunOn(**module, i, cases[i].kernel, cases[i].arguments));
  }
}

TEST(CudaKernelTest, ElementsAreSharedOutOverTheGrid) {
  constexpr int64_t kSize = 1'000'003;
  const Kernel kernel =
      MapKernel("twice", DType::kI32, DType::kI32, kSize,
                [](KernelBuilder& b, Var x) { return b.Apply(ScalarOp::kAdd, {x, x}); });
  const CudaKernel printed = PrintKernel(kernel);
  EXPECT_EQ(printed.threads, 256);
  EXPECT_EQ(printed.blocks, 977);  // Four elements for each thread.
  EXPECT_FALSE(printed.has_barriers);
  EXPECT_FALSE(printed.polls);
  std::vector<int32_t> values(kSize);
  std::iota(values.begin(), values.end(), -5);
  const std::vector<int32_t> twice = ValuesOf<int32_t>(RunAlone(kernel, {BytesOf(values)}));
  for (int64_t i = 0; i < kSize; ++i) ASSERT_EQ(twice[i], 2 * values[i]) << i;
}

TEST(CudaKernelTest, LongRowsAreSummedByABlockEach) {
  for (const int64_t columns : {32, 100, 1000, 5000}) {
    const Kernel kernel = RowSumKernel("sums", DType::kF32, 7, columns);
    const CudaKernel printed = PrintKernel(kernel);
    EXPECT_EQ(printed.blocks, 7);
    EXPECT_EQ(printed.threads % 32, 0);
    EXPECT_TRUE(printed.has_barriers);
    std::vector<float> values(7 * columns);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 13) - 4;
    const std::vector<float> sums = ValuesOf<float>(RunAlone(kernel, {BytesOf(values)}));
    for (int64_t row = 0; row < 7; ++row) {
      const auto begin = values.begin() + row * columns;
      EXPECT_EQ(sums[row], std::accumulate(begin, begin + columns, 0.0f)) << columns;
    }
  }
}

TEST(CudaKernelTest, ShortRowsHaveAThreadEach) {
  const Kernel kernel = RowSumKernel("sums", DType::kI64, 1000, 5);
  const CudaKernel printed = PrintKernel(kernel);
  EXPECT_EQ(printed.blocks, 4);
  EXPECT_FALSE(printed.has_barriers);
  std::vector<int64_t> values(5000);
  std::iota(values.begin(), values.end(), 0);
  const std::vector<int64_t> sums = ValuesOf<int64_t>(RunAlone(kernel, {BytesOf(values)}));
  for (int64_t row = 0; row < 1000; ++row) EXPECT_EQ(sums[row], 25 * row + 10);
}

TEST(CudaKernelTest, IndicesAreOf32BitsWhereTheyFit) {
  const auto source_of = [](int64_t columns) {
    return PrintKernel(RowSumKernel("sums", DType::kF32, 1000, columns)).source;
  };
  EXPECT_THAT(source_of(50), Not(HasSubstr("i64")));
  EXPECT_THAT(source_of(3'000'000), HasSubstr("i64"));  // 3e9 elements
}

TEST(CudaKernelTest, LoopsWhoseEndIsTheProgramsAffairLookForCancellation) {
  const Kernel kernel = HalvingsKernel(40, 1);
  const CudaKernel printed = PrintKernel(kernel);
  EXPECT_TRUE(printed.polls);
  EXPECT_THAT(printed.source, HasSubstr("while (*cancelled == 0)"));
  std::vector<int32_t> values(40);
  for (int i = 0; i < 40; ++i) values[i] = 1 << (i % 30);
  const std::vector<int32_t> halvings = ValuesOf<int32_t>(RunAlone(kernel, {BytesOf(values)}));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(halvings[i], i % 30);
}

TEST(CudaKernelTest, WhatDependsOnTheOrderOfItsStepsRunsInOneBlock) {
  // y[i] = x[i] + 1, then z[i] = y[n - 1 - i]: the second loop reads what others have written.
  constexpr int64_t kSize = 500;
  KernelBuilder b("reverse");
  const uint32_t x = b.AddBuffer({"x", DType::kI32, kSize, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kI32, kSize, Access::kReadWrite});
  const uint32_t z = b.AddBuffer({"z", DType::kI32, kSize, Access::kWrite});
  b.For(ForStatement::Kind::kParallel, kSize, [&](Var i) {
    b.Store(y, i, b.Apply(ScalarOp::kAdd, {b.Load(x, i), b.ConstantInt(DType::kI32, 1)}));
  });
  b.For(ForStatement::Kind::kParallel, kSize, [&](Var i) {
    b.Store(z, i,
            b.Load(y, b.Apply(ScalarOp::kSubtract, {b.ConstantInt(DType::kI64, kSize - 1), i})));
  });
  const Kernel kernel = b.Finish();
  const CudaKernel printed = PrintKernel(kernel);
  EXPECT_EQ(printed.blocks, 1);
  EXPECT_GT(printed.threads, 1);
  EXPECT_THAT(printed.source, HasSubstr("__syncthreads();"));
  std::vector<int32_t> values(kSize);
  std::iota(values.begin(), values.end(), 0);
  const std::vector<int32_t> reversed = ValuesOf<int32_t>(
      RunAlone(kernel, {BytesOf(values), std::string(kSize * sizeof(int32_t), '\0')}));
  for (int64_t i = 0; i < kSize; ++i) EXPECT_EQ(reversed[i], kSize - i);
}

// Rows, each reduced by a loop of `steps` additions to each of `carried` sums.
Kernel LongReductionKernel(int steps, int carried) {
  KernelBuilder b("long_reduction");
  const uint32_t x = b.AddBuffer({"x", DType::kI32, 1000, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kI32, 10, Access::kWrite});
  b.For(ForStatement::Kind::kParallel, 10, [&](Var row) {
    const std::vector<Var> zeros(carried, b.ConstantInt(DType::kI32, 0));
    const auto sums = b.For(ForStatement::Kind::kReduction, 100, zeros,
                            [&](Var i, absl::Span<const Var> current) {
                              const Var element = b.Load(x, b.Linearize({row, i}, {100, 1}));
                              std::vector<Var> next(current.begin(), current.end());
                              for (Var& sum : next) {
                                for (int step = 0; step < steps; ++step) {
                                  sum = b.Apply(ScalarOp::kAdd, {sum, element});
                                }
                              }
                              return next;
                            });
    b.Store(y, row, sums.back());
  });
  return b.Finish();
}

// A transpose with many operations on each element.
Kernel LongElementKernel(int operations) {
  KernelBuilder b("long_element");
  const uint32_t x = b.AddBuffer({"x", DType::kI32, 10'000, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kI32, 10'000, Access::kWrite});
  b.ForEach(ForStatement::Kind::kParallel, {100, 100}, [&](absl::Span<const Var> at) {
    Var element = b.Load(x, b.Linearize(at, {1, 100}));
    for (int i = 0; i < operations; ++i) {
      element = b.Apply(ScalarOp::kXor, {element, b.Load(x, at[0])});
    }
    b.Store(y, b.Linearize(at, {100, 1}), element);
  });
  return b.Finish();
}

// Parts of one buffer, of 100 elements each.
Kernel ManyPartsKernel(int parts) {
  KernelBuilder b("many_parts");
  const uint32_t y = b.AddBuffer({"y", DType::kI64, int64_t{100} * parts, Access::kWrite});
  for (int part = 0; part < parts; ++part) {
    b.For(ForStatement::Kind::kParallel, 100, [&](Var i) {
      b.Store(y, b.Apply(ScalarOp::kAdd, {i, b.Index(int64_t{100} * part)}), i);
    });
  }
  return b.Finish();
}

// Tiles of columns that are summed again and again.
Kernel ManyColumnSumsKernel(int sums) {
  KernelBuilder b("many_column_sums");
  const uint32_t x = b.AddBuffer({"x", DType::kI32, 64'000, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", DType::kI32, 640, Access::kWrite});
  const uint32_t kept = b.AddScratch({"kept", DType::kI32, 64, Access::kReadWrite});
  b.For(ForStatement::Kind::kParallel, 10, [&](Var tile) {
    const auto for_columns = [&](const std::function<void(Var, Var)>& body) {
      b.For(ForStatement::Kind::kSequential, 64,
            [&](Var c) { body(c, b.Linearize({tile, c}, {64, 1})); });
    };
    for_columns([&](Var c, Var) { b.Store(kept, c, b.ConstantInt(DType::kI32, 0)); });
    for (int sum = 0; sum < sums; ++sum) {
      b.For(ForStatement::Kind::kReduction, 100, [&](Var row) {
        for_columns([&](Var c, Var column) {
          const Var element = b.Load(x, b.Linearize({row, column}, {640, 1}));
          b.Store(kept, c, b.Apply(ScalarOp::kAdd, {b.Load(kept, c), element}));
        });
      });
    }
    for_columns([&](Var c, Var column) { b.Store(y, column, b.Load(kept, c)); });
  });
  return b.Finish();
}

TEST(CudaKernelTest, ThreadsThatTakeNoBranchStillWaitForWhatWasBeforeIt) {
  constexpr int64_t kSize = 256;
  using Kind = ForStatement::Kind;
  using Access = BufferParameter::Access;
  KernelBuilder b("branch");
  const uint32_t flag = b.AddBuffer({"flag", DType::kI64, 1, Access::kRead});
  const uint32_t before = b.AddBuffer({"before", DType::kI64, kSize, Access::kReadWrite});
  const uint32_t inside = b.AddBuffer({"inside", DType::kI64, kSize, Access::kReadWrite});
  const uint32_t turned = b.AddBuffer({"turned", DType::kI64, kSize, Access::kWrite});
  const uint32_t after = b.AddBuffer({"after", DType::kI64, kSize, Access::kWrite});
  const auto turn = [&](uint32_t from, uint32_t to) {
    b.For(Kind::kParallel, kSize, [&](Var i) {
      const Var other = b.Apply(ScalarOp::kSubtract, {b.Index(kSize - 1), i});
      b.Store(to, i, b.Load(from, other));
    });
  };
  b.For(Kind::kParallel, kSize, [&](Var i) { b.Store(before, i, i); });
  const Var takes = b.Apply(ScalarOp::kNe, {b.Load(flag, b.Index(0)), b.Index(0)});
  // Whoever goes in waits there.
  b.If(takes, [&] {
    b.For(Kind::kParallel, kSize, [&](Var i) { b.Store(inside, i, i); });
    turn(inside, turned);
  });
  turn(before, after);
  const Kernel kernel = b.Finish();
  const std::vector<std::string> untouched(3, std::string(8 * kSize, 0));
  for (const int64_t value : {0, 1}) {
    std::vector<std::string> arguments = {BytesOf(std::vector<int64_t>{value})};
    arguments.insert(arguments.end(), untouched.begin(), untouched.end());
    const std::vector<int64_t> found = ValuesOf<int64_t>(RunAlone(kernel, arguments));
    for (int64_t i = 0; i < kSize; ++i) ASSERT_EQ(found[i], kSize - 1 - i) << i;
  }
}

TEST(CudaKernelTest, TimeToPrintGrowsLikeTheKernel) {
  // Time that grows like the square of these would be many minutes.
  KernelBuilder b("many_loops");
  const uint32_t y = b.AddBuffer({"y", DType::kI32, 100, Access::kReadWrite});
  for (int loop = 0; loop < 50'000; ++loop) {
    b.For(ForStatement::Kind::kParallel, 100, [&](Var i) { b.Store(y, i, b.Load(y, i)); });
  }
  const Kernel kernels[] = {b.Finish(),
                            LongReductionKernel(300'000, 1),
                            LongReductionKernel(1, 100'000),
                            LongElementKernel(100'000),
                            ManyPartsKernel(50'000),
                            ManyColumnSumsKernel(30'000)};
  for (const Kernel& kernel : kernels) {
    const absl::Time start = absl::Now();
    EXPECT_FALSE(PrintKernel(kernel).source.empty());
    EXPECT_LT(absl::Now() - start, absl::Seconds(20)) << kernel.name;
  }
}

}  // namespace
}  // namespace acceld::kernels::cuda
