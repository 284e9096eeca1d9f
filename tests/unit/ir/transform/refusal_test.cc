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

// Somebody may write a composite by hand that has the name of one with a rule.
TEST(RefusalTest, CompositesThatTheirRuleDoesNotExpect) {
  const std::string functions = R"(
    func.func private @f(%x: tensor<3xf64>) -> tensor<3xf64> { return %x : tensor<3xf64> }
    func.func private @two(%x: tensor<3xf64>, %t: tensor<3xf64>)
        -> (tensor<3xf64>, tensor<3xf64>) { return %x, %t : tensor<3xf64>, tensor<3xf64> }
    func.func private @i(%x: tensor<i1>) -> tensor<i1> { return %x : tensor<i1> }
  )";
  const auto composite = [](absl::string_view name, absl::string_view attributes) {
    return absl::StrCat("%y = stablehlo.composite \"", name, "\" %x {composite_attributes = {",
                        attributes, "}, decomposition = @f} : (tensor<3xf64>) -> tensor<3xf64>");
  };
  const std::pair<std::string, std::string> refusals[] = {
      {composite("acceld.custom_jvp", ""),
       "composite 'acceld.custom_jvp': it needs an attribute 'arguments', a number of its "
       "operands, of which there are 1"},
      {composite("acceld.custom_jvp", "arguments = 2 : i64, jvp = @two"),
       "composite 'acceld.custom_jvp': it needs an attribute 'arguments', a number of its "
       "operands, of which there are 1"},
      {composite("acceld.custom_jvp", "arguments = 1 : i64, jvp = 3 : i64"),
       "composite 'acceld.custom_jvp': it needs an attribute 'jvp' that names a function"},
      {composite("acceld.custom_jvp", "arguments = 1 : i64, jvp = @none"),
       "composite 'acceld.custom_jvp': its attribute 'jvp' names @none, which does not exist"},
      {composite("acceld.custom_jvp", "arguments = 1 : i64, jvp = @f"),
       "composite 'acceld.custom_jvp': its attribute 'jvp' names @f, which is (tensor<3xf64>) -> "
       "(tensor<3xf64>); expected (tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, "
       "tensor<3xf64>)"},
      {composite("acceld.custom_vjp", "arguments = 1 : i64, forward = @f"),
       "composite 'acceld.custom_vjp': it needs an attribute 'backward' that names a function"},
      {composite("acceld.custom_vjp", "arguments = 1 : i64, forward = @i, backward = @f"),
       "composite 'acceld.custom_vjp': its attribute 'forward' names @i, which is (tensor<i1>) -> "
       "(tensor<i1>); expected (tensor<3xf64>) -> (tensor<3xf64>)"},
      {composite("acceld.custom_vjp", "arguments = 1 : i64, forward = @two, backward = @f"),
       "composite 'acceld.custom_vjp': its attribute 'forward' names @two, which is "
       "(tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>); expected "
       "(tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)"},
      {composite("acceld.select_and_gather", ""),
       "composite 'acceld.select_and_gather': it needs two operands, a result, and a "
       "decomposition that compares elements of windows"},
      {composite("chlo.zeta", ""),
       "composite 'chlo.zeta': it is (tensor<3xf64>) -> (tensor<3xf64>); expected 2 operands and "
       "one result, all of one type, floats or complex numbers"},
      {R"(%p = stablehlo.constant dense<true> : tensor<i1>
          %q = stablehlo.composite "chlo.erf" %p {decomposition = @i} : (tensor<i1>) -> tensor<i1>
          %y = stablehlo.negate %x : tensor<3xf64>)",
       "composite 'chlo.erf': it is (tensor<i1>) -> (tensor<i1>); expected 1 operand and one "
       "result, all of one type, floats or complex numbers"},
  };
  for (const auto& [body, message] : refusals) {
    const Module module = Parse(functions + Of(body));
    const absl::Status expected = absl::InvalidArgumentError(absl::StrCat("@main: ", message));
    EXPECT_EQ(Vjp(module, "main", {true}).status(), expected);
    EXPECT_EQ(Jvp(module, "main", {true}).status(), expected);
    EXPECT_EQ(TransposeLinear(module, "main", {true}).status(), expected);
    EXPECT_EQ(Batch(module, "main", {true}, 4).status(), expected);
  }
  // A name without a rule is that of a call.
  EXPECT_TRUE(Vjp(Parse(functions + Of(composite("my.function", ""))), "main", {true}).ok());
}

}  // namespace
}  // namespace acceld::ir
