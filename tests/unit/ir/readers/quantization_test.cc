// Programs with quantized types: read, and run by the interpreter on the integers that are stored.
#include <string>
#include <vector>

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

// Tenths around 5, halves around -3 and so on; $a0 has an axis.
std::string Expand(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"$t", "!quant.uniform<i8:f32, 0.1:5>"},
                                    {"$h", "!quant.uniform<i8:f32, 0.5:-3>"},
                                    {"$i", "!quant.uniform<i32:f32, 0.05>"},
                                    {"$a0", "!quant.uniform<i8:f32:0, {0.5, 0.25:10}>"},
                                    {"$a1", "!quant.uniform<i8:f32:1, {0.5, 0.25:10}>"}});
}

absl::StatusOr<Module> Read(absl::string_view body) {
  return ParseModule(Expand(body), "test.mlir");
}

// The results of @main.
std::vector<Literal> Outcome(absl::string_view text, const std::vector<Literal>& arguments) {
  const auto module = Read(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  std::vector<TensorType> types;
  for (const Literal& argument : arguments) types.push_back(argument.type());
  const auto specialized = Specialize(*module, "main", types);
  EXPECT_TRUE(specialized.ok()) << specialized.status();
  if (!specialized.ok()) return {};
  const auto results = Interpret(*specialized, "main", arguments);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.value_or(std::vector<Literal>());
}

std::vector<int64_t> IntsOutcome(absl::string_view text, const std::vector<Literal>& arguments) {
  const std::vector<Literal> results = Outcome(text, arguments);
  return results.empty() ? std::vector<int64_t>() : IntsOf(results[0]);
}

Literal I8s(Dims dims, const std::vector<int64_t>& values) {
  return Ints(DType::kI8, std::move(dims), values);
}
Literal F32s(Dims dims, const std::vector<double>& values) {
  return Floats(DType::kF32, std::move(dims), values);
}

TEST(Quantization, RealsBecomeTheNearestStoredValueWithinBounds) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<6xf32>) -> tensor<6x$h> {
      %0 = stablehlo.uniform_quantize %x : (tensor<6xf32>) -> tensor<6x$h>
      return %0 : tensor<6x$h>
    })";
  // Ties go to even: 0.25 / 0.5 - 3 is -2.5.
  EXPECT_THAT(IntsOutcome(kProgram, {F32s({6}, {0, 1.1, 0.25, -1e9, 1e9, NAN})}),
              ElementsAre(-3, -1, -2, -128, 127, 0));
}

TEST(Quantization, StoredValuesStandForReals) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<3x$h>) -> tensor<3xf32> {
      %0 = stablehlo.uniform_dequantize %x : (tensor<3x$h>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    })";
  const std::vector<Literal> results = Outcome(kProgram, {I8s({3}, {-128, -3, 127})});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_THAT(FloatsOf(results[0]), ElementsAre(-62.5, 0, 65));
}

TEST(Quantization, EachIndexOfAnAxisHasItsScale) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<2x3x$a0>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
      %0 = stablehlo.uniform_dequantize %x : (tensor<2x3x$a0>) -> tensor<2x3xf32>
      %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x$a0>) -> tensor<3x2x$a1>
      %2 = stablehlo.uniform_dequantize %1 : (tensor<3x2x$a1>) -> tensor<3x2xf32>
      return %0, %2 : tensor<2x3xf32>, tensor<3x2xf32>
    })";
  const std::vector<Literal> results = Outcome(kProgram, {I8s({2, 3}, {1, 2, 3, 10, 11, 14})});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_THAT(FloatsOf(results[0]), ElementsAre(0.5, 1, 1.5, 0, 0.25, 1));
  EXPECT_THAT(FloatsOf(results[1]), ElementsAre(0.5, 0, 1, 0.25, 1.5, 1));
}

TEST(Quantization, ArithmeticIsOnTheRealsOfTheOperands) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<3x$t>, %y: tensor<3x$h>) -> tensor<3x$h> {
      %0 = stablehlo.add %x, %y : (tensor<3x$t>, tensor<3x$h>) -> tensor<3x$h>
      return %0 : tensor<3x$h>
    })";
  // 1 + 2, 12.2 + 62 beyond the range, -0.2 + 0 to the nearest half.
  EXPECT_THAT(IntsOutcome(kProgram, {I8s({3}, {15, 127, 3}), I8s({3}, {1, 121, -3})}),
              ElementsAre(3, 127, -3));
}

TEST(Quantization, AProductOfMatricesIsQuantizedOnce) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<1x2x$t>, %y: tensor<2x2x$a1>) -> tensor<1x2x$i> {
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
        : (tensor<1x2x$t>, tensor<2x2x$a1>) -> tensor<1x2x$i>
      return %0 : tensor<1x2x$i>
    })";
  // (1, -2) times ((0.5, 0), (1, 0.75)), in twentieths.
  EXPECT_THAT(IntsOutcome(kProgram, {I8s({1, 2}, {15, -15}), I8s({2, 2}, {1, 10, 2, 13})}),
              ElementsAre(-30, -30));
}

TEST(Quantization, RealsAndQuantizedWeightsMix) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<1x2xf32>, %y: tensor<2x1x$h>) -> tensor<1x1xf32> {
      %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
        : (tensor<1x2xf32>, tensor<2x1x$h>) -> tensor<1x1xf32>
      return %0 : tensor<1x1xf32>
    })";
  const std::vector<Literal> results =
      Outcome(kProgram, {F32s({1, 2}, {2, 3}), I8s({2, 1}, {-1, 0})});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_THAT(FloatsOf(results[0]), ElementsAre(6.5));
}

TEST(Quantization, MovesAndOrderAreThoseOfWhatIsStored) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<4x$t>) -> (tensor<2x2x$t>, tensor<4x$t>, tensor<4xi1>) {
      %0 = stablehlo.reshape %x : (tensor<4x$t>) -> tensor<2x2x$t>
      %1 = "stablehlo.sort"(%x) ({
      ^bb0(%a: tensor<$t>, %b: tensor<$t>):
        %c = stablehlo.compare LT, %a, %b, FLOAT : (tensor<$t>, tensor<$t>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<4x$t>) -> tensor<4x$t>
      %2 = stablehlo.compare GT, %x, %1, FLOAT : (tensor<4x$t>, tensor<4x$t>) -> tensor<4xi1>
      return %0, %1, %2 : tensor<2x2x$t>, tensor<4x$t>, tensor<4xi1>
    })";
  const std::vector<Literal> results = Outcome(kProgram, {I8s({4}, {7, -100, 90, 7})});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_THAT(IntsOf(results[0]), ElementsAre(7, -100, 90, 7));
  EXPECT_THAT(IntsOf(results[1]), ElementsAre(-100, 7, 7, 90));
  EXPECT_THAT(IntsOf(results[2]), ElementsAre(1, 0, 1, 0));
  const auto module = Read(kProgram);
  EXPECT_THAT(PrintModule(*module), ::testing::Not(HasSubstr("convert")));
}

TEST(Quantization, ReductionsRoundAtEachStep) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<3x$t>, %zero: tensor<$t>) -> tensor<$t> {
      %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<3x$t>, tensor<$t>) -> tensor<$t>
      return %0 : tensor<$t>
    })";
  // 10 + 10 saturates at 12.2 before -10 is added.
  EXPECT_THAT(IntsOutcome(kProgram, {I8s({3}, {105, 105, -95}), I8s({}, {5})}), ElementsAre(27));
}

TEST(Quantization, LoopsAndCallsCarryStoredValues) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<$t>) -> tensor<$t> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %three = stablehlo.constant dense<3> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<$t>
      cond {
        %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %n = stablehlo.add %i, %one : tensor<i32>
        %d = func.call @double(%v) : (tensor<$t>) -> tensor<$t>
        stablehlo.return %n, %d : tensor<i32>, tensor<$t>
      }
      return %0#1 : tensor<$t>
    }
    func.func private @double(%x: tensor<$t>) -> tensor<$t> {
      %0 = stablehlo.add %x, %x : tensor<$t>
      return %0 : tensor<$t>
    })";
  EXPECT_THAT(IntsOutcome(kProgram, {I8s({}, {6})}), ElementsAre(13));
}

TEST(Quantization, ConstantsAreWrittenAsStored) {
  constexpr char kProgram[] = R"(
    !q = !quant.uniform<u8<1:200>:bf16, 2.0:100>
    func.func @main() -> tensor<2xbf16> {
      %0 = stablehlo.constant() {value = dense<[101, 98]> : tensor<2xui8>} : () -> tensor<2x!q>
      %1 = stablehlo.uniform_dequantize %0 : (tensor<2x!q>) -> tensor<2xbf16>
      return %1 : tensor<2xbf16>
    })";
  const std::vector<Literal> results = Outcome(kProgram, {});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_THAT(FloatsOf(results[0]), ElementsAre(2, -4));
}

TEST(Quantization, DynamicShapesAreQuantizedToo) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2x$a1> {
      %0 = stablehlo.uniform_quantize %x : (tensor<?x2xf32>) -> tensor<?x2x$a1>
      return %0 : tensor<?x2x$a1>
    })";
  EXPECT_THAT(IntsOutcome(kProgram, {F32s({2, 2}, {1, 1, 2, 2})}), ElementsAre(2, 14, 4, 18));
}

std::string Refusal(absl::string_view text) { return std::string(Read(text).status().message()); }

TEST(Quantization, WhatDoesNotGoTogetherIsRefused) {
  EXPECT_THAT(Refusal(R"(
    func.func @main(%x: tensor<2x$t>) -> tensor<2x1x$h> {
      %0 = stablehlo.reshape %x : (tensor<2x$t>) -> tensor<2x1x$h>
      return %0 : tensor<2x1x$h>
    })"),
              HasSubstr("do not go together"));
  EXPECT_THAT(Refusal(R"(
    func.func @main(%x: tensor<2x$t>, %y: tensor<2x$h>) -> tensor<4x$t> {
      %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x$t>, tensor<2x$h>) -> tensor<4x$t>
      return %0 : tensor<4x$t>
    })"),
              HasSubstr("do not go together"));
  EXPECT_THAT(Refusal(R"(
    func.func @main(%x: tensor<2x2x$a0>) -> tensor<2x2x$a0> {
      %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2x$a0>) -> tensor<2x2x$a0>
      return %0 : tensor<2x2x$a0>
    })"),
              HasSubstr("do not go together"));
  // A list that is too short for the axis.
  EXPECT_THAT(Refusal(R"(
    func.func @main(%x: tensor<2x2x$a1>) -> tensor<2x2x$a1> {
      %0 = stablehlo.transpose %x, dims = [0] : (tensor<2x2x$a1>) -> tensor<2x2x$a1>
      return %0 : tensor<2x2x$a1>
    })"),
              HasSubstr("permutation"));
  EXPECT_THAT(Refusal(R"(
    func.func @main(%x: tensor<2x2x$a1>) -> tensor<2x2x$a1> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2x2x$a1>) -> tensor<2x2x$a1>
      return %0 : tensor<2x2x$a1>
    })"),
              HasSubstr("broadcast_dimensions"));
  EXPECT_THAT(Refusal(R"(
    func.func @main(%x: tensor<2x2x$a0>) -> tensor<2x1x$a0> {
      %0 = stablehlo.slice %x [0:2, 0:1] : (tensor<2x2x$a0>) -> tensor<2x1x$a0>
      return %0 : tensor<2x1x$a0>
    })"),
              HasSubstr("each index of a dimension"));
  EXPECT_THAT(Refusal(R"(
    func.func @main(%x: tensor<2x$t>) -> tensor<2xf64> {
      %0 = stablehlo.uniform_dequantize %x : (tensor<2x$t>) -> tensor<2xf64>
      return %0 : tensor<2xf64>
    })"),
              HasSubstr("the reals that it stands for"));
  EXPECT_THAT(Refusal(R"(
    func.func @main(%x: tensor<2x$t>) -> tensor<2x$h> {
      return %x : tensor<2x$t>
    })"),
              HasSubstr("its type says"));
}

TEST(Quantization, ACallPassesWhatItsFunctionTakes) {
  constexpr char kProgram[] = R"(
    func.func @main(%x: tensor<2x$t>, %y: tensor<2xi8>, %z: tensor<2x$h>) -> tensor<2x$t> {
      CALL
      return %0 : tensor<2x$t>
    }
    func.func private @double(%x: tensor<2x$t>) -> tensor<2x$t> {
      %0 = stablehlo.add %x, %x : tensor<2x$t>
      return %0 : tensor<2x$t>
    }
    func.func private @unquantized(%x: tensor<2xi8>) -> tensor<2xi8> { return %x : tensor<2xi8> })";
  const auto with = [&](absl::string_view call) {
    return absl::StrReplaceAll(kProgram, {{"CALL", call}});
  };
  EXPECT_TRUE(Read(with("%0 = call @double(%x) : (tensor<2x$t>) -> tensor<2x$t>")).ok());
  EXPECT_THAT(Refusal(with("%0 = call @double(%z) : (tensor<2x$h>) -> tensor<2x$t>")),
              HasSubstr("a call of function @double passes"));
  EXPECT_THAT(Refusal(with("%0 = call @unquantized(%x) : (tensor<2x$t>) -> tensor<2x$t>")),
              HasSubstr("which has no quantized types"));
  EXPECT_THAT(Refusal(with("%1 = call @double(%y) : (tensor<2xi8>) -> tensor<2xi8>\n"
                           "%0 = call @double(%x) : (tensor<2x$t>) -> tensor<2x$t>")),
              HasSubstr("@double, which takes"));
  EXPECT_THAT(Refusal(with("%0 = stablehlo.composite \"a.b\" %z {decomposition = @double} : "
                           "(tensor<2x$h>) -> tensor<2x$t>")),
              HasSubstr("a call of function @double passes"));
}

// Little text may name many scales often.
TEST(Quantization, ScalesAreBoundedOverTheWholeProgram) {
  constexpr int kScales = 100'000, kOps = 1'000;
  std::string scales = "1.0";
  for (int i = 1; i < kScales; ++i) scales += ",1.0";
  std::string text = absl::StrCat("!q = !quant.uniform<i8:f32:0, {", scales,
                                  "}>\nfunc.func @main(%x: tensor<", kScales, "x!q>) {\n");
  for (int i = 0; i < kOps; ++i) {
    absl::StrAppend(&text, "%", i, " = stablehlo.get_dimension_size %x, dim = 0 : (tensor<",
                    kScales, "x!q>) -> tensor<i32>\n");
  }
  const absl::Status status = ParseModule(text + "return\n}", "test.mlir").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

TEST(Quantization, TypesThatCannotBeAreRefused) {
  const auto refusal = [](absl::string_view element) {
    return Refusal(absl::StrCat("func.func @main(%x: tensor<2x", element, ">) { return }"));
  };
  EXPECT_THAT(refusal("!quant.uniform<i8:f32, 0.0>"), HasSubstr("no positive finite f32"));
  EXPECT_THAT(refusal("!quant.uniform<i8:f16, 1.0e-30>"), HasSubstr("no positive finite f16"));
  EXPECT_THAT(refusal("!quant.uniform<i8:f32, 1.0:200>"), HasSubstr("outside [-128, 127]"));
  EXPECT_THAT(refusal("!quant.uniform<i8<5:5>:f32, 1.0:5>"), HasSubstr("no range"));
  EXPECT_THAT(refusal("!quant.uniform<i64:f32, 1.0>"), HasSubstr("at most 32 bits"));
  EXPECT_THAT(refusal("!quant.uniform<i8:i32, 1.0>"), HasSubstr("stand for f16"));
  EXPECT_THAT(refusal("!quant.uniform<i8:f32:1, {1.0, 2.0}>"), HasSubstr("outside [0, 1)"));
  EXPECT_THAT(refusal("!quant.uniform<i8:f32:0, {1.0}>"), HasSubstr("1 scales where 2"));
  EXPECT_THAT(refusal("!quant.uniform<i8:f32:{0:1}, {1.0}>"), HasSubstr("blocks"));
  EXPECT_THAT(refusal("!quant.any<i8:f32>"), HasSubstr("not supported"));
}

}  // namespace
}  // namespace acceld::ir
