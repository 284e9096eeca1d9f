// The ops of StableHLO's test programs in text, which become custom calls.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// @main of these ops, which begin on line 3.
std::string MainOf(absl::string_view ops) {
  return absl::StrCat(
      "#pair = dense<[1, 2]> : tensor<2xi32>\n"
      "func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %i: tensor<2xi32>) {\n",
      ops, "\nfunc.return\n}\n");
}

Module Read(const std::string& text) {
  auto module = ParseModule(text, "m.mlir");
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : Module();
}

// The last op of a program of these ops, which must be a custom call.
CustomCallAttributes LastCallOf(absl::string_view ops) {
  const Module module = Read(MainOf(ops));
  if (module.functions.empty()) return {};
  const std::vector<Op>& all = module.functions[0].body.ops;
  EXPECT_FALSE(all.empty());
  if (all.empty() || all.back().kind != OpKind::kCustomCall) return {};
  return all.back().As<CustomCallAttributes>();
}

CustomCallAttributes Call(const std::string& target, const AttributeDictionary& config = {}) {
  CustomCallAttributes call{.call_target_name = target, .has_side_effect = true};
  if (config.empty()) return call;
  call.api_version = 4;
  call.backend_config.value = DictionaryAttribute{config};
  return call;
}

CustomCallAttributes AlmostEq(double tolerance) {
  return Call("check.expect_almost_eq", {{"tolerance", {FloatAttribute{tolerance}}}});
}

CustomCallAttributes Close(int64_t max_ulps, int64_t min_ulps) {
  return Call("check.expect_close", {{"max_ulp_difference", {IntegerAttribute{max_ulps}}},
                                     {"min_ulp_difference", {IntegerAttribute{min_ulps}}}});
}

TEST(CheckText, ReadsPrettyForms) {
  EXPECT_EQ(LastCallOf("check.expect_eq %i, %i : tensor<2xi32>"), Call("check.expect_eq"));
  EXPECT_EQ(LastCallOf("check.expect_eq_const %i, dense<[1, 2]> : tensor<2xi32>"),
            Call("check.expect_eq"));
  EXPECT_EQ(LastCallOf("check.expect_almost_eq %a, %b : tensor<2xf32>"), AlmostEq(1e-4));
  EXPECT_EQ(LastCallOf("check.expect_almost_eq %a, %b, tolerance = 0.5 : tensor<2xf32>"),
            AlmostEq(0.5));
  EXPECT_EQ(LastCallOf("check.expect_almost_eq %a, %b, tolerance = 5.0e-1 : f64 : tensor<2xf32>"),
            AlmostEq(0.5));
  EXPECT_EQ(LastCallOf("check.expect_almost_eq_const %a, dense<1.0> : tensor<2xf32>"),
            AlmostEq(1e-4));
  EXPECT_EQ(
      LastCallOf("check.expect_almost_eq_const %a, dense<1.0> : tensor<2xf32>, tolerance = 0.25"),
      AlmostEq(0.25));
  EXPECT_EQ(LastCallOf("check.expect_close %a, %b, max_ulp_difference = 3 : tensor<2xf32>, "
                       "tensor<2xf32> loc(unknown)"),
            Close(3, 0));
  EXPECT_EQ(LastCallOf("check.expect_close %a, %b, max_ulp_difference = 3 : ui64, "
                       "min_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>"),
            Close(3, 2));
}

TEST(CheckText, ReadsGenericForms) {
  const std::string on_two = " : (tensor<2xf32>, tensor<2xf32>) -> ()";
  EXPECT_EQ(LastCallOf("\"check.expect_eq\"(%a, %b)" + on_two), Call("check.expect_eq"));
  EXPECT_EQ(LastCallOf("\"check.expect_eq_const\"(%i) <{value = dense<[1, 2]> : tensor<2xi32>}> : "
                       "(tensor<2xi32>) -> ()"),
            Call("check.expect_eq"));
  EXPECT_EQ(LastCallOf("\"check.expect_almost_eq\"(%a, %b)" + on_two), AlmostEq(1e-4));
  EXPECT_EQ(LastCallOf("\"check.expect_almost_eq\"(%a, %b) {tolerance = 0.5 : f64}" + on_two),
            AlmostEq(0.5));
  EXPECT_EQ(LastCallOf("\"check.expect_almost_eq_const\"(%a) {tolerance = 0.5 : f64, "
                       "value = dense<1.0> : tensor<2xf32>} : (tensor<2xf32>) -> ()"),
            AlmostEq(0.5));
  EXPECT_EQ(LastCallOf("\"check.expect_close\"(%a, %b)" + on_two), Close(1, 0));
  EXPECT_EQ(LastCallOf("\"check.expect_close\"(%a, %b) <{max_ulp_difference = 7 : ui64, "
                       "min_ulp_difference = 1 : ui64}>" +
                       on_two),
            Close(7, 1));
}

TEST(CheckText, ExpectedAttributesBecomeConstants) {
  for (const std::string expected : {"dense<[1, 2]> : tensor<2xi32>", "#pair"}) {
    const Module module = Read(MainOf("check.expect_eq_const %i, " + expected));
    ASSERT_EQ(module.functions.size(), 1);
    const Region& body = module.functions[0].body;
    ASSERT_EQ(body.ops.size(), 2);
    EXPECT_EQ(body.ops[0].As<ConstantAttributes>().value,
              Literal::FromValues<int32_t>(TensorType{DType::kI32, {2}}, {1, 2}));
    EXPECT_THAT(body.ops[1].operands, ElementsAre(body.parameters[2], body.ops[0].results[0]));
    EXPECT_THAT(body.ops[1].results, IsEmpty());
    EXPECT_EQ(body.ops[0].location.line, 3);
    EXPECT_EQ(body.ops[1].location.line, 3);
  }
}

Attribute Name(const std::string& function) { return {SymbolAttribute{function}}; }

Attribute List(std::vector<Attribute> elements) { return {ArrayAttribute{std::move(elements)}}; }

TEST(CheckText, ParallelRunsKeepOperandsAndResults) {
  const AttributeDictionary programs = {{"programs", List({List({Name("f"), Name("g")})})}};
  for (const std::string attributes :
       {"{programs = [[@f, @g]]}", "<{programs = [[@f, @g]]}>", "<{}> {programs = [[@f, @g]]}"}) {
    const Module module = Read(
        MainOf(absl::StrCat("%0:2 = \"interpreter.run_parallel\"(%a, %i) ", attributes,
                            " : (tensor<2xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>)\n"
                            "check.expect_eq %0#1, %i : tensor<2xi32>")));
    ASSERT_EQ(module.functions.size(), 1);
    const Function& main = module.functions[0];
    ASSERT_EQ(main.body.ops.size(), 2);
    const Op& run = main.body.ops[0];
    EXPECT_EQ(run.As<CustomCallAttributes>(), Call("interpreter.run_parallel", programs));
    EXPECT_THAT(run.operands, ElementsAre(main.body.parameters[0], main.body.parameters[2]));
    EXPECT_EQ(main.TypesOf(run.results), main.TypesOf(run.operands));
    EXPECT_THAT(main.body.ops[1].operands, ElementsAre(run.results[1], main.body.parameters[2]));
  }
}

TEST(CheckText, InfeedsOfParallelRunsAreKept) {
  const AttributeDictionary attributes = {{"infeed", List({Name("q")})},
                                          {"programs", List({List({Name("f")})})}};
  EXPECT_EQ(
      LastCallOf("\"interpreter.run_parallel\"() {infeed = [@q], programs = [[@f]]} : () -> ()"),
      Call("interpreter.run_parallel", attributes));
}

TEST(CheckText, SurvivesPrinting) {
  const std::string printed = PrintModule(Read(
      MainOf("%0 = \"interpreter.run_parallel\"(%a) {programs = [[@f]]} : (tensor<2xf32>) -> "
             "tensor<2xf32>\n"
             "check.expect_almost_eq_const %0, dense<1.0> : tensor<2xf32>\n"
             "check.expect_close %0, %b, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>")));
  EXPECT_THAT(printed, HasSubstr("@check.expect_close"));
  EXPECT_EQ(PrintModule(Read(printed)), printed);
}

void ExpectRefused(absl::string_view ops, absl::string_view why,
                   absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  const auto module = ParseModule(MainOf(ops), "m.mlir");
  EXPECT_EQ(module.status().code(), code) << module.status() << "\n" << ops;
  EXPECT_THAT(std::string(module.status().message()), HasSubstr(std::string(why))) << ops;
}

TEST(CheckText, RefusesOperandsThatCannotBeCompared) {
  ExpectRefused("check.expect_eq %a, %i : tensor<2xf32>",
                "m.mlir:3:1: operand 1 of 'check.expect_eq' is a tensor<2xi32>");
  ExpectRefused("\"check.expect_eq\"(%a, %i) : (tensor<2xf32>, tensor<2xi32>) -> ()",
                "m.mlir:3:1: op 'check.expect_eq' compares a tensor<2xf32> with a tensor<2xi32>");
  ExpectRefused("check.expect_eq_const %a, dense<[1, 2]> : tensor<2xi32>",
                "compares a tensor<2xf32> with a tensor<2xi32>");
  ExpectRefused("check.expect_eq_const %a, 5", "no dense constant");
  ExpectRefused("\"check.expect_eq_const\"(%a) : (tensor<2xf32>) -> ()", "no dense constant");
  ExpectRefused("check.expect_eq_const %a, %b, dense<1.0> : tensor<2xf32>",
                "has 2 operands, 0 results and 0 regions, expected 1 operands only");
  ExpectRefused("%0 = \"check.expect_eq\"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i1>",
                "has 2 operands, 1 results");
}

TEST(CheckText, RefusesAttributesThatAreNotOfTheOp) {
  const std::string on_two = " : (tensor<2xf32>, tensor<2xf32>) -> ()";
  ExpectRefused("check.expect_eq %a, %b, tolerance = 0.5 : tensor<2xf32>",
                "op 'check.expect_eq' has no attribute 'tolerance'");
  ExpectRefused("\"check.expect_almost_eq\"(%a, %b) {tolerance = 1 : i64}" + on_two,
                "expected a number of type f64");
  ExpectRefused("check.expect_close %a, %b : tensor<2xf32>, tensor<2xf32>", "expected ','");
  ExpectRefused("\"check.expect_close\"(%a, %b) {max_ulp_difference = 0.5 : f64}" + on_two,
                "max_ulp_difference");
  ExpectRefused(
      "check.expect_close %a, %b, max_ulp_difference = 18446744073709551615 : "
      "tensor<2xf32>, tensor<2xf32>",
      "expected 0 to 2^63 - 1");
  ExpectRefused("\"interpreter.run_parallel\"() : () -> ()", "needs the attribute 'programs'");
  ExpectRefused("\"interpreter.run_parallel\"() {programs = [[@f]], grid = 1} : () -> ()",
                "has no attribute 'grid'");
}

TEST(CheckText, OtherOpsOfTestProgramsAreUnimplemented) {
  for (const char* op :
       {"check.expect_serialized_eq %a, probe_id = \"p\" : tensor<2xf32>",
        "\"check.expect_serialized_eq\"(%a) {probe_id = \"p\"} : (tensor<2xf32>) -> ()",
        "interpreter.print %a : tensor<2xf32>"}) {
    ExpectRefused(op, "is not supported", absl::StatusCode::kUnimplemented);
  }
}

}  // namespace
}  // namespace acceld::ir
