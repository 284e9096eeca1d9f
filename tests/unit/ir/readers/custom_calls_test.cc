// Custom calls that stand for ops: read, specialized to a shape, and run by the interpreter.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/ir/specialize/specialize.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<std::vector<Literal>> Outcome(absl::string_view text, const Literal& argument) {
  ACCELD_ASSIGN_OR_RETURN(const Module module, ParseModule(text, "test.mlir"));
  const TensorType type = argument.type();
  ACCELD_ASSIGN_OR_RETURN(const Module specialized, Specialize(module, "main", {&type, 1}));
  return Interpret(specialized, "main", {argument});
}

Literal F32s(const std::vector<double>& values) {
  return Floats(DType::kF32, {static_cast<int64_t>(values.size())}, values);
}

// As JAX exports a cumulative sum, and one of pairs, over an unknown size.
TEST(CustomCalls, DynamicReduceWindowCallsItsReducer) {
  constexpr char kProgram[] = R"(
    func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.add %a, %b : tensor<f32>
      return %0 : tensor<f32>
    }
    func.func private @both(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>) -> (tensor<f32>, tensor<i32>) {
      %0 = stablehlo.maximum %a, %b : tensor<f32>
      %1 = stablehlo.add %i, %j : tensor<i32>
      return %0, %1 : tensor<f32>, tensor<i32>
    }
    func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xi32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %zero_i = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %two = stablehlo.constant dense<2> : tensor<1xi32>
      %none = stablehlo.constant dense<0> : tensor<1x2xi32>
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %low = stablehlo.subtract %n1, %one : tensor<1xi32>
      %low2 = stablehlo.reshape %low : (tensor<1xi32>) -> tensor<1x1xi32>
      %high = stablehlo.constant dense<0> : tensor<1x1xi32>
      %padding = stablehlo.concatenate %low2, %high, dim = 1 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x2xi32>
      %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %n1, %one, %one, %one, %padding) {called_computations = [@sum]}
        : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>
      %ones = stablehlo.dynamic_iota %n1, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
      %1:2 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %ones, %zero, %zero_i, %two, %two, %one, %one, %none) {called_computations = [@both]}
        : (tensor<?xf32>, tensor<?xi32>, tensor<f32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> (tensor<?xf32>, tensor<?xi32>)
      return %0, %1#0, %1#1 : tensor<?xf32>, tensor<?xf32>, tensor<?xi32>
    })";
  const auto results = Outcome(kProgram, F32s({1, 2, 3, 4, 5}));
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(FloatsOf((*results)[0]), ElementsAre(1, 3, 6, 10, 15));
  EXPECT_THAT(FloatsOf((*results)[1]), ElementsAre(2, 4));
  EXPECT_THAT(IntsOf((*results)[2]), ElementsAre(1, 5));
}

TEST(CustomCalls, DynamicTopKTakesAsManyAsItIsTold) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi32>, tensor<2xf32>, tensor<2xi32>) {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %k = stablehlo.subtract %n, %one : tensor<i32>
      %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) {api_version = 2 : i32}
        : (tensor<?xf32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
      %1:2 = chlo.top_k(%x, k = 2) : tensor<?xf32> -> (tensor<2xf32>, tensor<2xi32>)
      return %0#0, %0#1, %1#0, %1#1 : tensor<?xf32>, tensor<?xi32>, tensor<2xf32>, tensor<2xi32>
    })";
  const auto results = Outcome(kProgram, F32s({1, 9, 3, 4}));
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(FloatsOf((*results)[0]), ElementsAre(9, 4, 3));
  EXPECT_THAT(IntsOf((*results)[1]), ElementsAre(1, 3, 2));
  EXPECT_THAT(FloatsOf((*results)[2]), ElementsAre(9, 4));
  EXPECT_THAT(std::string(Outcome(kProgram, F32s({7})).status().message()),
              HasSubstr("[0:2] at dimension 0 of size 1"));
}

// As JAX writes approx_max_k: what it finds is exact here.
TEST(CustomCalls, ApproxTopKSortsByTheFunctionItNames) {
  constexpr char kProgram[] = R"(
    func.func @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
      %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      return %0 : tensor<i1>
    }
    func.func @main(%x: tensor<?xf32>) -> (tensor<2xf32>, tensor<2xi32>, tensor<?xf32>) {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %i = stablehlo.dynamic_iota %n1, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
      %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %none = stablehlo.constant dense<-1> : tensor<i32>
      %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %least, %none) {called_computations = [@greater],
        mhlo.backend_config = {reduction_dim = DIMENSION : i64, top_k = 2 : i64}}
        : (tensor<?xf32>, tensor<?xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
      %1:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%x, %i, %least, %none, %n)
        {called_computations = [@greater], mhlo.backend_config = {reduction_dim = 0 : i64}}
        : (tensor<?xf32>, tensor<?xi32>, tensor<f32>, tensor<i32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
      return %0#0, %0#1, %1#0 : tensor<2xf32>, tensor<2xi32>, tensor<?xf32>
    })";
  const auto with = [&](absl::string_view dimension) {
    return absl::StrReplaceAll(kProgram, {{"DIMENSION", dimension}});
  };
  const auto results = Outcome(with("0"), F32s({1, 9, 3, 9}));
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(FloatsOf((*results)[0]), ElementsAre(9, 9));
  EXPECT_THAT(IntsOf((*results)[1]), ElementsAre(1, 3));
  EXPECT_THAT(FloatsOf((*results)[2]), ElementsAre(9, 9, 3, 1));
  EXPECT_THAT(std::string(Outcome(with("1"), F32s({1, 2})).status().message()),
              HasSubstr("dimension 1 of tensor<?xf32>"));
}

TEST(CustomCalls, DynamicRandomBitsHaveTheShapeTheyAreTold) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<?xf32>) -> (tensor<2xui64>, tensor<?xui32>) {
      %state = stablehlo.constant dense<[1, 2]> : tensor<2xui64>
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %n1)
        {api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}
        : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<?xui32>)
      return %0#0, %0#1 : tensor<2xui64>, tensor<?xui32>
    })";
  const auto three = Outcome(kProgram, F32s({1, 2, 3}));
  const auto five = Outcome(kProgram, F32s({1, 2, 3, 4, 5}));
  ASSERT_TRUE(three.ok()) << three.status();
  ASSERT_TRUE(five.ok()) << five.status();
  EXPECT_EQ((*three)[1].type().num_elements(), 3);
  EXPECT_EQ((*five)[1].type().num_elements(), 5);
}

TEST(CustomCalls, WhatTheyLackIsNamed) {
  const auto refusal = [](absl::string_view attributes) {
    const std::string text = absl::StrCat(R"(
    func.func @main(%x: tensor<?xf32>, %i: tensor<f32>, %a: tensor<1xi32>, %p: tensor<1x2xi32>) -> tensor<?xf32> {
      %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %i, %a, %a, %a, %a, %p) )",
                                          attributes, R"(
        : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })");
    return std::string(ParseModule(text, "test.mlir").status().message());
  };
  EXPECT_THAT(refusal("{api_version = 2 : i32}"), HasSubstr("called_computations"));
  EXPECT_THAT(refusal("{called_computations = [@nowhere]}"), HasSubstr("nowhere"));
}

}  // namespace
}  // namespace acceld::ir
