#include "kernels/cpu/emit/plan_split.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;

// A kernel of about so many statements.
Kernel KernelOfSize(const std::string& name, int size) {
  return MapKernel(name, DType::kF32, DType::kF32, 8, [size](KernelBuilder& b, Var x) {
    for (int i = 0; i < size; ++i) x = b.Apply(ScalarOp::kAdd, {x, x});
    return x;
  });
}

Plan PlanOf(const std::vector<int>& sizes) {
  Plan plan;
  for (const int size : sizes) {
    plan.kernels.push_back(KernelOfSize(absl::StrCat("k", plan.kernels.size()), size));
  }
  return plan;
}

TEST(PlanSplitTest, SmallPlansAndPlansWithoutKernelsAreOnePart) {
  EXPECT_EQ(SplitPlan({}).num_parts, 1u);
  const PlanSplit split = SplitPlan(PlanOf({3, 3}));
  EXPECT_EQ(split.num_parts, 1u);
  EXPECT_EQ(split.part_of_kernel, (std::vector<size_t>{0, 0}));
}

TEST(PlanSplitTest, TwoKernelsThatAreWorthACoreEachAreTwoParts) {
  const PlanSplit split = SplitPlan(PlanOf({20, 10}));
  EXPECT_EQ(split.num_parts, 2u);
  EXPECT_EQ(split.part_of_kernel, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(SplitPlan(PlanOf({20, 10, 5})).num_parts, 2u);
}

TEST(PlanSplitTest, AKernelIsNeverCut) {
  EXPECT_EQ(SplitPlan(PlanOf({10'000})).num_parts, 1u);
  EXPECT_EQ(SplitPlan(PlanOf({10'000, 10'000})).num_parts, 2u);
}

TEST(PlanSplitTest, PartsAreAboutEquallyLargeAndAllHaveSomething) {
  std::vector<int> sizes;
  for (int i = 0; i < 200; ++i) sizes.push_back(1 + i % 40);
  const PlanSplit split = SplitPlan(PlanOf(sizes));
  ASSERT_EQ(split.part_of_kernel.size(), sizes.size());
  ASSERT_GT(split.num_parts, 4u);
  std::vector<int> filled(split.num_parts);
  for (size_t k = 0; k < sizes.size(); ++k) {
    ASSERT_LT(split.part_of_kernel[k], split.num_parts);
    filled[split.part_of_kernel[k]] += sizes[k] + 10;
  }
  const auto [least, most] = std::minmax_element(filled.begin(), filled.end());
  EXPECT_GT(*least, 0);
  EXPECT_LT(*most, 1.3 * *least);
}

// A kernel that copies, and rarely does so many statements more; with a value that leaves them or
// without.
Kernel KernelWithRareBranch(const std::string& name, int size, bool gives_value) {
  return MapKernel(name, DType::kF32, DType::kF32, 8, [=](KernelBuilder& b, Var x) {
    const uint32_t out = 1;
    const auto results = b.RareIf(
        b.Apply(ScalarOp::kGt, {x, b.ConstantFloat(DType::kF32, 1)}),
        [&]() -> std::vector<Var> {
          Var sum = x;
          for (int i = 0; i < size; ++i) sum = b.Apply(ScalarOp::kAdd, {sum, sum});
          if (gives_value) return {sum};
          b.Store(out, b.Index(0), sum);
          return {};
        },
        [&]() -> std::vector<Var> {
          return gives_value ? std::vector<Var>{x} : std::vector<Var>{};
        });
    return gives_value ? results[0] : x;
  });
}

TEST(PlanSplitTest, LongRareBranchesComeInPartsAfterThoseOfKernels) {
  Plan plan;
  plan.kernels.push_back(KernelWithRareBranch("long", 1000, false));
  plan.kernels.push_back(KernelWithRareBranch("short", 3, false));
  plan.kernels.push_back(KernelWithRareBranch("middle", 500, false));
  const PlanSplit split = SplitPlan(plan);
  const std::vector<size_t>&usual = split.part_of_kernel, &rare = split.part_of_rare;
  EXPECT_EQ(rare[1], usual[1]);
  for (const size_t part : usual) EXPECT_LT(part, std::min(rare[0], rare[2]));
  EXPECT_NE(rare[0], rare[2]);
  EXPECT_EQ(split.num_parts, std::max(rare[0], rare[2]) + 1);
}

TEST(PlanSplitTest, RareBranchesThatGiveValuesStay) {
  Plan plan;
  plan.kernels.push_back(KernelWithRareBranch("k", 1000, true));
  EXPECT_EQ(SplitPlan(plan).num_parts, 1u);
}

TEST(PlanSplitTest, TheNumberOfPartsIsBounded) {
  EXPECT_LE(SplitPlan(PlanOf(std::vector<int>(5000, 20))).num_parts, 32u);
}

}  // namespace
}  // namespace acceld::kernels::cpu
