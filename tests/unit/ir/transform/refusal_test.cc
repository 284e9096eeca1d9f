#include <string>

#include "absl/strings/str_cat.h"
#include "common/ir/text.h"
#include "common/ir/transform/transforms.h"
#include "gmock/gmock.h"
#include "tests/unit/ir/transform/batch_check.h"
#include "tests/unit/ir/transform/derivative_check.h"

// What cannot be transformed is refused, with the op and the reason.
namespace acceld::ir {
namespace {

using ::testing::HasSubstr;

Module Parse(const std::string& text) {
  absl::StatusOr<Module> module = ParseModule(text, "test");
  EXPECT_TRUE(module.ok()) << module.status() << text;
  return module.ok() ? *std::move(module) : Module();
}

// A program of one op of one f64 vector.
std::string Of(const std::string& body) {
  return absl::StrCat("func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {\n", body,
                      "\n return %y : tensor<3xf64>\n}");
}

const char kUntilLarge[] = R"(
  func.func @main(%x: tensor<f64>) -> tensor<f64> {
    %n = stablehlo.constant dense<100.0> : tensor<f64>
    %r = stablehlo.while(%y = %x) : tensor<f64>
      cond {
        %p = stablehlo.compare LT, %y, %n, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %z = stablehlo.multiply %y, %y : tensor<f64>
        %w = stablehlo.add %z, %y : tensor<f64>
        stablehlo.return %w : tensor<f64>
      }
    return %r : tensor<f64>
  })";

TEST(RefusalTest, ALoopThatDependsOnDataHasForwardModeOnly) {
  CheckTangents(kUntilLarge, 1, 3);
  const absl::Status refused = Vjp(Parse(kUntilLarge), "main", {true}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      refused.message(),
      "stablehlo.while cannot be differentiated: the number of its iterations is not known "
      "before it runs; in reverse mode only loops that count by a constant from a constant to "
      "a constant have derivatives");
}

TEST(RefusalTest, EachExampleOfALoopEndsInItsOwnTime) { CheckBatches(kUntilLarge, 1, 20); }

TEST(RefusalTest, OpsWithoutADerivativeAreRefusedByName) {
  const std::pair<std::string, std::string> refusals[] = {
      {"%y = stablehlo.custom_call @secret(%x) : (tensor<3xf64>) -> tensor<3xf64>",
       "stablehlo.custom_call cannot be differentiated: no derivative of 'secret' is known"},
      {R"(%0 = stablehlo.constant dense<0.0> : tensor<f64>
          %s = "stablehlo.reduce"(%x, %0) ({
            ^bb0(%a: tensor<f64>, %b: tensor<f64>):
              %c = stablehlo.power %a, %b : tensor<f64>
              stablehlo.return %c : tensor<f64>
          }) {dimensions = array<i64: 0>} : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
          %y = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f64>) -> tensor<3xf64>)",
       "stablehlo.reduce cannot be differentiated: its reducer is neither a sum, a product, a "
       "maximum nor a minimum"},
      {R"(%y = "stablehlo.map"(%x) ({
            ^bb0(%a: tensor<f64>):
              stablehlo.return %a : tensor<f64>
          }) {dimensions = array<i64: 0>} : (tensor<3xf64>) -> tensor<3xf64>)",
       "stablehlo.map cannot be differentiated: write its function with elementwise ops"},
  };
  for (const auto& [body, message] : refusals) {
    EXPECT_EQ(Vjp(Parse(Of(body)), "main", {true}).status(), absl::InvalidArgumentError(message));
    EXPECT_EQ(Jvp(Parse(Of(body)), "main", {true}).status(), absl::InvalidArgumentError(message));
    // It does not matter where nothing active goes.
    EXPECT_TRUE(Jvp(Parse(Of(body)), "main", {false}).ok());
  }
}

TEST(RefusalTest, WhatIsNotLinearHasNoTranspose) {
  EXPECT_EQ(
      TransposeLinear(Parse(Of("%y = stablehlo.sine %x : tensor<3xf64>")), "main", {true}).status(),
      absl::InvalidArgumentError("stablehlo.sine cannot be transposed: it is not linear"));
  EXPECT_EQ(
      TransposeLinear(Parse(Of("%y = stablehlo.multiply %x, %x : tensor<3xf64>")), "main", {true})
          .status(),
      absl::InvalidArgumentError("stablehlo.multiply cannot be transposed: both factors "
                                 "depend on linear arguments"));
  const std::string affine =
      "%1 = stablehlo.constant dense<1.0> : tensor<3xf64>\n"
      "%y = stablehlo.add %x, %1 : tensor<3xf64>";
  EXPECT_EQ(TransposeLinear(Parse(Of(affine)), "main", {true}).status(),
            absl::InvalidArgumentError("stablehlo.add cannot be transposed: one of its terms does "
                                       "not depend on linear arguments"));
}

TEST(RefusalTest, MasksMustFitTheArguments) {
  const Module module = Parse(
      "func.func @main(%x: tensor<3xf64>, %i: tensor<i32>) -> tensor<3xf64> {\n"
      "return %x : tensor<3xf64>\n}");
  EXPECT_EQ(Vjp(module, "main", {true}).status(),
            absl::InvalidArgumentError("@main has 2 arguments, and the mask 1"));
  EXPECT_EQ(Jvp(module, "main", {true, true}).status(),
            absl::InvalidArgumentError("@main: argument 1 is tensor<i32>; only floats and complex "
                                       "numbers have derivatives"));
  EXPECT_EQ(Vjp(module, "other", {true, false}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Batch(module, "main", {true}, 4).status(),
            absl::InvalidArgumentError("@main has 2 arguments, and the mask 1"));
}

TEST(RefusalTest, SideEffectsHaveNoOrderInABatch) {
  EXPECT_THAT(
      std::string(
          Batch(Parse(Of("%y = stablehlo.custom_call @secret(%x) {has_side_effect = true} : "
                         "(tensor<3xf64>) -> tensor<3xf64>")),
                "main", {true}, 4)
              .status()
              .message()),
      HasSubstr("stablehlo.custom_call cannot be batched: it has side effects"));
}

}  // namespace
}  // namespace acceld::ir
