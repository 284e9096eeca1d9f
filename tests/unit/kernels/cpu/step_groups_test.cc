// Long plans, whose steps become several LLVM functions.
#include "kernels/cpu/emit/step_groups.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_kernel_builders.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

using Space = Slice::Space;

constexpr size_t kMany = 1000;
const ir::TensorType kI32Scalar{DType::kI32, {}};
const Slice kResult{Space::kResult, 0, 0, 4};

// Kernels, by number: result = argument + 1, argument * 3, argument < 20'000.
std::vector<Kernel> Kernels() {
  std::vector<Kernel> kernels;
  kernels.push_back(MapKernel("increment", DType::kI32, DType::kI32, 1, [](auto& b, Var x) {
    return b.Apply(ScalarOp::kAdd, {x, b.ConstantInt(DType::kI32, 1)});
  }));
  kernels.push_back(MapKernel("triple", DType::kI32, DType::kI32, 1, [](auto& b, Var x) {
    return b.Apply(ScalarOp::kMultiply, {x, b.ConstantInt(DType::kI32, 3)});
  }));
  kernels.push_back(MapKernel("is_small", DType::kI32, DType::kI1, 1, [](auto& b, Var x) {
    return b.Apply(ScalarOp::kLt, {x, b.ConstantInt(DType::kI32, 20'000)});
  }));
  return kernels;
}

Step Launch(uint32_t kernel, const Slice& from, const Slice& to) {
  return {LaunchStep{kernel, {from, to}}, ""};
}
Step Increment() { return Launch(0, kResult, kResult); }

Plan PlanOf(Steps steps) {
  Plan plan;
  plan.kernels = Kernels();
  PlanFunction main{"main", {kI32Scalar}, {kI32Scalar}, kBufferAlignment, {}};
  main.steps = {{CopyStep{SliceOf(Space::kArgument, 0, kI32Scalar), kResult}, ""}};
  main.steps.insert(main.steps.end(), steps.begin(), steps.end());
  plan.functions.push_back(std::move(main));
  return plan;
}

int32_t ResultOf(const Plan& plan, int32_t argument) {
  const auto results = RunPlan(plan, {BytesOf(std::vector<int32_t>{argument})});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? ValuesOf<int32_t>((*results)[0])[0] : -1;
}

SwitchStep Choice(size_t num_branches) {
  SwitchStep choice;
  choice.index = SliceOf(Space::kArgument, 0, kI32Scalar);
  for (size_t i = 0; i < num_branches; ++i) {
    // The branch with number i adds i % 7 + 1.
    choice.branches.emplace_back(i % 7 + 1, Increment());
  }
  return choice;
}

TEST(StepGroupsTest, FewStepsAreOneGroup) {
  EXPECT_LE(GroupSteps({}).size(), 1u);
  EXPECT_EQ(GroupSteps(Steps(20, Increment())), std::vector<size_t>{20});
  EXPECT_EQ(GroupBranches(Choice(5)), std::vector<size_t>{5});
}

TEST(StepGroupsTest, ManyStepsAreGroupsOfBoundedSize) {
  for (const size_t count : {1'000u, 100'000u}) {
    const std::vector<size_t> groups = GroupSteps(Steps(count, Increment()));
    EXPECT_EQ(std::accumulate(groups.begin(), groups.end(), size_t{0}), count);
    EXPECT_LE(*std::max_element(groups.begin(), groups.end()), 256u);
    EXPECT_GE(*std::min_element(groups.begin(), groups.end() - 1), 32u);
  }
}

TEST(StepGroupsTest, StepsOfManyOperandsAreInSmallerGroups) {
  const Step wide{LaunchStep{0, std::vector<Slice>(200, kResult)}, ""};
  const std::vector<size_t> groups = GroupSteps(Steps(100, wide));
  EXPECT_GT(groups.size(), 10u);
  EXPECT_EQ(GroupSteps(Steps(2, Step{LaunchStep{0, std::vector<Slice>(5000, kResult)}, ""})),
            (std::vector<size_t>{1, 1}));
}

TEST(StepGroupsTest, LargeLoopsCountLittleInTheFunctionAroundThem) {
  WhileStep loop;
  loop.body = Steps(10'000, Increment());
  EXPECT_EQ(GroupSteps(Steps(1, Step{loop, ""})), std::vector<size_t>{1});
  loop.body = Steps(20, Increment());
  EXPECT_GT(GroupSteps(Steps(100, Step{loop, ""})).size(), 10u);
}

TEST(StepGroupsTest, ManyBranchesAreGroupsOfBoundedSize) {
  const std::vector<size_t> groups = GroupBranches(Choice(kMany));
  EXPECT_GT(groups.size(), 10u);
  EXPECT_EQ(std::accumulate(groups.begin(), groups.end(), size_t{0}), kMany);
}

TEST(LongPlansTest, RunStepsInTheirOrder) {
  Steps steps;
  uint32_t expected = 5;
  for (size_t i = 0; i < kMany; ++i) {
    steps.push_back(Launch(i % 3 == 0 ? 1 : 0, kResult, kResult));
    expected = i % 3 == 0 ? expected * 3 : expected + 1;
  }
  EXPECT_EQ(ResultOf(PlanOf(steps), 5), static_cast<int32_t>(expected));
}

TEST(LongPlansTest, RunLongBodiesOfLoops) {
  const Slice predicate{Space::kArena, 0, 0, 1};
  WhileStep loop;
  loop.condition = {Launch(2, kResult, predicate)};
  loop.predicate = predicate;
  loop.body = Steps(kMany, Increment());
  EXPECT_EQ(ResultOf(PlanOf({{loop, ""}, Increment()}), 500), 20'501);
}

TEST(LongPlansTest, SelectOneOfManyBranches) {
  constexpr int32_t kBranches = 200;
  const Plan plan = PlanOf({{Choice(kBranches), ""}, Increment()});
  const int32_t last = kBranches - 1;
  for (const int32_t index : {0, 1, 29, 100, last - 1, last}) {
    EXPECT_EQ(ResultOf(plan, index), index + index % 7 + 2) << index;
  }
  for (const int32_t index : {-1, last + 1, 0x7FFFFFFF}) {
    EXPECT_EQ(static_cast<uint32_t>(ResultOf(plan, index)),
              static_cast<uint32_t>(index) + last % 7 + 2)
        << index;
  }
}

TEST(LongPlansTest, StopInTheMiddleWhenCancelled) {
  const Slice predicate{Space::kArena, 0, 0, 1};
  WhileStep forever;
  forever.condition = {Launch(2, kResult, predicate)};
  forever.predicate = predicate;
  forever.body = {Launch(0, kResult, {Space::kArena, 0, 0, 4})};
  Steps steps(kMany, Increment());
  steps.insert(steps.begin() + kMany / 2, {forever, ""});
  const Plan plan = PlanOf(steps);
  const auto module = CompileAndLoad(plan);
  ASSERT_TRUE(module.ok()) << module.status();
  const bool cancelled = true;
  const auto results = RunModule(**module, plan, {BytesOf(std::vector<int32_t>{0})}, 1, &cancelled);
  EXPECT_EQ(results.status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace acceld::kernels::cpu
