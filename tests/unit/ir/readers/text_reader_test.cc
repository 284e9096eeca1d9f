#include <cmath>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A function @main with the given body, which begins on line 2.
std::string Main(absl::string_view signature, absl::string_view body) {
  return absl::StrCat("func.func @main", signature, " {\n", body, "\n}\n");
}

std::string ErrorOf(const std::string& text) {
  const auto module = ParseModule(text, "m.mlir");
  return module.ok() ? "read without an error" : std::string(module.status().message());
}

Literal ConstantOf(const std::string& dense, const std::string& type) {
  const auto module = ParseModule(
      Main(absl::StrCat("() -> ", type),
           absl::StrCat("%0 = stablehlo.constant ", dense, " : ", type, "\nreturn %0 : ", type)));
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return Literal();
  return module->functions[0].body.ops[0].As<ConstantAttributes>().value;
}

template <typename T>
Literal Values(DType dtype, Dims dims, std::vector<T> values) {
  return Literal::FromValues<T>(TensorType{dtype, std::move(dims)}, values);
}

TEST(TextReaderTest, ReadsConstantsOfEveryClass) {
  EXPECT_EQ(ConstantOf("dense<[[1, -2], [0x7F, 127]]>", "tensor<2x2xi8>"),
            Values<int8_t>(DType::kI8, {2, 2}, {1, -2, 127, 127}));
  EXPECT_EQ(ConstantOf("dense<18446744073709551615>", "tensor<2xui64>"),
            Values<uint64_t>(DType::kUI64, {2}, {~0ull, ~0ull}));
  EXPECT_EQ(ConstantOf("dense<[true, false]>", "tensor<2xi1>"),
            Values<uint8_t>(DType::kI1, {2}, {1, 0}));
  EXPECT_EQ(ConstantOf("dense<[1.5, -4.093E-4]>", "tensor<2xf32>"),
            Values<float>(DType::kF32, {2}, {1.5f, -4.093E-4f}));
  EXPECT_EQ(ConstantOf("dense<[1.5, 0xFF80, -0.0]>", "tensor<3xbf16>"),
            Values<uint16_t>(DType::kBF16, {3}, {0x3FC0, 0xFF80, 0x8000}));
  EXPECT_EQ(ConstantOf("dense<(1.0,-2.0)>", "tensor<complex<f32>>"),
            Values<std::complex<float>>(DType::kC64, {}, {{1, -2}}));
  EXPECT_EQ(ConstantOf("dense<>", "tensor<0x3xf32>"), Values<float>(DType::kF32, {0, 3}, {}));
}

TEST(TextReaderTest, RoundsOnceIntoTheElementType) {
  // Halfway between two floats up to the last digit: rounding to double first would round down.
  EXPECT_EQ(ConstantOf("dense<1.00000005960464484>", "tensor<f32>"),
            Values<float>(DType::kF32, {}, {std::nextafter(1.0f, 2.0f)}));
}

TEST(TextReaderTest, ReadsHexadecimalBytesAndSplats) {
  EXPECT_EQ(ConstantOf("dense<\"0x0000803F00000040\">", "tensor<2xf32>"),
            Values<float>(DType::kF32, {2}, {1, 2}));
  EXPECT_EQ(ConstantOf("dense<\"0x0000803F\">", "tensor<2xf32>"),
            Values<float>(DType::kF32, {2}, {1, 1}));
}

TEST(TextReaderTest, ReadsBooleansInBothPackings) {
  const Literal expected = Values<uint8_t>(DType::kI1, {9}, {1, 0, 1, 0, 0, 0, 0, 0, 1});
  EXPECT_EQ(ConstantOf("dense<\"0x0501\">", "tensor<9xi1>"), expected);
  EXPECT_EQ(ConstantOf("dense<\"0x010001000000000001\">", "tensor<9xi1>"), expected);
}

TEST(TextReaderTest, ReadsBothFormsToEqualModules) {
  const auto pretty = ParseModule(
      R"(module @m { func.func public @main(%x: tensor<4xf32>, %z: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.slice %x [0:4:1] : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32> } })");
  const auto generic = ParseModule(R"("builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{sym_name = "main", function_type = (tensor<4xf32>, tensor<f32>) -> tensor<f32>}> ({
  ^bb0(%x: tensor<4xf32> loc("x"), %z: tensor<f32>):
    %0 = "stablehlo.slice"(%x) <{start_indices = array<i64: 0>, limit_indices = array<i64: 4>, strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<4xf32> loc(#loc)
    %1 = "stablehlo.reduce"(%0, %z) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%1) : (tensor<f32>) -> ()
  }) : () -> () }) : () -> ()
  #loc = loc(callsite("f"("a.py":1:2) at "b.py":3:4)))");
  ASSERT_TRUE(pretty.ok()) << pretty.status();
  ASSERT_TRUE(generic.ok()) << generic.status();
  EXPECT_EQ(PrintModule(*pretty), PrintModule(*generic));
}

TEST(TextReaderTest, ReadsWhatPrintersMakeOfEmptyLists) {
  const auto module = ParseModule(R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.slice %x [] : (tensor<f32>) -> tensor<f32>
    %1 = stablehlo.dynamic_slice %0, , sizes = [] : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.dynamic_slice %1, sizes = [] : (tensor<f32>) -> tensor<f32>
    stablehlo.while() cond {
      %c = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return
    }
    return %2 : tensor<f32>
  })");
  EXPECT_TRUE(module.ok()) << module.status();
}

TEST(TextReaderTest, NamesEndWithTheirRegion) {
  EXPECT_EQ(ErrorOf(Main("(%p: tensor<i1>) -> tensor<i1>", R"(  %r = "stablehlo.if"(%p) ({
    %in = stablehlo.not %p : tensor<i1>
    stablehlo.return %in : tensor<i1>
  }, {
    %in = stablehlo.not %p : tensor<i1>
    stablehlo.return %in : tensor<i1>
  }) : (tensor<i1>) -> tensor<i1>
  return %in : tensor<i1>)")),
            "m.mlir:9:10: expected a value defined before, found %in");
}

TEST(TextReaderTest, NamesUnsupportedOpsInAnyForm) {
  const auto status = [](const std::string& op) {
    return ParseModule(Main("(%x: tensor<2xf32>) -> tensor<2xf32>",
                            absl::StrCat("  %0 = ", op, "\n  return %0 : tensor<2xf32>")),
                       "m.mlir")
        .status();
  };
  for (const char* op : {"stablehlo.foo strange !form",
                         "\"stablehlo.foo\"(%x) : (tensor<2xf32>) -> tensor<2xf32>"}) {
    EXPECT_EQ(status(op).code(), absl::StatusCode::kUnimplemented);
    EXPECT_EQ(status(op).message(), "m.mlir:2:8: op 'stablehlo.foo' is not supported");
  }
}

TEST(TextReaderTest, ErrorsSayPlaceExpectationAndFinding) {
  const std::string f = "(%x: tensor<2xf32>) -> tensor<2xf32>";
  EXPECT_EQ(ErrorOf(Main(f, "  %0 = stablehlo.add %x, %x -> tensor<2xf32>")),
            "m.mlir:2:29: expected ':' before the type of 'stablehlo.add', found '->'");
  EXPECT_THAT(
      ErrorOf(Main(f, "  %0:3 = stablehlo.add %x, %x : tensor<2xf32>\n return %x : tensor<2xf32>")),
      StartsWith("m.mlir:2:10: op 'stablehlo.add' has 1 result, 3 are named"));
  EXPECT_THAT(
      ErrorOf(Main(f, "  %0 = stablehlo.add %x, %x : tensor<3xf32>")),
      HasSubstr(
          "operand 0 of 'stablehlo.add' is a tensor<2xf32>, its signature says tensor<3xf32>"));
  EXPECT_THAT(ErrorOf(Main(f, "  %x = stablehlo.add %x, %x : tensor<2xf32>")),
              HasSubstr("%x is defined twice"));
  EXPECT_THAT(ErrorOf(Main(f, "  %0 = stablehlo.add %x, %x : tensor<2xf32>")),
              HasSubstr("expected an op or the return that ends the region, found '}'"));
  EXPECT_THAT(ErrorOf("module @a {"),
              StartsWith("m.mlir:1:12: expected '}' to end the module, found the end"));
}

TEST(TextReaderTest, RefusesConstantsThatDoNotFitTheirType) {
  const auto error = [](const std::string& dense, const std::string& type) {
    return ErrorOf(Main(absl::StrCat("() -> ", type),
                        absl::StrCat("%0 = stablehlo.constant ", dense, " : ", type)));
  };
  EXPECT_THAT(error("dense<300>", "tensor<i8>"),
              HasSubstr("expected a value that i8 can hold, found 300"));
  EXPECT_THAT(error("dense<-1>", "tensor<ui8>"),
              HasSubstr("expected a value that ui8 can hold, found -1"));
  EXPECT_THAT(error("dense<1.5>", "tensor<i32>"),
              HasSubstr("expected an integer of type i32, found '1.5'"));
  EXPECT_THAT(error("dense<1>", "tensor<f32>"), HasSubstr("expected a number with a '.'"));
  EXPECT_THAT(error("dense<[1.0, 2.0]>", "tensor<3xf32>"),
              HasSubstr("expected 3 elements in dimension 0"));
  EXPECT_THAT(error("dense<\"0x00\">", "tensor<2xf32>"), HasSubstr("found 1"));
}

TEST(TextReaderTest, NestingIsBounded) {
  std::string tuple;
  for (int i = 0; i < 10000; ++i) tuple += "tuple<";
  EXPECT_THAT(ErrorOf(Main(absl::StrCat("(%x: ", tuple), "")),
              HasSubstr("nesting is deeper than 64"));
  std::string list;
  for (int i = 0; i < 10000; ++i) list += "[";
  EXPECT_THAT(ErrorOf(absl::StrCat("module attributes {a = ", list)),
              HasSubstr("nesting is deeper than 64"));
  std::string regions = "%p = stablehlo.constant dense<true> : tensor<i1>\n";
  for (int i = 0; i < 10000; ++i)
    absl::StrAppend(&regions, "%q", i, " = \"stablehlo.if\"(%p) ({\n");
  EXPECT_THAT(ErrorOf(Main("()", regions)), HasSubstr("regions are nested deeper than 256"));
}

TEST(TextReaderTest, ShardingIsReadAndHasNoEffect) {
  const auto module = ParseModule(R"(module {
    sdy.mesh @mesh = <["a"=2]>
    func.func @main(%x: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<2xf32> {
      %0 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<2xf32>
      sdy.sharding_group %0 group_id=21 : tensor<2xf32>
      "sdy.sharding_group"(%x) {group_id = 21 : i64} : (tensor<2xf32>) -> ()
      return %0 : tensor<2xf32>
    } })");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(module->functions[0].body.ops.empty());
}

TEST(TextReaderTest, GroupsOfShardingsAreOfOneValueAndGiveNothing) {
  EXPECT_THAT(ErrorOf(Main("(%x: tensor<2xf32>)", "sdy.sharding_group %x : tensor<2xf32>")),
              HasSubstr("group_id"));
  EXPECT_THAT(
      ErrorOf(Main("(%x: tensor<2xf32>)", "%0 = sdy.sharding_group %x group_id=1 : tensor<2xf32>")),
      HasSubstr("sdy.sharding_group"));
  EXPECT_THAT(
      ErrorOf(Main("(%x: tensor<2xf32>)",
                   "\"sdy.sharding_group\"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> ()")),
      HasSubstr("2 operands where 1 are needed"));
}

// Two parameters, of which the attributes of `first` and `second` say something, and two results.
std::string Donating(absl::string_view first, absl::string_view second) {
  return Main(absl::StrCat("(%x: tensor<2xf32> ", first, ", %y: tensor<2xf32> ", second,
                           ") -> (tensor<2xf32>, tensor<2xf32>)"),
              "return %y, %x : tensor<2xf32>, tensor<2xf32>");
}

TEST(TextReaderTest, DonationIsKeptAndWrittenAgain) {
  const auto module = ParseModule(Donating("{jax.buffer_donor = true, mhlo.sharding = \"{}\"}",
                                           "{tf.aliasing_output = 1 : i32}"));
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<Donation> expected = {{.parameter = 0}, {.parameter = 1, .result = 1}};
  EXPECT_EQ(module->functions[0].donations, expected);
  const std::string text = PrintModule(*module);
  EXPECT_THAT(text, HasSubstr("%0: tensor<2xf32> {jax.buffer_donor = true}, "
                              "%1: tensor<2xf32> {tf.aliasing_output = 1 : i32}"));
  EXPECT_EQ(*ParseModule(text), *module);

  const auto generic =
      ParseModule(R"("func.func"() <{arg_attrs = [{}, {tf.aliasing_output = 0 : i32}],
      sym_name = "main", function_type = (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>}> ({
  ^bb0(%x: tensor<2xf32>, %z: tensor<2xf32>):
    "func.return"(%x) : (tensor<2xf32>) -> () }) : () -> ())");
  ASSERT_TRUE(generic.ok()) << generic.status();
  EXPECT_EQ(generic->functions[0].donations,
            (std::vector<Donation>{{.parameter = 1, .result = 0}}));
}

TEST(TextReaderTest, DonationThatSaysNothingIsNone) {
  const auto module = ParseModule(Donating("{jax.buffer_donor = false}", "{}"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(module->functions[0].donations.empty());
}

TEST(TextReaderTest, DonationToWhatIsNotThereIsRefused) {
  EXPECT_THAT(ErrorOf(Donating("", "{tf.aliasing_output = 2 : i32}")),
              HasSubstr("parameter 1 is donated to result 2, but the function has only 2"));
  EXPECT_THAT(ErrorOf(Donating("{tf.aliasing_output = -1 : i32}", "")),
              HasSubstr("tf.aliasing_output: there is no result -1"));
  EXPECT_THAT(ErrorOf(Donating("{tf.aliasing_output = \"x\"}", "")),
              HasSubstr("tf.aliasing_output: expected"));
  EXPECT_THAT(ErrorOf(Donating("{jax.buffer_donor = 7 : i32}", "")),
              HasSubstr("jax.buffer_donor: expected"));
}

TEST(TextReaderTest, CustomCallsNamedMhloStandForChloOps) {
  const std::string signature = "(%x: tensor<2xf32>) -> tensor<2xf32>";
  const auto op = ParseModule(Main(signature, R"(
    %0 = chlo.erf_inv %x : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>)"));
  const auto call = ParseModule(Main(signature, R"(
    %0 = stablehlo.custom_call @mhlo.erf_inv(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64}
        : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>)"));
  ASSERT_TRUE(op.ok()) << op.status();
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(PrintModule(*call), PrintModule(*op));
}

TEST(TextReaderTest, ResultsOfAReplacedOpAreWhatStandsForThem) {
  const auto module =
      ParseModule(Main("(%a: tensor<2xf32>, %b: tensor<3xi32>) -> tensor<2xf32>", R"(
    %0:2 = "stablehlo.cross-replica-sum"(%b, %a) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<3xi32>, tensor<2xf32>) -> (tensor<3xi32>, tensor<2xf32>)
    %1:2 = "stablehlo.cross-replica-sum"(%0#1, %0#0) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2xf32>, tensor<3xi32>) -> (tensor<2xf32>, tensor<3xi32>)
    return %1#0 : tensor<2xf32>)"));
  ASSERT_TRUE(module.ok()) << module.status();
  const Region& body = module->functions[0].body;
  EXPECT_EQ(body.results[0], body.parameters[0]);
}

// The call of a LAPACK function with operand and result in these orders of dimensions.
std::string LapackCall(absl::string_view type, const std::string& operand,
                       const std::string& result) {
  return Main(absl::StrCat("(%x: ", type, ") -> ", type),
              absl::StrCat("%0 = stablehlo.custom_call @lapack_sorgqr_ffi(%x) {operand_layouts = [",
                           operand, "], result_layouts = [", result, "]} : (", type, ") -> ", type,
                           "\nreturn %0 : ", type));
}

// Each alias stands wherever MLIR allows a type or an attribute.
TEST(TextReaderTest, AliasesStandForTypesAndAttributesEverywhere) {
  const auto aliased = ParseModule(R"(
    !e = f32
    !c = complex<!e>
    !m = tensor<2x!e>
    !z = tensor<2x!c>
    !s = tensor<!e>
    !p = tuple<!m, !m>
    !f = (!m, !m) -> !m
    !g = !f
    #a = dense<[1.0, 2.0]> : !m
    #b = #a
    #n = 3 : i64
    #d = {k = [#n, #b]}
    module {
      func.func private @twice(%x: !m loc("x")) -> (!m, !m {some.name = #d}) {
        return %x, %x : !m, !m
      }
      func.func @main(%x: !m) -> !m {
        %0 = stablehlo.constant dense<1.0> : !m
        %1 = stablehlo.constant #b
        %2 = "stablehlo.constant"() <{value = #a}> : () -> !m
        %3 = stablehlo.add %0, %1 : !m
        %4 = "stablehlo.add"(%3, %2) : !g
        %5 = stablehlo.add %4, %x : !f
        %6:2 = func.call @twice(%5) : (!m) -> (!m, !m)
        %7 = stablehlo.tuple %6#0, %6#1 : !p
        %8 = stablehlo.get_tuple_element %7[1] : (!p) -> !m
        %9 = stablehlo.while(%i = %8) : !m cond {
          %t = stablehlo.constant dense<false> : tensor<i1>
          stablehlo.return %t : tensor<i1>
        } do {
          stablehlo.return %i : !m
        }
        %s = stablehlo.constant dense<0.0> : !s
        %10 = "stablehlo.reduce"(%9, %s) <{dimensions = array<i64: 0>}> ({
        ^bb0(%u: !s, %v: !s):
          %w = stablehlo.add %u, %v : !s
          stablehlo.return %w : !s
        }) : (!m, !s) -> !s
        %11 = stablehlo.complex %9, %9 : (!m, !m) -> !z
        return %9 : !m
      }
    })");
  ASSERT_TRUE(aliased.ok()) << aliased.status();
  EXPECT_EQ(aliased->functions[1].ParameterTypes(),
            (std::vector<Type>{TensorType{DType::kF32, {2}}}));
  // Written out it is the same program.
  const auto plain = ParseModule(PrintModule(*aliased));
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(PrintModule(*plain), PrintModule(*aliased));
}

TEST(TextReaderTest, AliasesThatAreNotDefinedAreRefused) {
  const auto with = [](absl::string_view before, absl::string_view op,
                       absl::string_view after = "") {
    return ErrorOf(absl::StrCat(before, "\nfunc.func @main(%x: tensor<f32>) -> tensor<f32> {\n", op,
                                "\nreturn %x : tensor<f32>\n}\n", after));
  };
  EXPECT_THAT(with("", "%0 = stablehlo.abs %x : !m"), HasSubstr("type '!m' is not supported"));
  EXPECT_THAT(with("", "%0 = stablehlo.constant dense<1.0> : !m"), HasSubstr("'!m'"));
  EXPECT_THAT(with("", "%0 = stablehlo.constant #a"), HasSubstr("alias '#a' is not defined"));
  EXPECT_THAT(with("", "%0 = stablehlo.abs %x {a.b = #a} : tensor<f32>"),
              HasSubstr("alias '#a' is not defined"));
  EXPECT_THAT(with("#b = [#a]", ""), HasSubstr("alias '#a' is not defined"));
  EXPECT_THAT(with("", "%0 = stablehlo.abs %x : tensor<f32> loc(#loc1)"),
              HasSubstr("alias '#loc1' is not defined"));
  EXPECT_THAT(with("", "%0 = stablehlo.abs %x : tensor<f32> loc(callsite(#loc1 at #loc2))",
                   "#loc1 = loc(\"a\")"),
              HasSubstr("alias '#loc2' is not defined"));
  EXPECT_THAT(with("#a = 1\n#a = 2", ""), HasSubstr("alias '#a' is defined twice"));
  EXPECT_THAT(with("!m = f32\n!m = tensor<f32>", ""), HasSubstr("alias '!m' is defined twice"));
  // Locations may follow, and a name in a string is none.
  EXPECT_TRUE(ParseModule("func.func @main(%x: tensor<f32> loc(#loc3)) -> tensor<f32> {\n"
                          "return %x : tensor<f32> loc(\"#no\"(#loc2))\n}\n"
                          "#loc2 = loc(#loc3)\n#loc3 = loc(\"f.py\":1:2)")
                  .ok());
}

TEST(TextReaderTest, LayoutsOfLapackCallsAreWrittenOut) {
  const std::string matrix = "dense<[1, 2, 0]> : tensor<3xindex>";
  const std::string rows = "dense<[2, 1, 0]> : tensor<3xindex>";
  const auto printed = [](const std::string& text) {
    const auto module = ParseModule(text);
    EXPECT_TRUE(module.ok()) << module.status();
    return module.ok() ? PrintModule(*module) : "";
  };
  const std::string usual = printed(LapackCall("tensor<2x4x3xf32>", matrix, matrix));
  EXPECT_THAT(usual, ::testing::Not(HasSubstr("transpose")));
  // Rows of 4 by 3 are, as columns, another matrix.
  const std::string operand = printed(LapackCall("tensor<2x4x3xf32>", rows, matrix));
  EXPECT_THAT(operand, ::testing::ContainsRegex("reshape [^\n]*-> tensor<2x3x4xf32>\n"
                                                "[^\n]*transpose [^\n]*dims = \\[0, 2, 1\\][^\n]*\n"
                                                "[^\n]*custom_call[^\n]*\n[^\n]*return"));
  const std::string result = printed(LapackCall("tensor<2x4x3xf32>", matrix, rows));
  EXPECT_THAT(result, ::testing::ContainsRegex("custom_call[^\n]*\n"
                                               "[^\n]*transpose [^\n]*dims = \\[0, 2, 1\\][^\n]*\n"
                                               "[^\n]*reshape [^\n]*-> tensor<2x4x3xf32>\n"));
}

TEST(TextReaderTest, WrongLayoutsOfLapackCallsAreRefused) {
  for (const char* layout : {"dense<[1, 1]> : tensor<2xindex>", "dense<[1, 2]> : tensor<2xindex>",
                             "dense<[-1, 0]> : tensor<2xindex>", "dense<0> : tensor<1xindex>"}) {
    EXPECT_THAT(ErrorOf(LapackCall("tensor<4x3xf32>", layout, "dense<[0, 1]> : tensor<2xindex>")),
                HasSubstr("has not one order of dimensions for each of (tensor<4x3xf32>)"));
  }
  EXPECT_THAT(ErrorOf(LapackCall("tensor<?x3xf32>", "dense<[1, 0]> : tensor<2xindex>",
                                 "dense<[0, 1]> : tensor<2xindex>")),
              HasSubstr("lays out a value of dynamic size, tensor<?x3xf32>"));
}

}  // namespace
}  // namespace acceld::ir
