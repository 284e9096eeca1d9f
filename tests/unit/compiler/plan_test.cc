#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/compiler/plan/build_plan.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

using testing::HasSubstr;

template <typename Kind>
int CountSteps(const kernels::Steps& steps) {
  int count = 0;
  for (const kernels::Step& step : steps) {
    if (std::holds_alternative<Kind>(step.value)) ++count;
    if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      count += CountSteps<Kind>(loop->condition) + CountSteps<Kind>(loop->body);
    }
    if (const auto* choice = std::get_if<kernels::SwitchStep>(&step.value)) {
      for (const kernels::Steps& branch : choice->branches) count += CountSteps<Kind>(branch);
    }
  }
  return count;
}
using kernels::CallStep;
using kernels::CopyStep;
using kernels::LaunchStep;
using kernels::MatmulStep;

TEST(PlanTest, FusesAnElementwiseChainIntoOneKernelThatWritesTheResult) {
  const char* text = R"(
    func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
      %c = stablehlo.constant dense<2.0> : tensor<f32>
      %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<100xf32>
      %0 = stablehlo.multiply %x, %b : tensor<100xf32>
      %1 = stablehlo.exponential %0 : tensor<100xf32>
      %2 = stablehlo.add %1, %x : tensor<100xf32>
      return %2 : tensor<100xf32>
    })";
  ExpectPlanMatchesInterpreter(text);
  const auto plan = PlanOf(Parse(text));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->kernels.size(), 1u);
  EXPECT_EQ(plan->entry().steps.size(), 1u);
  EXPECT_EQ(plan->entry().arena_bytes, 0);
  EXPECT_TRUE(plan->constants.empty());
}

TEST(PlanTest, FusesProducersIntoAReduction) {
  const char* text = R"(
    func.func @main(%x: tensor<8x16xf32>) -> tensor<8xf32> {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.exponential %x : tensor<8x16xf32>
      %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
      return %1 : tensor<8xf32>
    })";
  ExpectPlanMatchesInterpreter(text);
  const auto plan = PlanOf(Parse(text));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(CountSteps<LaunchStep>(plan->entry().steps), 1);
}

TEST(PlanTest, Softmax) {
  ExpectPlanMatchesInterpreter(R"(
    func.func @main(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
      %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %m = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
      %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<5xf32>) -> tensor<5x7xf32>
      %d = stablehlo.subtract %x, %mb : tensor<5x7xf32>
      %e = stablehlo.exponential %d : tensor<5x7xf32>
      %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<5xf32>
      %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<5xf32>) -> tensor<5x7xf32>
      %r = stablehlo.divide %e, %sb : tensor<5x7xf32>
      return %r : tensor<5x7xf32>
    })");
}

// The classic mistake: the first carried value is overwritten before the second is read.
TEST(PlanTest, SwapsLoopCarriedValues) {
  ExpectPlanMatchesInterpreter(R"(
    func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i32>) {
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %0:3 = stablehlo.while(%i = %c0, %x = %a, %y = %b) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
        cond {
          %n = stablehlo.constant dense<3> : tensor<i32>
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %j, %y, %x : tensor<i32>, tensor<4xf32>, tensor<4xf32>
        }
      return %0#1, %0#2, %0#0 : tensor<4xf32>, tensor<4xf32>, tensor<i32>
    })");
}

TEST(PlanTest, RotatesAndComputesLoopCarriedValuesThatAreStillRead) {
  ExpectPlanMatchesInterpreter(R"(
    func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %k: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %0:4 = stablehlo.while(%i = %c0, %x = %a, %y = %b, %z = %a) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
        cond {
          %n = stablehlo.constant dense<5> : tensor<i32>
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          %s = stablehlo.add %x, %k : tensor<4xf32>
          %t = stablehlo.sine %s : tensor<4xf32>
          %u = stablehlo.reverse %y, dims = [0] : tensor<4xf32>
          %v = stablehlo.add %u, %x : tensor<4xf32>
          stablehlo.return %j, %z, %t, %v : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
        }
      return %0#1, %0#2, %0#3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    })");
}

constexpr char kScan[] = R"(
    func.func @main(%a: tensor<3xf32>, %xs: tensor<6x3xf32>) -> (tensor<3xf32>, tensor<6x3xf32>) {
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %zf = stablehlo.constant dense<0.0> : tensor<f32>
      %ys0 = stablehlo.broadcast_in_dim %zf, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
      %0:3 = stablehlo.while(%i = %c0, %x = %a, %ys = %ys0) : tensor<i32>, tensor<3xf32>, tensor<6x3xf32>
        cond {
          %n = stablehlo.constant dense<6> : tensor<i32>
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %z = stablehlo.constant dense<0> : tensor<i32>
          %row = stablehlo.dynamic_slice %xs, %i, %z, sizes = [1, 3] : (tensor<6x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
          %r = stablehlo.reshape %row : (tensor<1x3xf32>) -> tensor<3xf32>
          %s = stablehlo.add %x, %r : tensor<3xf32>
          %t = stablehlo.tanh %s : tensor<3xf32>
          %u = stablehlo.reshape %t : (tensor<3xf32>) -> tensor<1x3xf32>
          %w = stablehlo.dynamic_update_slice %ys, %u, %i, %z : (tensor<6x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<6x3xf32>
          %j = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %j, %t, %w : tensor<i32>, tensor<3xf32>, tensor<6x3xf32>
        }
      return %0#1, %0#2 : tensor<3xf32>, tensor<6x3xf32>
    })";

TEST(PlanTest, AScanUpdatesItsOutputInPlaceWithoutCopies) {
  ExpectPlanMatchesInterpreter(kScan);
  const auto plan = PlanOf(Parse(kScan));
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (const kernels::Step& step : plan->entry().steps) {
    if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      EXPECT_EQ(CountSteps<CopyStep>(loop->body), 0) << kernels::ToString(*plan);
    }
  }
}

// What an iteration cannot compute in place goes to and fro between two buffers: the only copy is
// that of a loop which ends after an odd number of iterations.
TEST(PlanTest, LoopsAlternateBetweenTwoBuffers) {
  const auto text = [](int iterations) {
    return absl::StrCat(R"(
    func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>, %k: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %0:4 = stablehlo.while(%i = %c0, %x = %a, %y = %b, %z = %k) : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
        cond {
          %n = stablehlo.constant dense<)",
                        iterations, R"(> : tensor<i32>
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          %r = stablehlo.reverse %x, dims = [0] : tensor<4xf32>
          %s = stablehlo.add %r, %x : tensor<4xf32>
          %t = stablehlo.reverse %y, dims = [0] : tensor<4xf32>
          %u = stablehlo.multiply %t, %r : tensor<4xf32>
          stablehlo.return %j, %s, %u, %y : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
        }
      return %0#1, %0#2, %0#3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    })");
  };
  for (const int iterations : {0, 1, 2, 3, 4, 7}) {
    SCOPED_TRACE(iterations);
    ExpectPlanMatchesInterpreter(text(iterations).c_str());
  }
  const auto plan = PlanOf(Parse(text(5)));
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (const kernels::Step& step : plan->entry().steps) {
    const auto* loop = std::get_if<kernels::WhileStep>(&step.value);
    if (loop == nullptr) continue;
    const auto* choice = std::get_if<kernels::SwitchStep>(&loop->body.back().value);
    ASSERT_NE(choice, nullptr) << kernels::ToString(*plan);
    const int outside = CountSteps<CopyStep>(choice->branches[1]);
    EXPECT_GE(outside, 2) << kernels::ToString(*plan);
    // %z shows the value that %y had, which takes a copy in each iteration.
    EXPECT_EQ(CountSteps<CopyStep>(loop->body) - outside, 2) << kernels::ToString(*plan);
  }
}

TEST(PlanTest, LoopBodiesReadValuesFromOutsideAgainInEachIteration) {
  ExpectPlanMatchesInterpreter(R"(
    func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %k = stablehlo.reverse %a, dims = [0] : tensor<8xf32>
      %q = stablehlo.dot_general %a, %k, contracting_dims = [] x [] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
      %0:2 = stablehlo.while(%i = %c0, %x = %k) : tensor<i32>, tensor<8xf32>
        cond {
          %n = stablehlo.constant dense<4> : tensor<i32>
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          %m = stablehlo.dot_general %q, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
          %s = stablehlo.sine %m : tensor<8xf32>
          %t = stablehlo.add %s, %k : tensor<8xf32>
          stablehlo.return %j, %t : tensor<i32>, tensor<8xf32>
        }
      return %0#1 : tensor<8xf32>
    })");
}

TEST(PlanTest, BranchesWriteOneCommonResult) {
  ExpectPlanMatchesInterpreter(R"(
    func.func @main(%i: tensor<i32>, %a: tensor<8xf32>, %p: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0:2 = "stablehlo.case"(%i) ({
        %1 = stablehlo.sine %a : tensor<8xf32>
        stablehlo.return %1, %a : tensor<8xf32>, tensor<8xf32>
      }, {
        %1 = stablehlo.negate %a : tensor<8xf32>
        stablehlo.return %a, %1 : tensor<8xf32>, tensor<8xf32>
      }, {
        %1 = stablehlo.reverse %a, dims = [0] : tensor<8xf32>
        stablehlo.return %1, %1 : tensor<8xf32>, tensor<8xf32>
      }) : (tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>)
      %2 = "stablehlo.if"(%p) ({
        stablehlo.return %0#1 : tensor<8xf32>
      }, {
        %3 = stablehlo.add %0#0, %0#1 : tensor<8xf32>
        stablehlo.return %3 : tensor<8xf32>
      }) : (tensor<i1>) -> tensor<8xf32>
      return %2, %0#0 : tensor<8xf32>, tensor<8xf32>
    })");
}

TEST(PlanTest, CopiesResultsThatAreArgumentsConstantsOrRepeated) {
  ExpectPlanMatchesInterpreter(R"(
    func.func @main(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<3xf32>) {
      %c = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
      %0 = stablehlo.negate %a : tensor<3xf32>
      return %0, %a, %c, %0 : tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<3xf32>
    })");
}

TEST(PlanTest, MatrixProductsGoToTheLibraryWithStridesInsteadOfTransposes) {
  const char* text = R"(
    func.func @main(%a: tensor<40x50xf32>, %b: tensor<60x50xf32>) -> tensor<40x60xf32> {
      %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<60x50xf32>) -> tensor<50x60xf32>
      %0 = stablehlo.dot_general %a, %t, contracting_dims = [1] x [0] : (tensor<40x50xf32>, tensor<50x60xf32>) -> tensor<40x60xf32>
      return %0 : tensor<40x60xf32>
    })";
  ExpectPlanMatchesInterpreter(text);
  const auto plan = PlanOf(Parse(text));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->entry().steps.size(), 1u);
  EXPECT_EQ(CountSteps<MatmulStep>(plan->entry().steps), 1);
}

TEST(PlanTest, BatchedProductsOfSplitHeadsMatch) {
  ExpectPlanMatchesInterpreter(R"(
    func.func @main(%q: tensor<2x16x3x8xf32>, %k: tensor<2x24x3x8xf32>) -> tensor<2x3x16x24xf32> {
      %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x16x3x8xf32>, tensor<2x24x3x8xf32>) -> tensor<2x3x16x24xf32>
      return %0 : tensor<2x3x16x24xf32>
    })");
}

TEST(PlanTest, ALargeFunctionThatIsCalledOftenIsPlannedOnce) {
  std::string body = "%v0 = stablehlo.sine %x : tensor<4xf32>\n";
  for (int i = 1; i < 80; ++i) {
    absl::StrAppend(&body, "%v", i, " = stablehlo.", i % 2 == 0 ? "sine" : "cosine", " %v", i - 1,
                    " : tensor<4xf32>\n");
  }
  std::string calls = "%c0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>\n";
  for (int i = 1; i < 20; ++i) {
    absl::StrAppend(&calls, "%c", i, " = call @f(%c", i - 1,
                    ") : (tensor<4xf32>) -> tensor<4xf32>\n");
  }
  const std::string text =
      absl::StrCat("module { func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n", calls,
                   "return %c19 : tensor<4xf32> }\n func.func private @f(%x: tensor<4xf32>) -> "
                   "tensor<4xf32> {\n",
                   body, "return %v79 : tensor<4xf32> } }");
  ExpectPlanMatchesInterpreter(text);
  const auto plan = PlanOf(Parse(text));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->functions.size(), 2u);
  EXPECT_EQ(CountSteps<CallStep>(plan->entry().steps), 20);
}

TEST(PlanTest, EqualKernelsAreMadeOnce) {
  const auto plan = PlanOf(Parse(R"(
    func.func @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = "stablehlo.sort"(%x) ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1> }) {dimension = 0 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
      %1 = "stablehlo.sort"(%0) ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1> }) {dimension = 0 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
      return %1 : tensor<8x4xf32>
    })"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->entry().steps.size() % 2, 0u);
  EXPECT_EQ(plan->kernels.size(), plan->entry().steps.size() / 2);
}

TEST(PlanTest, UnknownCustomCallIsUnimplementedAndNamed) {
  const auto plan = PlanOf(Parse(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @mystery(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })"));
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("mystery"));
}

TEST(PlanTest, RegionsOfNestsUseValuesFromAround) {
  ExpectPlanMatchesInterpreter(R"(
    func.func @main(%x: tensor<4x6xf32>, %k: tensor<f32>, %at: tensor<3x1xi32>,
                    %u: tensor<3x6xf32>)
        -> (tensor<4xf32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %two = stablehlo.constant dense<2.0> : tensor<f32>
      %sum = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.multiply %b, %k : tensor<f32>
        %s = stablehlo.add %a, %p : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
      %window = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 2>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.multiply %b, %two : tensor<f32>
        %q = stablehlo.subtract %p, %k : tensor<f32>
        %s = stablehlo.add %a, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x5xf32>
      %scattered = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers =
          #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.multiply %b, %k : tensor<f32>
        %s = stablehlo.add %a, %p : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x6xf32>
      %sorted = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %p = stablehlo.multiply %a, %k : tensor<f32>
        %q = stablehlo.multiply %b, %k : tensor<f32>
        %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %s : tensor<i1>
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      return %sum, %window, %scattered, %sorted
        : tensor<4xf32>, tensor<4x5xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    })");
}

// Each function calls the next one twice: inlined without end this is a thousand million ops.
TEST(PlanTest, CallsThatDoubleStayCalls) {
  std::string text =
      "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n"
      "  %0 = func.call @f0(%x) : (tensor<i32>) -> tensor<i32>\n"
      "  return %0 : tensor<i32>\n}\n";
  for (int i = 0; i < 30; ++i) {
    const std::string next =
        i == 29 ? "stablehlo.negate %x : tensor<i32>"
                : absl::StrCat("func.call @f", i + 1, "(%x) : (tensor<i32>) -> tensor<i32>");
    const std::string again =
        i == 29 ? "stablehlo.negate %0 : tensor<i32>"
                : absl::StrCat("func.call @f", i + 1, "(%0) : (tensor<i32>) -> tensor<i32>");
    absl::StrAppend(&text, "func.func private @f", i,
                    "(%x: tensor<i32>) -> tensor<i32> {\n  %0 = ", next, "\n  %1 = ", again,
                    "\n  return %1 : tensor<i32>\n}\n");
  }
  const absl::StatusOr<kernels::Plan> plan = PlanOf(Parse(text), {"simplify-algebra"});
  ASSERT_TRUE(plan.ok()) << plan.status();
  size_t steps = 0;
  for (const kernels::PlanFunction& function : plan->functions) steps += function.steps.size();
  EXPECT_LT(steps, 5'000);
}

TEST(PlanTest, EpiloguesComputeWhatTheOpsDo) {
  // A residual that only this reads and one that is read again; a bias of two dimensions; batches.
  const char* const text = R"(
func.func @main(%a: tensor<2x6x8xf32>, %w: tensor<8x3x4xf32>, %bias: tensor<3x4xf32>,
                %r: tensor<2x6x3x4xf32>) -> (tensor<2x6x3x4xf32>, tensor<2x6x6xf32>) {
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %halves = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<2x6x3x4xf32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<2x6x3x4xf32>
  %p = stablehlo.dot_general %a, %w, contracting_dims = [2] x [0] : (tensor<2x6x8xf32>, tensor<8x3x4xf32>) -> tensor<2x6x3x4xf32>
  %s = stablehlo.multiply %halves, %p : tensor<2x6x3x4xf32>
  %v = stablehlo.broadcast_in_dim %bias, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x6x3x4xf32>
  %b = stablehlo.add %v, %s : tensor<2x6x3x4xf32>
  %q = stablehlo.add %b, %r : tensor<2x6x3x4xf32>
  %y = stablehlo.maximum %zeros, %q : tensor<2x6x3x4xf32>
  %g = stablehlo.dot_general %a, %a, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x6x8xf32>, tensor<2x6x8xf32>) -> tensor<2x6x6xf32>
  %h = stablehlo.dot_general %y, %y, batching_dims = [0] x [0], contracting_dims = [2, 3] x [2, 3] : (tensor<2x6x3x4xf32>, tensor<2x6x3x4xf32>) -> tensor<2x6x6xf32>
  %z = stablehlo.subtract %h, %g : tensor<2x6x6xf32>
  return %y, %z : tensor<2x6x3x4xf32>, tensor<2x6x6xf32>
})";
  const CublasLtPlanGenerator target;
  ExpectPlanMatchesInterpreter(text, {}, target);
  const auto plan = PlanOf(Parse(text), {}, target);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(plan->kernels.empty()) << kernels::ToString(*plan);
  EXPECT_EQ(CountSteps<MatmulStep>(plan->entry().steps), 3);
}

}  // namespace
}  // namespace acceld::compiler
