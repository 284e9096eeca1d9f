// Nests of which some loads go along memory with another loop than the last.

#include <numeric>
#include <string>

#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

// z[b][i][j] = x[b][j][i] + y[b][j][i] * w[b][i][j], where each of them may be left out.
struct Mixed {
  int64_t batch, rows, columns;
  bool has_second = false, has_straight = false;
};

Kernel MixedKernel(DType dtype, const Mixed& mixed) {
  KernelBuilder b("mixed");
  const int64_t elements = mixed.batch * mixed.rows * mixed.columns;
  const uint32_t x = b.AddBuffer({"x", dtype, elements, Access::kRead});
  const uint32_t y = b.AddBuffer({"y", dtype, elements, Access::kRead});
  const uint32_t w = b.AddBuffer({"w", dtype, elements, Access::kRead});
  const uint32_t z = b.AddBuffer({"z", dtype, elements, Access::kWrite});
  const auto parallel = ForStatement::Kind::kParallel;
  b.For(parallel, mixed.batch, [&](Var batch) {
    b.For(parallel, mixed.rows, [&](Var i) {
      b.For(parallel, mixed.columns, [&](Var j) {
        const int64_t size = mixed.rows * mixed.columns;
        const Var there = b.Linearize({batch, j, i}, {size, mixed.rows, 1});
        const Var here = b.Linearize({batch, i, j}, {size, mixed.columns, 1});
        Var value = b.Load(x, there);
        Var other = mixed.has_second ? b.Load(y, there) : value;
        if (mixed.has_straight) other = b.Apply(ScalarOp::kMultiply, {other, b.Load(w, here)});
        if (mixed.has_second || mixed.has_straight) {
          value = b.Apply(ScalarOp::kAdd, {value, other});
        }
        b.Store(z, here, value);
      });
    });
  });
  return b.Finish();
}

template <typename T>
void ExpectMixed(DType dtype, const Mixed& mixed) {
  SCOPED_TRACE(::testing::Message()
               << static_cast<int>(dtype) << " " << mixed.batch << "x" << mixed.rows << "x"
               << mixed.columns << " " << mixed.has_second << mixed.has_straight);
  const int64_t size = mixed.rows * mixed.columns;
  const auto values = [&](int64_t factor) {
    std::vector<T> result(mixed.batch * size);
    for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<T>(i * factor % 11);
    return result;
  };
  const std::vector<T> x = values(3), y = values(5), w = values(7);
  const auto results = RunPlan(PlanOf(MixedKernel(dtype, mixed)),
                               {BytesOf(x), BytesOf(y), BytesOf(w)}, /*threads=*/2);
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<T> z = ValuesOf<T>((*results)[0]);
  int64_t wrong = 0;
  for (int64_t batch = 0; batch < mixed.batch; ++batch) {
    for (int64_t i = 0; i < mixed.rows; ++i) {
      for (int64_t j = 0; j < mixed.columns; ++j) {
        const int64_t there = batch * size + j * mixed.rows + i;
        const int64_t here = batch * size + i * mixed.columns + j;
        T expected = x[there];
        T other = mixed.has_second ? y[there] : expected;
        if (mixed.has_straight) other = static_cast<T>(other * w[here]);
        if (mixed.has_second || mixed.has_straight) expected = static_cast<T>(expected + other);
        if (z[here] != expected && wrong++ == 0) {
          ADD_FAILURE() << "z[" << batch << "][" << i << "][" << j << "] is " << +z[here]
                        << ", not " << +expected;
        }
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(CpuTransposeTest, EachElementIsThatOfTheOtherPlace) {
  for (const Mixed& shape : std::vector<Mixed>{{1, 1024, 1024},
                                               {1, 1000, 777},
                                               {3, 513, 301},
                                               {1, 17, 40'001},
                                               {1, 40'001, 17},
                                               {1, 16, 65'536},
                                               {200, 65, 63},
                                               {70'000, 3, 2}}) {
    for (const auto& [second, straight] :
         {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
      const Mixed mixed = {shape.batch, shape.rows, shape.columns, second, straight};
      ExpectMixed<float>(DType::kF32, mixed);
    }
  }
}

TEST(CpuTransposeTest, ElementsOfAllSizes) {
  for (const bool second : {false, true}) {
    const Mixed mixed = {2, 1030, 777, second, second};
    ExpectMixed<int8_t>(DType::kI8, mixed);
    ExpectMixed<int16_t>(DType::kI16, mixed);
    ExpectMixed<double>(DType::kF64, mixed);
    ExpectMixed<int64_t>(DType::kI64, mixed);
  }
}

// A poll for each element would keep it from being vectors.
TEST(CpuTransposeTest, BlocksAreNotPolledInside) {
  CpuDumps dumps;
  const auto code = CompileForHost(PlanOf(MixedKernel(DType::kF32, {1, 1 << 14, 1 << 14})), &dumps);
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(dumps.optimized_llvm_ir.find("load volatile"), std::string::npos);
}

}  // namespace
}  // namespace acceld::kernels::cpu
