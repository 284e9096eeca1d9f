#include "kernels/cpu/emit/plan_split.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/unit/kernels/cpu_kernel_builders.h"

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

TEST(PlanSplitTest, TheNumberOfPartsIsBounded) {
  EXPECT_LE(SplitPlan(PlanOf(std::vector<int>(5000, 20))).num_parts, 32u);
}

}  // namespace
}  // namespace acceld::kernels::cpu
