// Matrix products of the CPU's library: layouts, blocks of the output, Gram matrices, threads.

#include "kernels/cpu/cpu_matmul.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/types/element.h"
#include "common/ir/types/float_formats.h"
#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

using Space = Slice::Space;

template <typename T>
std::vector<T> SmallIntegers(int64_t n, int seed) {
  std::vector<T> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<T>((i * 31 + seed * 17) % 11 - 5);
  return values;
}

// The bits of a bf16.
struct Bf16 {
  uint16_t bits;

  Bf16() = default;
  explicit Bf16(int64_t value)
      : bits(static_cast<uint16_t>(std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16)) {}
  explicit operator double() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

Plan MatmulPlan(const MatmulStep& step, int64_t lhs_elements, int64_t rhs_elements) {
  Plan plan;
  const ir::TensorType lhs{step.input_dtype, {lhs_elements}};
  const ir::TensorType rhs{step.input_dtype, {rhs_elements}};
  const ir::TensorType out{step.output_dtype, {step.groups, step.batch, step.m, step.n}};
  PlanFunction main{"main", {lhs, rhs}, {out}, 0, {}};
  MatmulStep placed = step;
  placed.lhs = SliceOf(Space::kArgument, 0, lhs);
  placed.rhs = SliceOf(Space::kArgument, 1, rhs);
  placed.out = SliceOf(Space::kResult, 0, out);
  main.steps = {{placed, "dot"}};
  plan.functions.push_back(main);
  return plan;
}

// One argument that is both operands: of m * k elements, read as the strides of each say.
Plan GramPlan(const MatmulStep& step) {
  Plan plan = MatmulPlan(step, step.batch * step.m * step.k, 0);
  PlanFunction& main = plan.functions[0];
  main.arguments.pop_back();
  MatmulStep& placed = std::get<MatmulStep>(main.steps[0].value);
  placed.rhs = placed.lhs;
  return plan;
}

// out[g, b, i, j] of `out` is the sum over p of the operands' products.
template <typename In, typename Out>
void ExpectSums(const MatmulStep& step, const std::vector<In>& lhs, const std::vector<In>& rhs,
                const std::vector<Out>& out) {
  ASSERT_EQ(out.size(), step.groups * step.batch * step.m * step.n);
  for (int64_t matrix = 0; matrix < step.groups * step.batch; ++matrix) {
    const int64_t g = matrix / step.batch, b = matrix % step.batch;
    const int64_t left = g * step.lhs_group_stride + b * step.lhs_strides[0];
    const int64_t right = g * step.rhs_group_stride + b * step.rhs_strides[0];
    for (int64_t i = 0; i < step.m; ++i) {
      for (int64_t j = 0; j < step.n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < step.k; ++p) {
          sum +=
              static_cast<double>(lhs[left + i * step.lhs_strides[1] + p * step.lhs_strides[2]]) *
              static_cast<double>(rhs[right + p * step.rhs_strides[1] + j * step.rhs_strides[2]]);
        }
        ASSERT_EQ(static_cast<double>(out[(matrix * step.m + i) * step.n + j]), sum)
            << matrix << " " << i << " " << j;
      }
    }
  }
}

// Small integers, so that every order of summation gives the same floats.
template <typename In, typename Out>
void CheckMatmul(const MatmulStep& step, int num_threads) {
  ASSERT_TRUE(CanMatmul(step));
  const auto Extent = [&](int64_t batch, int64_t rows, int64_t columns, const int64_t* strides) {
    const int64_t group_stride =
        strides == step.lhs_strides ? step.lhs_group_stride : step.rhs_group_stride;
    return (step.groups - 1) * group_stride + std::max<int64_t>(batch - 1, 0) * strides[0] +
           std::max<int64_t>(rows - 1, 0) * strides[1] +
           std::max<int64_t>(columns - 1, 0) * strides[2] + 1;
  };
  const auto lhs = SmallIntegers<In>(Extent(step.batch, step.m, step.k, step.lhs_strides), 1);
  const auto rhs = SmallIntegers<In>(Extent(step.batch, step.k, step.n, step.rhs_strides), 2);
  const auto results =
      RunPlan(MatmulPlan(step, static_cast<int64_t>(lhs.size()), static_cast<int64_t>(rhs.size())),
              {BytesOf(lhs), BytesOf(rhs)}, num_threads);
  ASSERT_TRUE(results.ok()) << results.status();
  ExpectSums(step, lhs, rhs, ValuesOf<Out>((*results)[0]));
}

MatmulStep Step(DType in, DType out, int64_t batch, int64_t m, int64_t n, int64_t k, bool lhs_t,
                bool rhs_t) {
  MatmulStep step{in, out, batch, m, n, k, {m * k, k, 1}, {k * n, n, 1}};
  if (lhs_t) step.lhs_strides[1] = 1, step.lhs_strides[2] = m;
  if (rhs_t) step.rhs_strides[1] = 1, step.rhs_strides[2] = k;
  return step;
}

TEST(CpuMatmulTest, MatchesTheSumForAllLayouts) {
  for (bool lhs_t : {false, true}) {
    for (bool rhs_t : {false, true}) {
      CheckMatmul<float, float>(Step(DType::kF32, DType::kF32, 1, 7, 5, 3, lhs_t, rhs_t), 1);
      CheckMatmul<float, float>(Step(DType::kF32, DType::kF32, 3, 4, 9, 8, lhs_t, rhs_t), 2);
      CheckMatmul<float, float>(Step(DType::kF32, DType::kF32, 1, 300, 530, 65, lhs_t, rhs_t), 2);
      CheckMatmul<float, float>(Step(DType::kF32, DType::kF32, 1, 1, 33, 40, lhs_t, rhs_t), 1);
      CheckMatmul<float, float>(Step(DType::kF32, DType::kF32, 1, 33, 1, 40, lhs_t, rhs_t), 1);
      CheckMatmul<float, float>(Step(DType::kF32, DType::kF32, 1, 6, 6, 1, lhs_t, rhs_t), 1);
    }
  }
}

// Those that tiles in registers compute, whole and cut at every side, and their neighbours.
TEST(CpuMatmulTest, FewRowsAndColumnsMatchTheSumForAllLayouts) {
  for (int64_t m : {1, 3, 5, 49}) {
    for (int64_t n : {1, 2, 3, 4, 7, 16, 33, 49}) {
      for (int64_t k : {1, 17, 65, 4100}) {
        for (int layout = 0; layout < 4; ++layout) {
          SCOPED_TRACE(absl::StrCat(m, " x ", k, " x ", n, ", layout ", layout));
          const bool lhs_t = layout % 2 != 0, rhs_t = layout / 2 != 0;
          const MatmulStep step =
              Step(DType::kF32, DType::kF32, m == 5 ? 2 : 1, m, n, k, lhs_t, rhs_t);
          CheckMatmul<float, float>(step, 1);
        }
      }
    }
  }
}

// Those that read the right operand as it lies, whole and cut at every side.
TEST(CpuMatmulTest, FewRowsTimesWideMatricesMatchTheSumForAllLayouts) {
  for (int64_t m : {1, 2, 3, 5, 8, 9, 16}) {
    for (int64_t n : {16, 17, 47, 130, 700}) {
      for (int64_t k : {2, 31, 33, 1100, 4100}) {
        for (int layout = 0; layout < 4; ++layout) {
          SCOPED_TRACE(absl::StrCat(m, " x ", k, " x ", n, ", layout ", layout));
          const bool lhs_t = layout % 2 != 0, rhs_t = layout / 2 != 0;
          CheckMatmul<float, float>(
              Step(DType::kF32, DType::kF32, m == 5 ? 3 : 1, m, n, k, lhs_t, rhs_t), 2);
          const MatmulStep halves =
              Step(DType::kBF16, DType::kF32, m == 9 ? 3 : 1, m, n, k, lhs_t, rhs_t);
          if (CanMatmul(halves)) CheckMatmul<Bf16, float>(halves, 2);
        }
      }
    }
  }
}

// [group, row, matrix, column] of both operands, as the heads of several sequences.
TEST(CpuMatmulTest, GroupsOfMatricesSideBySideMatchTheSum) {
  const auto check = [](int64_t groups, int64_t batch, int64_t m, int64_t n, int64_t k) {
    for (const bool rhs_t : {false, true}) {
      SCOPED_TRACE(absl::StrCat(groups, " x ", batch, " x ", m, " x ", k, " x ", n, " ", rhs_t));
      MatmulStep step = Step(DType::kF32, DType::kF32, batch, m, n, k, false, false);
      step.groups = groups;
      step.lhs_group_stride = m * batch * k;
      step.lhs_strides[0] = k;
      step.lhs_strides[1] = batch * k;
      step.rhs_group_stride = n * batch * k;
      step.rhs_strides[0] = rhs_t ? k : n;
      step.rhs_strides[1] = rhs_t ? 1 : batch * n;
      step.rhs_strides[2] = rhs_t ? batch * k : 1;
      CheckMatmul<float, float>(step, 2);
      step.input_dtype = DType::kBF16;
      if (CanMatmul(step)) CheckMatmul<Bf16, float>(step, 2);
    }
  };
  check(3, 8, 1, 512, 64);
  check(1, 8, 1, 64, 512);
  check(5, 8, 1, 64, 512);
  check(2, 3, 5, 100, 70);
  check(3, 4, 40, 48, 32);
  check(2, 2, 300, 530, 65);
}

TEST(CpuMatmulTest, AMatrixTimesItsTransposeInEveryGroupMatchesTheSum) {
  constexpr int64_t kGroups = 2, kBatch = 2, n = 200, k = 96;
  MatmulStep step = Step(DType::kF32, DType::kF32, kBatch, n, n, k, false, true);
  step.groups = kGroups;
  step.lhs_group_stride = step.rhs_group_stride = n * kBatch * k;
  step.lhs_strides[0] = step.rhs_strides[0] = k;
  step.lhs_strides[1] = step.rhs_strides[2] = kBatch * k;
  Plan plan = MatmulPlan(step, kGroups * kBatch * n * k, 0);
  PlanFunction& main = plan.functions[0];
  main.arguments.pop_back();
  MatmulStep& placed = std::get<MatmulStep>(main.steps[0].value);
  placed.rhs = placed.lhs;
  const auto values = SmallIntegers<float>(kGroups * kBatch * n * k, 1);
  const auto results = RunPlan(plan, {BytesOf(values)}, 2);
  ASSERT_TRUE(results.ok()) << results.status();
  ExpectSums(step, values, values, ValuesOf<float>((*results)[0]));
}

TEST(CpuMatmulTest, GroupsOfLittleWorkAreLeftToTransposes) {
  MatmulStep step = Step(DType::kF32, DType::kF32, 2, 8, 8, 8, false, false);
  step.groups = 1000;
  step.lhs_group_stride = step.rhs_group_stride = 1000;
  EXPECT_FALSE(CanMatmul(step));
}

// The library adds two terms of bf16 at once, and an odd number of terms leaves one over.
TEST(CpuMatmulTest, AnInfinityInAnOddNumberOfTermsIsTheSum) {
  constexpr uint16_t kOne = 0x3F80, kInfinity = 0x7F80;
  constexpr int64_t kRows = 5, kColumns = 17, kInfiniteRow = 2;
  const auto expect = [&](const MatmulStep& step) {
    std::vector<uint16_t> lhs(step.batch * kRows * step.k, kOne);
    std::vector<uint16_t> rhs(step.batch * step.k * kColumns, kOne);
    // In the first matrix: the last term of a row.
    lhs[kInfiniteRow * step.lhs_strides[1] + (step.k - 1) * step.lhs_strides[2]] = kInfinity;
    const auto results = RunPlan(
        MatmulPlan(step, static_cast<int64_t>(lhs.size()), static_cast<int64_t>(rhs.size())),
        {BytesOf(lhs), BytesOf(rhs)}, 1);
    ASSERT_TRUE(results.ok()) << results.status();
    const double sum = ir::RoundToFormat(step.output_dtype, static_cast<double>(step.k));
    for (int64_t i = 0; i < step.batch * kRows * kColumns; ++i) {
      ASSERT_EQ(ir::ReadFloat(step.output_dtype, (*results)[0].data(), i),
                i / kColumns == kInfiniteRow ? std::numeric_limits<double>::infinity() : sum)
          << i;
    }
  };
  if (!CanMatmul(Step(DType::kBF16, DType::kF32, 1, 2, 2, 2, false, false))) {
    GTEST_SKIP() << "this processor has no products of bf16";
  }
  for (const DType out : {DType::kF32, DType::kBF16}) {
    for (const int64_t batch : {1, 3}) {
      for (const int64_t k : {1, 3, 7, 65, 1025}) {
        for (int layout = 0; layout < 16; ++layout) {
          SCOPED_TRACE(absl::StrCat(batch, " of depth ", k, ", layout ", layout));
          const bool lhs_t = layout % 2 != 0, rhs_t = layout / 2 % 2 != 0;
          MatmulStep step = Step(DType::kBF16, out, batch, kRows, kColumns, k, lhs_t, rhs_t);
          // The matrices of a batch may also alternate, row by row or column by column.
          if (layout / 4 % 2 != 0) {
            step.lhs_strides[0] = lhs_t ? kRows : k;
            step.lhs_strides[lhs_t ? 2 : 1] *= batch;
          }
          if (layout / 8 % 2 != 0) {
            step.rhs_strides[0] = rhs_t ? k : kColumns;
            step.rhs_strides[rhs_t ? 2 : 1] *= batch;
          }
          expect(step);
        }
      }
    }
  }
}

// The root mean square of what normally distributed operands' product is off by, in rounding units
// of the root mean square of its elements.
double ErrorOf(const MatmulStep& step) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> lhs(step.m * step.k), rhs(step.k * step.n);
  for (float& x : lhs) x = normal(random);
  for (float& x : rhs) x = normal(random);
  const auto results =
      RunPlan(MatmulPlan(step, static_cast<int64_t>(lhs.size()), static_cast<int64_t>(rhs.size())),
              {BytesOf(lhs), BytesOf(rhs)}, 1);
  if (!results.ok()) return std::numeric_limits<double>::infinity();
  const std::vector<float> out = ValuesOf<float>((*results)[0]);
  double squares = 0, errors = 0;
  for (int64_t i = 0; i < step.m; ++i) {
    for (int64_t j = 0; j < step.n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < step.k; ++p) {
        sum += static_cast<double>(lhs[i * step.lhs_strides[1] + p * step.lhs_strides[2]]) *
               static_cast<double>(rhs[p * step.rhs_strides[1] + j * step.rhs_strides[2]]);
      }
      squares += sum * sum;
      errors += std::pow(out[i * step.n + j] - sum, 2);
    }
  }
  return std::sqrt(errors / squares) * std::ldexp(1, 24);
}

// Each was off by up to 2.5 times as much when an element's products were all added in a row.
TEST(CpuMatmulTest, ProductsOfFewColumnsAreAddedInShortSums) {
  struct {
    int64_t m, n, k;
    double most;
  } const kProducts[] = {{8, 16, 128, 2.3},  {64, 16, 64, 1.7},  {156, 16, 210, 2.6},
                         {64, 40, 256, 2.6}, {300, 1, 100, 1.7}, {700, 1, 900, 2.8},
                         {64, 2, 300, 2.3},  {1000, 8, 32, 1.6}, {4000, 48, 256, 3.1}};
  for (const auto& [m, n, k, most] : kProducts) {
    for (bool rhs_t : {false, true}) {
      EXPECT_LT(ErrorOf(Step(DType::kF32, DType::kF32, 1, m, n, k, false, rhs_t)), most)
          << m << " x " << k << " x " << n << (rhs_t ? ", rhs transposed" : "");
    }
  }
}

// Bounds are at most a third above what XLA is off by.
TEST(CpuMatmulTest, SmallProductsAreAddedInShortSumsInAllLayouts) {
  struct {
    int64_t m, n, k;
    double most;
  } const kProducts[] = {{24, 72, 160, 2.3},  {200, 72, 300, 3.0}, {300, 300, 300, 4.5},
                         {64, 512, 784, 6.4}, {64, 64, 128, 2.2},  {2, 400, 300, 3.0},
                         {5, 300, 50, 2.2}};
  for (const auto& [m, n, k, most] : kProducts) {
    for (int layout = 0; layout < 4; ++layout) {
      const bool lhs_t = layout % 2 != 0, rhs_t = layout / 2 != 0;
      EXPECT_LT(ErrorOf(Step(DType::kF32, DType::kF32, 1, m, n, k, lhs_t, rhs_t)), most)
          << m << " x " << k << " x " << n << ", layout " << layout;
    }
  }
}

TEST(CpuMatmulTest, BatchStrideZeroSharesOneMatrix) {
  MatmulStep step = Step(DType::kF32, DType::kF32, 4, 5, 6, 7, false, false);
  step.rhs_strides[0] = 0;
  CheckMatmul<float, float>(step, 1);
}

TEST(CpuMatmulTest, EmptySumsAreZero) {
  CheckMatmul<float, float>(Step(DType::kF32, DType::kF32, 2, 3, 4, 0, false, false), 1);
}

// Sizes around the tiles of a matrix unit, and depths with several chains of sums.
template <typename In, typename Out>
void CheckNarrowMatmul(DType in, DType out) {
  if (!CanMatmul(Step(in, out, 1, 32, 32, 64, false, false))) {
    GTEST_SKIP() << "this processor has no such products";
  }
  const auto check = [&](int64_t batch, int64_t m, int64_t n, int64_t k, int layout, int threads) {
    SCOPED_TRACE(absl::StrCat(batch, " of ", m, " x ", k, " x ", n, ", layout ", layout));
    const bool lhs_t = layout % 2 != 0, rhs_t = layout / 2 % 2 != 0;
    MatmulStep step = Step(in, out, batch, m, n, k, lhs_t, rhs_t);
    // The matrices of a batch may also alternate, row by row or column by column.
    if (layout >= 4) {
      step.lhs_strides[0] = lhs_t ? m : k;
      step.lhs_strides[lhs_t ? 2 : 1] *= batch;
      step.rhs_strides[0] = rhs_t ? k : n;
      step.rhs_strides[rhs_t ? 2 : 1] *= batch;
    }
    CheckMatmul<In, Out>(step, threads);
  };
  for (int layout = 0; layout < 8; ++layout) {
    for (int64_t m : {17, 32, 65}) {
      for (int64_t n : {16, 31, 96, 130}) {
        for (int64_t k : {33, 64, 127, 600}) check(layout < 4 ? 1 : 3, m, n, k, layout, 1);
      }
    }
    check(layout < 4 ? 1 : 2, 40, 70, 4203, layout, 2);
    check(9, 33, 40, 65, layout, 3);
  }
  check(1, 530, 1040, 48, 0, 3);
  check(1, 1100, 64, 1056, 3, 1);
}

TEST(CpuMatmulTest, Bf16MatchesTheSumForAllLayouts) {
  CheckNarrowMatmul<Bf16, float>(DType::kBF16, DType::kF32);
}

TEST(CpuMatmulTest, BytesMatchTheSumForAllLayouts) {
  CheckNarrowMatmul<int8_t, int32_t>(DType::kI8, DType::kI32);
}

TEST(CpuMatmulTest, IntegersWhereTheLibraryHasThem) {
  const MatmulStep step = Step(DType::kI8, DType::kI32, 1, 40, 50, 60, false, false);
  if (!CanMatmul(step)) GTEST_SKIP() << "no i8 products here";
  CheckMatmul<int8_t, int32_t>(step, 1);
}

TEST(CpuMatmulTest, SumsOfTheLargestBytesAreExact) {
  constexpr int64_t kSize = 24;
  const MatmulStep step = Step(DType::kI8, DType::kI32, 1, kSize, kSize, kSize, false, false);
  if (!CanMatmul(step)) GTEST_SKIP() << "no i8 products here";
  const std::vector<int8_t> least(kSize * kSize, -128), most(kSize * kSize, 127);
  for (const auto& [lhs, rhs] : {std::pair(least, least), {least, most}, {most, most}}) {
    const Plan plan = MatmulPlan(step, kSize * kSize, kSize * kSize);
    const auto results = RunPlan(plan, {BytesOf(lhs), BytesOf(rhs)}, 1);
    ASSERT_TRUE(results.ok()) << results.status();
    const std::vector<int32_t> expected(kSize * kSize, int32_t{lhs[0]} * rhs[0] * kSize);
    EXPECT_EQ((*results)[0], BytesOf(expected)) << int{lhs[0]} << " x " << int{rhs[0]};
  }
}

TEST(CpuMatmulTest, RefusesTypesThatTheLibraryLacks) {
  EXPECT_FALSE(CanMatmul(Step(DType::kF64, DType::kF64, 1, 4, 4, 4, false, false)));
  EXPECT_FALSE(CanMatmul(Step(DType::kI64, DType::kI64, 1, 4, 4, 4, false, false)));
}

TEST(CpuMatmulTest, SmallProductsAreLeftToLoopsWhereThoseAreFaster) {
  const auto faster = [](int64_t batch, int64_t m, int64_t n, int64_t k, bool rhs_t) {
    return LoopsAreFaster(Step(DType::kF32, DType::kF32, batch, m, n, k, false, rhs_t));
  };
  EXPECT_TRUE(faster(10'000, 8, 8, 8, false));
  EXPECT_TRUE(faster(2, 16, 16, 16, false));
  EXPECT_FALSE(faster(10'000, 8, 8, 8, true));    // Loops would gather the columns.
  EXPECT_FALSE(faster(1000, 16, 16, 16, false));  // The call's cost is spread over the batch.
  EXPECT_FALSE(faster(1000, 8, 12, 8, false));    // Rows are no whole vectors.
  EXPECT_FALSE(faster(1, 1000, 16, 1000, false));
}

TEST(CpuMatmulTest, ResultsDoNotDependOnTheNumberOfThreads) {
  constexpr int64_t kSize = 520;
  const Plan plan = MatmulPlan(Step(DType::kF32, DType::kF32, 1, kSize, kSize, kSize, false, true),
                               kSize * kSize, kSize * kSize);
  std::vector<float> x(kSize * kSize);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  const auto one = RunPlan(plan, {BytesOf(x), BytesOf(x)}, 1);
  const auto three = RunPlan(plan, {BytesOf(x), BytesOf(x)}, 3);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(*one, *three);
}

TEST(CpuMatmulTest, FewRowsOrColumnsAreCutIntoBlocksThatCoverTheOutput) {
  for (bool t : {false, true}) {
    CheckMatmul<float, float>(Step(DType::kF32, DType::kF32, 1, 32, 500, 784, t, !t), 2);
    CheckMatmul<float, float>(Step(DType::kF32, DType::kF32, 1, 500, 31, 784, t, t), 2);
    CheckMatmul<float, float>(Step(DType::kF32, DType::kF32, 3, 1, 1030, 2100, !t, t), 2);
    CheckMatmul<float, float>(Step(DType::kF32, DType::kF32, 1, 784, 509, 32, t, t), 2);
  }
}

// The step of a product with its own transpose: strides of both operands read one matrix.
MatmulStep GramStep(int64_t batch, int64_t n, int64_t k, bool transposed) {
  MatmulStep step = Step(DType::kF32, DType::kF32, batch, n, n, k, transposed, !transposed);
  step.rhs_strides[1] = step.lhs_strides[2];
  step.rhs_strides[2] = step.lhs_strides[1];
  return step;
}

TEST(CpuMatmulTest, AMatrixTimesItsTransposeMatchesTheSumOnBothSidesOfTheDiagonal) {
  const std::array<int64_t, 3> sizes[] = {
      {1, 256, 256}, {1, 257, 130}, {2, 300, 80}, {1, 530, 64}, {1, 1029, 66}};
  for (const auto& [batch, n, k] : sizes) {
    for (bool transposed : {false, true}) {
      const MatmulStep step = GramStep(batch, n, k, transposed);
      const auto x = SmallIntegers<float>(batch * n * k, 3);
      const auto results = RunPlan(GramPlan(step), {BytesOf(x)}, 2);
      ASSERT_TRUE(results.ok()) << results.status();
      ExpectSums(step, x, x, ValuesOf<float>((*results)[0]));
    }
  }
}

TEST(CpuMatmulTest, AMatrixTimesItsTransposeIsSymmetricWithNansAndInfinities) {
  constexpr int64_t kRows = 330, kDepth = 70;
  std::vector<float> x(kRows * kDepth);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  x[5 * kDepth] = std::numeric_limits<float>::quiet_NaN();
  x[200 * kDepth + 3] = std::numeric_limits<float>::infinity();
  const Plan plan = GramPlan(GramStep(1, kRows, kDepth, false));
  const auto one = RunPlan(plan, {BytesOf(x)}, 1);
  const auto three = RunPlan(plan, {BytesOf(x)}, 3);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(*one, *three);
  const std::vector<float> out = ValuesOf<float>((*one)[0]);
  for (int64_t i = 0; i < kRows; ++i) {
    EXPECT_TRUE(std::isnan(out[i * kRows + 5]) && std::isnan(out[5 * kRows + i])) << i;
    for (int64_t j = 0; j < i; ++j) {
      const float below = out[i * kRows + j], above = out[j * kRows + i];
      ASSERT_TRUE(below == above || (std::isnan(below) && std::isnan(above))) << i << " " << j;
    }
  }
  EXPECT_EQ(out[200 * kRows + 200], std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace acceld::kernels::cpu
