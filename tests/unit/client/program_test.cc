#include "client/program.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/status_matchers.h"

namespace acceld::client {
namespace {

using ::testing::ElementsAre;

const ir::TensorType kFour{ir::DType::kF32, {4}};
const ir::TensorType kScalar{ir::DType::kI32, {}};

TEST(ProgramTest, StaticResultTypesAreThoseOfTheProgram) {
  const auto program = Program::FromText(R"(
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<i32>, tensor<4xf32>, tensor<2x2xf32>) {
  %0 = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>
  return %n, %x, %0 : tensor<i32>, tensor<4xf32>, tensor<2x2xf32>
})");
  ASSERT_THAT(program, IsOk());
  const auto types = program->ResultTypesFor({kFour, kScalar});
  ASSERT_THAT(types, IsOk());
  EXPECT_THAT(*types, ElementsAre(kScalar, kFour, ir::TensorType{ir::DType::kF32, {2, 2}}));
}

// A dynamic parameter does not make the results dynamic.
TEST(ProgramTest, StaticResultsOfDynamicArguments) {
  const auto program = Program::FromText(R"(
func.func @main(%x: tensor<?xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
})");
  ASSERT_THAT(program, IsOk());
  const auto types = program->ResultTypesFor({kFour});
  ASSERT_THAT(types, IsOk());
  EXPECT_THAT(*types, ElementsAre(ir::TensorType{ir::DType::kF32, {}}));
}

TEST(ProgramTest, DynamicResultsFollowFromTheArguments) {
  const auto program = Program::FromText(R"(
func.func @main(%x: tensor<?xf32>, %n: tensor<i32>) -> (tensor<i32>, tensor<?xf32>) {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %n, %0 : tensor<i32>, tensor<?xf32>
})");
  ASSERT_THAT(program, IsOk());
  for (int i = 0; i < 2; ++i) {  // worked out, and remembered
    const auto types = program->ResultTypesFor({kFour, kScalar});
    ASSERT_THAT(types, IsOk());
    EXPECT_THAT(*types, ElementsAre(kScalar, ir::TensorType{ir::DType::kF32, {8}}));
  }
}

TEST(ProgramTest, WrongArgumentsAreNamedFirst) {
  const auto program = Program::FromText(R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
})");
  ASSERT_THAT(program, IsOk());
  EXPECT_THAT(program->ResultTypesFor({}), IsRefused("takes 1 arguments and was given 0"));
  EXPECT_THAT(program->ResultTypesFor({kScalar}),
              IsRefused("argument 0 is tensor<i32>; expected static sizes of tensor<?xf32>"));
  EXPECT_THAT(program->ResultTypesFor({ir::TensorType{ir::DType::kF32, {ir::kDynamicDim}}}),
              IsRefused("argument 0 is tensor<?xf32>"));
}

TEST(ProgramTest, AProgramThatUnfoldsToTooMuchIsRefusedHere) {
  std::string text = "#a0 = 1\n";
  for (int i = 1; i < 60; ++i) {
    absl::StrAppend(&text, "#a", i, " = [#a", i - 1, ", #a", i - 1, "]\n");
  }
  text += "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }";
  for (const auto read : {&Program::FromText, &Program::FromBytes}) {
    const auto program = read(text, "bomb.mlir", "main");
    EXPECT_EQ(program.status().code(), absl::StatusCode::kResourceExhausted) << program.status();
    EXPECT_NE(program.status().message().find("bomb.mlir:20:9: #a18: "), std::string::npos)
        << program.status();
  }
}

}  // namespace
}  // namespace acceld::client
