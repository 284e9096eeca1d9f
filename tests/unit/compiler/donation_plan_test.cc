// Which arguments and results of a plan may share memory.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/ir/analysis/input_output_aliases.h"
#include "server/hal/executable.h"
#include "tests/support/source_path.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

using kernels::InputOutputAlias;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<InputOutputAlias> AliasesOf(absl::string_view text) {
  ExpectPlanMatchesInterpreter(text);
  const absl::StatusOr<kernels::Plan> plan = PlanOf(Parse(text));
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? plan->may_share : std::vector<InputOutputAlias>();
}

std::string ReadProgram(const std::string& name) {
  std::ifstream file(testing::SourcePath(absl::StrCat("tests/unit/compiler/training/", name)));
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

TEST(DonationPlanTest, AnElementwiseUpdateIsInPlace) {
  EXPECT_THAT(AliasesOf(R"(
    func.func @main(%p: tensor<100xf32>, %g: tensor<100xf32>, %lr: tensor<f32>) -> tensor<100xf32> {
      %0 = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<100xf32>
      %1 = stablehlo.multiply %0, %g : tensor<100xf32>
      %2 = stablehlo.subtract %p, %1 : tensor<100xf32>
      return %2 : tensor<100xf32>
    })"),
              UnorderedElementsAre(InputOutputAlias{0, 0}, InputOutputAlias{1, 0}));
}

class TrainingSteps : public ::testing::TestWithParam<const char*> {};

// As JAX writes them: parameters and what the optimizer keeps come first, in both lists.
TEST_P(TrainingSteps, UpdateEveryParameterInPlace) {
  const std::string text = ReadProgram(GetParam());
  const ir::Module module = Parse(text);
  ASSERT_FALSE(module.functions.empty());
  for (const bool has_library : {false, true}) {
    const CublasLtPlanGenerator library;
    const PlanOnlyGenerator kernels_only;
    const auto plan = has_library ? PlanOf(module, {}, library) : PlanOf(module, {}, kernels_only);
    ASSERT_TRUE(plan.ok()) << plan.status();
    ASSERT_FALSE(module.functions[0].donations.empty());
    for (const ir::Donation& donation : module.functions[0].donations) {
      EXPECT_THAT(plan->may_share, Contains(InputOutputAlias{donation.parameter, *donation.result}))
          << kernels::ToString(*plan);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, TrainingSteps,
                         ::testing::Values("sgd.mlir", "momentum.mlir", "adam.mlir"));

TEST(DonationPlanTest, AnArgumentThatIsReadAfterTheResultIsWrittenStays) {
  EXPECT_THAT(AliasesOf(R"(
    func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
      %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
    })"),
              IsEmpty());
}

TEST(DonationPlanTest, AKernelThatReadsOtherElementsIsNotInPlace) {
  EXPECT_THAT(AliasesOf(R"(
    func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
      %0 = stablehlo.reverse %x, dims = [0] : tensor<100xf32>
      %1 = stablehlo.add %0, %x : tensor<100xf32>
      return %1 : tensor<100xf32>
    })"),
              IsEmpty());
}

TEST(DonationPlanTest, AProductIsNotWrittenOverItsOperands) {
  EXPECT_THAT(AliasesOf(R"(
    func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      return %0 : tensor<8x8xf32>
    })"),
              IsEmpty());
}

TEST(DonationPlanTest, WhatIsReadBeforeMayBeOverwrittenByAnything) {
  EXPECT_THAT(AliasesOf(R"(
    func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
      %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      return %1 : tensor<8x8xf32>
    })"),
              ElementsAre(InputOutputAlias{0, 0}));
}

TEST(DonationPlanTest, ResultsThatAreArgumentsStayWhereTheyAre) {
  const char* text = R"(
    func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
      %0 = stablehlo.add %a, %b : tensor<8xf32>
      return %b, %a, %0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    })";
  // Never the sum: both arguments are copied out after it.
  EXPECT_THAT(AliasesOf(text),
              UnorderedElementsAre(InputOutputAlias{1, 0}, InputOutputAlias{0, 1}));
}

TEST(DonationPlanTest, OneArgumentThatIsReturnedTwiceServesOneOfThem) {
  const auto aliases = AliasesOf(R"(
    func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      return %a, %a : tensor<8xf32>, tensor<8xf32>
    })");
  EXPECT_THAT(aliases, UnorderedElementsAre(InputOutputAlias{0, 0}, InputOutputAlias{0, 1}));
  const auto all = [](uint32_t) { return true; };
  EXPECT_THAT(kernels::ChooseInputOutputAliases(aliases, {}, all),
              ElementsAre(InputOutputAlias{0, 0}));
  EXPECT_THAT(kernels::ChooseInputOutputAliases(aliases, {{0, 1}}, all),
              ElementsAre(InputOutputAlias{0, 1}));
}

TEST(DonationPlanTest, ACacheIsUpdatedInPlace) {
  const char* text = R"(
    func.func @main(%cache: tensor<64x16xf32>, %row: tensor<1x16xf32>, %at: tensor<i32>) -> tensor<64x16xf32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.dynamic_update_slice %cache, %row, %at, %z : (tensor<64x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<64x16xf32>
      return %0 : tensor<64x16xf32>
    })";
  EXPECT_THAT(AliasesOf(text), ElementsAre(InputOutputAlias{0, 0}));
  // The copy is nothing when both are the same memory.
  const auto plan = PlanOf(Parse(text));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(std::holds_alternative<kernels::CopyStep>(plan->entry().steps[0].value));
}

// The rows that move down, and the numbers of the rows to write to, are read from the argument that
// the update would overwrite.
TEST(DonationPlanTest, AnUpdateThatReadsItsOperandOtherwiseTooIsNotInPlace) {
  EXPECT_THAT(AliasesOf(R"(
    func.func @main(%rows: tensor<3x4xf32>) -> tensor<3x4xf32> {
      %at = stablehlo.constant dense<[[1], [2], [0]]> : tensor<3x1xi32>
      %0 = "stablehlo.scatter"(%rows, %at, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%old: tensor<f32>, %new: tensor<f32>):
        %sum = stablehlo.add %old, %new : tensor<f32>
        stablehlo.return %sum : tensor<f32>
      }) : (tensor<3x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<3x4xf32>
      return %0 : tensor<3x4xf32>
    })"),
              IsEmpty());
  EXPECT_THAT(AliasesOf(R"(
    func.func @main(%next: tensor<4xi32>, %values: tensor<4xi32>) -> tensor<4xi32> {
      %at = stablehlo.reshape %next : (tensor<4xi32>) -> tensor<4x1xi32>
      %0 = "stablehlo.scatter"(%next, %at, %values) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%old: tensor<i32>, %new: tensor<i32>):
        stablehlo.return %new : tensor<i32>
      }) : (tensor<4xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<4xi32>
      return %0 : tensor<4xi32>
    })"),
              IsEmpty());
}

TEST(DonationPlanTest, ALoopCarriesItsValuesInTheArgument) {
  EXPECT_THAT(AliasesOf(R"(
    func.func @main(%a: tensor<4xf32>, %k: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.while(%i = %c0, %x = %a) : tensor<i32>, tensor<4xf32>
        cond {
          %n = stablehlo.constant dense<1000> : tensor<i32>
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          %s = stablehlo.sine %x : tensor<4xf32>
          %t = stablehlo.add %s, %k : tensor<4xf32>
          stablehlo.return %j, %t : tensor<i32>, tensor<4xf32>
        }
      return %0#1 : tensor<4xf32>
    })"),
              ElementsAre(InputOutputAlias{0, 0}));  // Not %k: the loop reads it again.
}

TEST(DonationPlanTest, AnArgumentThatALoopReadsIsNotWhereItsValuesAre) {
  EXPECT_THAT(AliasesOf(R"(
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %c0 = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.while(%i = %c0, %x = %a) : tensor<i32>, tensor<4xf32>
        cond {
          %n = stablehlo.constant dense<1000> : tensor<i32>
          %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          %s = stablehlo.sine %x : tensor<4xf32>
          %t = stablehlo.add %s, %a : tensor<4xf32>
          stablehlo.return %j, %t : tensor<i32>, tensor<4xf32>
        }
      return %0#1 : tensor<4xf32>
    })"),
              IsEmpty());
}

// The loss scale: a scalar without loops that more than one result reads.
TEST(DonationPlanTest, AScalarIsUpdatedInPlace) {
  EXPECT_THAT(AliasesOf(R"(
    func.func @main(%t: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %0 = stablehlo.add %t, %one : tensor<f32>
      %1 = stablehlo.multiply %t, %0 : tensor<f32>
      return %0, %1 : tensor<f32>, tensor<f32>
    })"),
              UnorderedElementsAre(InputOutputAlias{0, 0}, InputOutputAlias{0, 1}));
}

TEST(DonationPlanTest, AnArgumentThatNothingReadsIsFree) {
  EXPECT_THAT(AliasesOf(R"(
    func.func @main(%unused: tensor<16xf32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      return %0 : tensor<4x4xf32>
    })"),
              ElementsAre(InputOutputAlias{0, 0}));
}

TEST(DonationPlanTest, SeveralResultsOfOneKernelOverwriteWhatTheyAllRead) {
  const auto aliases = AliasesOf(R"(
    func.func @main(%m: tensor<100xf32>, %p: tensor<100xf32>) -> (tensor<100xf32>, tensor<100xf32>) {
      %0 = stablehlo.multiply %m, %p : tensor<100xf32>
      %1 = stablehlo.add %0, %m : tensor<100xf32>
      %2 = stablehlo.subtract %p, %1 : tensor<100xf32>
      return %2, %1 : tensor<100xf32>, tensor<100xf32>
    })");
  EXPECT_THAT(aliases, Contains(InputOutputAlias{1, 0}));
  EXPECT_THAT(aliases, Contains(InputOutputAlias{0, 1}));
}

TEST(DonationPlanTest, StoredExecutablesSayWhatMayShareMemory) {
  const ir::TensorType four{ir::DType::kF32, {4}}, five{ir::DType::kF32, {5}};
  hal::Executable executable;
  executable.arguments = {five, four};
  executable.results = {four};
  executable.may_share = {{1, 0}};
  const auto stored = hal::Deserialize(hal::Serialize(executable));
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_THAT(stored->may_share, ElementsAre(InputOutputAlias{1, 0}));
  for (const InputOutputAlias wrong :
       {InputOutputAlias{0, 0}, InputOutputAlias{2, 0}, InputOutputAlias{1, 1}}) {
    executable.may_share = {wrong};
    EXPECT_TRUE(absl::IsDataLoss(hal::Deserialize(hal::Serialize(executable)).status()));
  }
}

}  // namespace
}  // namespace acceld::compiler
