#include "common/ir/specialize/specialize.h"

#include "absl/strings/str_cat.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

using testing::HasSubstr;

TensorType F32(Dims dims) { return TensorType{DType::kF32, std::move(dims)}; }

Module Parse(absl::string_view text) {
  absl::StatusOr<Module> module = ParseModule(text, "<test>");
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

// Specializes `main`, checks that what comes out is a static program, and prints its result types.
std::string ResultsOn(const Module& module, absl::Span<const TensorType> types) {
  const absl::StatusOr<Module> specialized = Specialize(module, "main", types);
  if (!specialized.ok()) return std::string(specialized.status().message());
  EXPECT_TRUE(Verify(*specialized).ok()) << Verify(*specialized);
  for (const Function& function : specialized->functions) {
    for (const Type& type : function.value_types) EXPECT_TRUE(type.tensor().IsStatic());
    for (const Op& op : function.body.ops) EXPECT_NE(FamilyOf(op.kind), OpFamily::kDynamic);
  }
  return ToString(specialized->functions[0].ResultTypes());
}

constexpr char kCalls[] = R"(module {
  func.func private @unused() -> tensor<f32> {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
    %0 = stablehlo.add %x, %x : tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func public @main(%x: tensor<?xf32>, %y: tensor<3xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %0 = call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %1 = call @twice(%0) : (tensor<?xf32>) -> tensor<?xf32>
    return %0, %1 : tensor<?xf32>, tensor<?xf32>
  }
})";

TEST(SpecializeTest, RefinesDynamicDimensionsThroughCalls) {
  const Module module = Parse(kCalls);
  EXPECT_EQ(ResultsOn(module, {F32({5}), F32({3})}), "tensor<5xf32>, tensor<5xf32>");
  const auto specialized = Specialize(module, "main", {F32({5}), F32({3})});
  EXPECT_EQ(specialized->functions.size(), 2u);
  EXPECT_EQ(specialized->functions[0].name, "main");
}

TEST(SpecializeTest, RefusesArgumentsByNumberAndBothTypes) {
  const Module module = Parse(kCalls);
  const std::string message = ResultsOn(module, {F32({5}), F32({4})});
  EXPECT_THAT(message, HasSubstr("argument 1"));
  EXPECT_THAT(message, HasSubstr("tensor<4xf32>"));
  EXPECT_THAT(message, HasSubstr("tensor<3xf32>"));
  EXPECT_THAT(ResultsOn(module, {}), HasSubstr("takes 2 arguments"));
}

// As JAX writes it where a window has a symbolic size: a custom call with a function as reducer.
TEST(SpecializeTest, WindowsTakeSizesThatTheProgramComputes) {
  const Module module = Parse(R"(module {
  func.func private @sum(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.add %a, %b : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func public @main(%x: tensor<?xi32>) -> tensor<?xi32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi32>) -> tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %less = stablehlo.subtract %n1, %one : tensor<1xi32>
    %zero1 = stablehlo.reshape %zero : (tensor<i32>) -> tensor<1xi32>
    %edges = stablehlo.concatenate %less, %zero1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %padding = stablehlo.reshape %edges : (tensor<2xi32>) -> tensor<1x2xi32>
    %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %n1, %one, %one, %one, %padding) {api_version = 2 : i32, called_computations = [@sum]} : (tensor<?xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xi32>
    return %0 : tensor<?xi32>
  }
})");
  ASSERT_TRUE(Verify(module).ok()) << Verify(module);
  const TensorType type{DType::kI32, {4}};
  EXPECT_EQ(ResultsOn(module, {type}), "tensor<4xi32>");
  const auto specialized = Specialize(module, "main", {type});
  const Literal x = Literal::FromValues<int32_t>(type, {1, 2, 3, 4});
  const auto results = Interpret(*specialized, "main", {x});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0], Literal::FromValues<int32_t>(type, {1, 3, 6, 10}));

  // The op has a text of its own.
  const Module again = Parse(PrintModule(module));
  EXPECT_EQ(ResultsOn(again, {type}), "tensor<4xi32>");
}

// Sizes are values: arithmetic on them, also in a function, shapes the results.
TEST(SpecializeTest, EvaluatesSizesThatTheProgramComputes) {
  const Module module = Parse(R"(module {
  func.func private @flat(%n: tensor<i32>, %x: tensor<?x4xf32>) -> tensor<?xf32> {
    %four = stablehlo.constant dense<4> : tensor<i32>
    %0 = stablehlo.multiply %n, %four : tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.dynamic_reshape %x, %1 : (tensor<?x4xf32>, tensor<1xi32>) -> tensor<?xf32>
    return %2 : tensor<?xf32>
  }
  func.func public @main(%x: tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?xi32>) {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %0 = call @flat(%n, %x) : (tensor<i32>, tensor<?x4xf32>) -> tensor<?xf32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %two = stablehlo.constant dense<2> : tensor<1xi32>
    %shape = stablehlo.concatenate %two, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = stablehlo.dynamic_broadcast_in_dim %one, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
    %2 = stablehlo.dynamic_iota %n1, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
    return %0, %1, %2 : tensor<?xf32>, tensor<?x?xf32>, tensor<?xi32>
  }
})");
  EXPECT_EQ(ResultsOn(module, {F32({3, 4})}), "tensor<12xf32>, tensor<2x3xf32>, tensor<3xi32>");
  EXPECT_EQ(ResultsOn(module, {F32({0, 4})}), "tensor<0xf32>, tensor<2x0xf32>, tensor<0xi32>");
}

TEST(SpecializeTest, EveryOpThatTakesASizeBecomesStatic) {
  const Module module = Parse(R"(module {
  func.func public @main(%x: tensor<?xf32>, %k: tensor<1x1x3xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<1x1x?xf32>) {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %zero = stablehlo.constant dense<0> : tensor<1xi32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %two = stablehlo.constant dense<2> : tensor<1xi32>
    %pad = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dynamic_pad %x, %pad, %one, %n1, %zero : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    %1 = stablehlo.real_dynamic_slice %x, %one, %n1, %two : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    %start = stablehlo.constant dense<[[0]]> : tensor<1x1xi32>
    %2 = "stablehlo.dynamic_gather"(%x, %start, %n1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?xf32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<1x?xf32>
    %flat = stablehlo.reshape %2 : (tensor<1x?xf32>) -> tensor<?xf32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.set_dimension_size %x, %three, dim = 0 : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32>
    %image = stablehlo.reshape %x : (tensor<?xf32>) -> tensor<1x1x?xf32>
    %edges = stablehlo.constant dense<[[1, 1]]> : tensor<1x2xi32>
    %4 = "stablehlo.dynamic_conv"(%image, %k, %edges) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64}> : (tensor<1x1x?xf32>, tensor<1x1x3xf32>, tensor<1x2xi32>) -> tensor<1x1x?xf32>
    return %0, %1, %flat, %3, %4 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<1x1x?xf32>
  }
})");
  EXPECT_EQ(ResultsOn(module, {F32({7}), F32({1, 1, 3})}),
            "tensor<15xf32>, tensor<3xf32>, tensor<7xf32>, tensor<3xf32>, tensor<1x1x7xf32>");
  EXPECT_THAT(ResultsOn(module, {F32({2}), F32({1, 1, 3})}),
              HasSubstr("sets dimension 0 of size 2 to 3"));
}

// Where a slice starts is data; how much it takes is not.
TEST(SpecializeTest, SlicesOfKnownSizeStartAnywhere) {
  const Module module = Parse(R"(module {
  func.func public @main(%x: tensor<?xf32>, %start: tensor<1xi32>) -> tensor<?xf32> {
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %size = stablehlo.subtract %n1, %one : tensor<1xi32>
    %limit = stablehlo.add %start, %size : tensor<1xi32>
    %0 = stablehlo.real_dynamic_slice %x, %start, %limit, %one : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
})");
  const TensorType start{DType::kI32, {1}};
  EXPECT_EQ(ResultsOn(module, {F32({4}), start}), "tensor<3xf32>");
  const auto specialized = Specialize(module, "main", {F32({4}), start});
  const auto result = Interpret(*specialized, "main",
                                {Literal::FromValues<float>(F32({4}), {1, 2, 3, 4}),
                                 Literal::FromValues<int32_t>(start, {1})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ((*result)[0], Literal::FromValues<float>(F32({3}), {2, 3, 4}));
}

// A loop hands the size on unchanged; what it carries keeps its shape.
TEST(SpecializeTest, LoopsKeepShapesAndSizes) {
  const Module module = Parse(R"(module {
  func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %zero, %size = %n, %v = %x) : tensor<i32>, tensor<i32>, tensor<?xf32>
    cond {
      %c = stablehlo.compare LT, %i, %size, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %shape = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
      %half = stablehlo.constant dense<0.5> : tensor<f32>
      %b = stablehlo.dynamic_broadcast_in_dim %half, %shape, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
      %w = stablehlo.multiply %v, %b : tensor<?xf32>
      stablehlo.return %next, %size, %w : tensor<i32>, tensor<i32>, tensor<?xf32>
    }
    return %0#2 : tensor<?xf32>
  }
})");
  EXPECT_EQ(ResultsOn(module, {F32({6})}), "tensor<6xf32>");
}

TEST(SpecializeTest, AssertionsOnShapesAreCheckedAndDropped) {
  const Module module = Parse(R"(module {
  func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %ok = stablehlo.compare GE, %n, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%ok, %n) {api_version = 2 : i32, error_message = "at least two, not {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    return %x : tensor<?xf32>
  }
})");
  EXPECT_EQ(ResultsOn(module, {F32({2})}), "tensor<2xf32>");
  EXPECT_THAT(ResultsOn(module, {F32({1})}), HasSubstr("at least two, not 1"));
}

TEST(SpecializeTest, AShapeThatComesFromDataIsRefused) {
  const Module module = Parse(R"(module {
  func.func public @main(%n: tensor<1xi32>) -> tensor<?xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<f32>
    %0 = stablehlo.dynamic_broadcast_in_dim %one, %n, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
})");
  EXPECT_THAT(ResultsOn(module, {TensorType{DType::kI32, {1}}}),
              HasSubstr("operand 1 of 'stablehlo.dynamic_broadcast_in_dim' says a shape"));
}

// Each function calls the next with two sizes, so each link of the chain doubles the copies.
TEST(SpecializeTest, CopiesForManySizesAreBounded) {
  std::string text = "module {\n";
  constexpr int kLinks = 40;
  for (int i = 0; i < kLinks; ++i) {
    const std::string next = absl::StrCat("@f", i + 1);
    absl::StrAppend(&text, "func.func ", i == 0 ? "public @main" : absl::StrCat("private @f", i),
                    "(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {\n",
                    i == 0 ? "%m = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> "
                             "tensor<i32>\n"
                           : "%m = stablehlo.add %n, %n : tensor<i32>\n",
                    "%one = stablehlo.constant dense<1> : tensor<i32>\n"
                    "%o = stablehlo.add %m, %one : tensor<i32>\n"
                    "%a = call ",
                    next,
                    "(%m, %x) : (tensor<i32>, tensor<?xf32>) -> tensor<?xf32>\n"
                    "%b = call ",
                    next,
                    "(%o, %x) : (tensor<i32>, tensor<?xf32>) -> tensor<?xf32>\n"
                    "%r = stablehlo.add %a, %b : tensor<?xf32>\nreturn %r : tensor<?xf32>\n}\n");
  }
  absl::StrAppend(&text, "func.func private @f", kLinks,
                  "(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {\n"
                  "return %x : tensor<?xf32>\n}\n}");
  const Module module = Parse(text);
  EXPECT_THAT(ResultsOn(module, {TensorType{DType::kI32, {}}, F32({2})}),
              HasSubstr("or more once its functions are copied for each shape"));
}

// A body that never ends is left to the run time, where it can be cancelled.
TEST(SpecializeTest, AnEndlessComputationOfASizeIsGivenUp) {
  const Module module = Parse(R"(module {
  func.func public @main(%x: tensor<?xf32>) -> tensor<?xi32> {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %0 = "stablehlo.reduce"(%n1, %n) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %1 = stablehlo.while(%i = %a) : tensor<i32>
      cond {
        %c = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        stablehlo.return %i : tensor<i32>
      }
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<1xi32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %3 = stablehlo.dynamic_iota %2, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
    return %3 : tensor<?xi32>
  }
})");
  EXPECT_THAT(ResultsOn(module, {F32({2})}), HasSubstr("says a shape"));
}

// The interpreter takes these ops where types are static, and refuses values that contradict them.
TEST(SpecializeTest, TheInterpreterRunsStaticTypesWithShapeOperands) {
  const Module module = Parse(R"(module {
  func.func public @main(%shape: tensor<2xi64>) -> tensor<2x3xi32> {
    %0 = stablehlo.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
    %1 = stablehlo.dynamic_reshape %0, %shape : (tensor<6xi32>, tensor<2xi64>) -> tensor<2x3xi32>
    return %1 : tensor<2x3xi32>
  }
})");
  const TensorType shape{DType::kI64, {2}};
  const auto good = Interpret(module, "main", {Literal::FromValues<int64_t>(shape, {2, 3})});
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ((*good)[0],
            Literal::FromValues<int32_t>(TensorType{DType::kI32, {2, 3}}, {1, 2, 3, 4, 5, 6}));
  const auto bad = Interpret(module, "main", {Literal::FromValues<int64_t>(shape, {3, 2})});
  EXPECT_THAT(std::string(bad.status().message()), HasSubstr("tensor<3x2xi32>"));
}

}  // namespace
}  // namespace acceld::ir
