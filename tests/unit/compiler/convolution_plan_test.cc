#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

struct Counts {
  int convolutions = 0, launches = 0;
};

Counts CountSteps(const std::string& text) {
  const auto plan = PlanOf(Parse(text));
  EXPECT_TRUE(plan.ok()) << plan.status();
  Counts counts;
  if (!plan.ok()) return counts;
  for (const kernels::Step& step : plan->entry().steps) {
    counts.convolutions += std::holds_alternative<kernels::ConvolutionStep>(step.value);
    counts.launches += std::holds_alternative<kernels::LaunchStep>(step.value);
  }
  return counts;
}

std::string Convolution(
    const std::string& lhs, const std::string& rhs, const std::string& out,
    const std::string& numbers, const std::string& window,
    const std::string& groups = "batch_group_count = 1 : i64, feature_group_count = 1 : i64") {
  return absl::StrCat("func.func @main(%x: tensor<", lhs, ">, %k: tensor<", rhs, ">) -> tensor<",
                      out, "> {\n  %0 = stablehlo.convolution(%x, %k) dim_numbers = ", numbers,
                      ", window = {", window, "} {", groups, "} : (tensor<", lhs, ">, tensor<", rhs,
                      ">) -> tensor<", out, ">\n  return %0 : tensor<", out, ">\n}");
}

TEST(ConvolutionPlanTest, UsualLayoutsGoToTheLibraryAsTheyAre) {
  const std::string texts[] = {
      Convolution("2x9x8x5xf32", "3x3x5x6xf32", "2x5x4x6xf32",
                  "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                  "stride = [2, 2], pad = [[1, 1], [1, 0]]"),
      Convolution("2x5x9x8xf32", "6x5x3x3xf32", "2x6x9x8xf32",
                  "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "pad = [[1, 1], [1, 1]]"),
      // The gradient of a kernel.
      Convolution("4x9x8x5xf32", "4x9x8x6xf32", "3x3x5x6xf32",
                  "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]", "pad = [[1, 1], [1, 1]]"),
      Convolution("2x30x8xf32", "4x4x16xf32", "2x27x16xf32", "[b, 0, f]x[0, i, o]->[b, 0, f]", "",
                  "batch_group_count = 1 : i64, feature_group_count = 2 : i64")};
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    ExpectPlanMatchesInterpreter(text);
    const Counts counts = CountSteps(text);
    EXPECT_EQ(counts.convolutions, 1);
    EXPECT_EQ(counts.launches, 0);
  }
}

TEST(ConvolutionPlanTest, TheKernelIsTransposedWhereThatIsEnough) {
  // The gradient of an input.
  const std::string text = Convolution("2x9x8x6xf32", "3x3x5x6xf32", "2x9x8x5xf32",
                                       "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
                                       "pad = [[1, 1], [1, 1]], reverse = [true, true]");
  ExpectPlanMatchesInterpreter(text);
  const Counts counts = CountSteps(text);
  EXPECT_EQ(counts.convolutions, 1);
  EXPECT_EQ(counts.launches, 1);
}

TEST(ConvolutionPlanTest, OtherLayoutsAreTransposedAround) {
  const std::string text = Convolution(
      "8x5x9x4xf32", "3x6x3x5xf32", "6x9x4x8xf32", "[1, f, 0, b]x[0, o, 1, i]->[f, 0, b, 1]",
      "pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1], lhs_dilate = [1, 1]");
  ExpectPlanMatchesInterpreter(text);
  EXPECT_EQ(CountSteps(text).convolutions, 1);
}

TEST(ConvolutionPlanTest, WhatTheLibraryLacksBecomesLoops) {
  for (const char* type : {"f64", "i32"}) {
    const std::string text =
        Convolution(absl::StrCat("2x5x9x8x", type), absl::StrCat("8x5x3x3x", type),
                    absl::StrCat("2x8x7x6x", type), "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "");
    ExpectPlanMatchesInterpreter(text);
    EXPECT_EQ(CountSteps(text).convolutions, 0);
  }
  // One output feature in a group.
  const std::string depthwise = Convolution(
      "2x9x8x16xf32", "3x3x1x16xf32", "2x7x6x16xf32", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "",
      "batch_group_count = 1 : i64, feature_group_count = 16 : i64");
  ExpectPlanMatchesInterpreter(depthwise);
  EXPECT_EQ(CountSteps(depthwise).convolutions, 0);
}

}  // namespace
}  // namespace acceld::compiler
