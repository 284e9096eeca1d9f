// What passes and plans make of collectives: they take place as often as the program says, in its
// order, and where it says.
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/ir/analysis/bounded_duration.h"
#include "tests/unit/compiler/plan_runner.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

using kernels::Collective;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Notes the collectives. As if all participants had the same values, gathers repeat the operand,
// and everything else gives it.
class Echo final : public kernels::cpu::CollectiveExchange {
 public:
  absl::Status Run(const Collective& collective, int64_t site, const void* const* operands,
                   void* const* results) override {
    calls.push_back(absl::StrCat(site, ":", NameOf(collective.kind)));
    for (size_t i = 0; i < collective.operands.size(); ++i) {
      const auto bytes = static_cast<size_t>(collective.operands[i].size_bytes());
      const auto copies = static_cast<size_t>(collective.results[i].size_bytes()) / bytes;
      for (size_t copy = 0; copy < copies; ++copy) {
        std::memcpy(static_cast<char*>(results[i]) + copy * bytes, operands[i], bytes);
      }
    }
    return absl::OkStatus();
  }

  std::vector<std::string> calls;
};

// A program of one of two partitions. $0 in it is the attributes of all_reduces, and $1 a region
// that adds f32.
ir::Module Program(const std::string& functions) {
  return Parse(absl::StrCat(
      "module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {\n",
      absl::Substitute(functions,
                       "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
                       "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids",
                       R"(({
                          ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                            %sum = stablehlo.add %a, %b : tensor<f32>
                            stablehlo.return %sum : tensor<f32>
                          }))"),
      "}\n"));
}

struct Observed {
  std::vector<std::string> calls;
  std::vector<ir::Literal> results;
};

// Runs the plan of the program in place of both participants.
Observed RunWithEcho(const std::string& functions, const std::vector<ir::Literal>& arguments) {
  const absl::StatusOr<kernels::Plan> plan = PlanOf(Program(functions));
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return {};
  EXPECT_TRUE(kernels::HasCollectives(*plan));
  Echo echo;
  const auto results = RunPlan(*plan, arguments, kernels::RunKernel, nullptr, {}, {}, &echo);
  EXPECT_TRUE(results.ok()) << results.status() << kernels::ToString(*plan);
  return {echo.calls, results.ok() ? *results : std::vector<ir::Literal>()};
}

ir::Literal Scalar(float value) { return ir::Literal::Filled({ir::DType::kF32, {}}, value); }
ir::Literal Int(int32_t value) {
  return ir::Literal::FromValues<int32_t>({ir::DType::kI32, {}}, {value});
}

// The sum is the same in each turn.
constexpr char kLoop[] = R"(
    func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f32>
      cond {
        %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %s = "stablehlo.all_reduce"(%x) <{$0}> $1 : (tensor<f32>) -> tensor<f32>
        %y1 = stablehlo.add %y, %s : tensor<f32>
        %i1 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %i1, %y1 : tensor<i32>, tensor<f32>
      }
      return %r#1 : tensor<f32>
    })";

TEST(CollectivesTest, StayInTheirLoop) {
  const Observed three = RunWithEcho(kLoop, {Int(3), Scalar(2)});
  EXPECT_THAT(three.calls, ElementsAre("0:all_reduce", "0:all_reduce", "0:all_reduce"));
  EXPECT_THAT(three.results, ElementsAre(Scalar(8)));
  EXPECT_THAT(RunWithEcho(kLoop, {Int(0), Scalar(2)}).calls, IsEmpty());
}

TEST(CollectivesTest, OnlyTheBranchThatIsTakenExchanges) {
  const std::string text = R"(
    func.func @main(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
      %0 = "stablehlo.case"(%i) ({
        %1 = "stablehlo.all_reduce"(%x) <{$0}> $1 : (tensor<f32>) -> tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }, {
        stablehlo.return %x : tensor<f32>
      }) : (tensor<i32>) -> tensor<f32>
      return %0 : tensor<f32>
    })";
  EXPECT_THAT(RunWithEcho(text, {Int(0), Scalar(1)}).calls, ElementsAre("0:all_reduce"));
  EXPECT_THAT(RunWithEcho(text, {Int(1), Scalar(1)}).calls, IsEmpty());
}

TEST(CollectivesTest, OfConstantsAreNotFolded) {
  EXPECT_THAT(RunWithEcho(R"(
    func.func @main() -> tensor<f32> {
      %0 = stablehlo.constant dense<3.0> : tensor<f32>
      %1 = "stablehlo.all_reduce"(%0) <{$0}> $1 : (tensor<f32>) -> tensor<f32>
      return %1 : tensor<f32>
    })",
                          {})
                  .calls,
              ElementsAre("0:all_reduce"));
}

TEST(CollectivesTest, KeepTheirOrderAmongWhatIsFused) {
  EXPECT_THAT(RunWithEcho(R"(
    func.func @main(%x: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
      %0 = stablehlo.sine %x : tensor<2xf32>
      %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, $0}> : (tensor<2xf32>) -> tensor<4xf32>
      %2 = stablehlo.add %0, %x : tensor<2xf32>
      %3 = "stablehlo.all_reduce"(%2) <{$0}> $1 : (tensor<2xf32>) -> tensor<2xf32>
      %4 = stablehlo.add %1, %1 : tensor<4xf32>
      %5 = stablehlo.add %3, %0 : tensor<2xf32>
      return %4, %5 : tensor<4xf32>, tensor<2xf32>
    })",
                          {ir::Literal::Filled({ir::DType::kF32, {2}}, 1)})
                  .calls,
              ElementsAre("0:all_gather", "1:all_reduce"));
}

TEST(CollectivesTest, GoWhenNobodyNeedsThemAndEqualOnesAreOne) {
  const Observed run = RunWithEcho(R"(
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.sine %x : tensor<f32>
      %1 = "stablehlo.all_reduce"(%0) <{$0}> $1 : (tensor<f32>) -> tensor<f32>
      %2 = "stablehlo.all_reduce"(%x) <{$0}> $1 : (tensor<f32>) -> tensor<f32>
      %3 = "stablehlo.all_reduce"(%x) <{$0}> $1 : (tensor<f32>) -> tensor<f32>
      %4 = stablehlo.add %2, %3 : tensor<f32>
      return %4 : tensor<f32>
    })",
                                   {Scalar(3)});
  EXPECT_THAT(run.calls, ElementsAre("0:all_reduce"));
  EXPECT_THAT(run.results, ElementsAre(Scalar(6)));
}

// 2a - b is a if all values are the same. From an initial value it would not be.
TEST(CollectivesTest, OtherRegionsReduceWhatIsGathered) {
  const Observed run = RunWithEcho(R"(
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = "stablehlo.all_reduce"(%x) <{$0}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %1 = stablehlo.add %a, %a : tensor<f32>
        %2 = stablehlo.subtract %1, %b : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    })",
                                   {Scalar(5)});
  EXPECT_THAT(run.calls, ElementsAre("0:all_gather"));
  EXPECT_THAT(run.results, ElementsAre(Scalar(5)));
}

TEST(CollectivesTest, WithoutOtherParticipantsARunFails) {
  const auto plan = PlanOf(Program(kLoop));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(RunPlan(*plan, {Int(1), Scalar(1)}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace acceld::compiler
