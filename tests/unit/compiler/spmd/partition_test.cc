// Partitioned programs compute what the whole program computes, with as few collectives as they
// need.
#include "server/compiler/spmd/partition.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/ir/conformance/checks.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "common/threads/mutex.h"
#include "gmock/gmock.h"
#include "tests/unit/compiler/spmd/sharded_run.h"

namespace acceld::compiler::spmd {
namespace {

using ::testing::HasSubstr;

// Small different numbers.
ir::Literal Numbers(const ir::TensorType& type, int seed) {
  std::string bytes(static_cast<size_t>(type.size_bytes()), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const int64_t value = (i * 7 + seed * 3) % 11 - 5;
    if (ir::IsFloat(type.dtype)) {
      ir::WriteFloat(type.dtype, bytes.data(), i, static_cast<double>(value));
    } else {
      ir::WriteInt(type.dtype, bytes.data(), i,
                   type.dtype == ir::DType::kI1 ? value & 1
                   : ir::IsUnsigned(type.dtype) ? value + 5
                                                : value);
    }
  }
  return *ir::Literal::FromBytes(type, std::move(bytes));
}

// Partitions the program, runs both and compares them. Returns the collectives of the partitioned
// one, or what is wrong.
std::string Check(const std::string& text) {
  const auto module = ir::ParseModule(text, "test.mlir");
  if (!module.ok()) return module.status().ToString();
  std::vector<ir::Literal> arguments;
  for (const ir::Type& type : module->functions[0].ParameterTypes()) {
    arguments.push_back(Numbers(type.tensor(), static_cast<int>(arguments.size())));
  }
  const PartitionedRun run = RunBoth(*module, arguments);
  const std::string difference =
      DifferenceOf(run, CheckRules(module->functions[0].body.results.size(), Exact()));
  return difference.empty() ? run.collectives : difference;
}

// @main of a program for 4 partitions in a mesh x=2, y=2.
std::string Program(absl::string_view signature, absl::string_view body) {
  return absl::StrCat(
      "module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n"
      "sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\nfunc.func public @main",
      signature, " {\n", body, "\n}\n}");
}

// The attribute of a parameter or result.
std::string At(absl::string_view dimensions) {
  return absl::StrCat("{sdy.sharding = #sdy.sharding<@m, [", dimensions, "]>}");
}

TEST(Partition, ElementwiseOpsNeedNothingOfOthers) {
  EXPECT_EQ(Check(Program(absl::StrCat("(%a: tensor<4x6xf32> ", At("{\"x\"}, {\"y\"}"),
                                       ", %b: tensor<4x6xf32> ", At("{\"x\"}, {\"y\"}"),
                                       ") -> tensor<4x6xf32>"),
                          "%0 = stablehlo.add %a, %b : tensor<4x6xf32>\n"
                          "%1 = stablehlo.multiply %0, %a : tensor<4x6xf32>\n"
                          "return %1 : tensor<4x6xf32>")),
            "");
}

TEST(Partition, AValueChangesItsSharding) {
  const auto reshard = [](absl::string_view from, absl::string_view to) {
    return Check(Program(
        absl::StrCat("(%a: tensor<8x12xi32> ", At(from), ") -> (tensor<8x12xi32> ", At(to), ")"),
        "return %a : tensor<8x12xi32>"));
  };
  EXPECT_EQ(reshard("{\"x\"}, {}", "{}, {}"), "1 all_gather");
  EXPECT_EQ(reshard("{}, {}", "{\"x\"}, {\"y\"}"), "");
  EXPECT_EQ(reshard("{\"x\"}, {}", "{\"x\"}, {\"y\"}"), "");
  EXPECT_EQ(reshard("{\"x\"}, {}", "{}, {\"x\"}"), "1 all_to_all");
  EXPECT_EQ(reshard("{\"x\", \"y\"}, {}", "{\"x\"}, {\"y\"}"), "1 all_to_all");
  EXPECT_EQ(reshard("{\"x\"}, {}", "{\"y\"}, {}"), "1 collective_permute");
  EXPECT_EQ(reshard("{\"x\", \"y\"}, {}", "{\"y\", \"x\"}, {}"), "1 collective_permute");
  EXPECT_EQ(reshard("{\"x\"}, {\"y\"}", "{\"y\"}, {\"x\"}"), "1 collective_permute");
  EXPECT_EQ(reshard("{\"x\", \"y\"}, {}", "{}, {\"x\", \"y\"}"), "1 all_to_all");
  EXPECT_EQ(reshard("{\"x\", \"y\"}, {}", "{\"y\"}, {\"x\"}").find("INVALID"), std::string::npos);
}

TEST(Partition, MatrixProductsAreDividedAlongEachFactor) {
  const auto product = [](absl::string_view lhs, absl::string_view rhs, absl::string_view out) {
    return Check(Program(
        absl::StrCat("(%a: tensor<4x8xf32> ", At(lhs), ", %b: tensor<8x12xf32> ", At(rhs),
                     ") -> (tensor<4x12xf32> ", At(out), ")"),
        "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, "
        "tensor<8x12xf32>) -> tensor<4x12xf32>\nreturn %0 : tensor<4x12xf32>"));
  };
  EXPECT_EQ(product("{\"x\"}, {}", "{}, {\"y\"}", "{\"x\"}, {\"y\"}"), "");
  EXPECT_EQ(product("{}, {\"x\"}", "{\"x\"}, {}", "{}, {}"), "1 all_reduce");
  EXPECT_EQ(product("{}, {\"x\"}", "{\"x\"}, {}", "{\"x\"}, {}"), "1 all_reduce");
  EXPECT_EQ(product("{\"x\"}, {}", "{\"x\"}, {}", "{\"x\"}, {}"), "1 all_gather");
  EXPECT_EQ(product("{\"x\"}, {\"y\"}", "{\"y\"}, {}", "{\"x\"}, {}"), "1 all_reduce");
}

TEST(Partition, ReductionsAreCombined) {
  const auto reduce = [](absl::string_view op, absl::string_view initial, absl::string_view from) {
    return Check(Program(
        absl::StrCat("(%a: tensor<4x8xf32> ", At(from), ") -> (tensor<4xf32> ", At("{}"), ")"),
        absl::StrCat("%c = stablehlo.constant dense<", initial,
                     "> : tensor<f32>\n%0 = stablehlo.reduce(%a init: %c) applies ", op,
                     " across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> "
                     "tensor<4xf32>\nreturn %0 : tensor<4xf32>")));
  };
  EXPECT_EQ(reduce("stablehlo.add", "0.0", "{}, {\"x\", \"y\"}"), "1 all_reduce");
  EXPECT_EQ(reduce("stablehlo.add", "3.0", "{}, {\"x\", \"y\"}"), "1 all_gather");
  EXPECT_EQ(reduce("stablehlo.maximum", "-1.0", "{}, {\"x\"}"), "1 all_reduce");
  EXPECT_EQ(reduce("stablehlo.add", "0.0", "{\"x\"}, {}"), "1 all_gather");
}

TEST(Partition, ShapesMayChangeAlongTheWay) {
  EXPECT_EQ(Check(Program(absl::StrCat("(%a: tensor<8x6xf32> ", At("{\"x\", \"y\"}, {}"),
                                       ") -> (tensor<2x4x6xf32>, tensor<6x8xf32>)"),
                          "%0 = stablehlo.reshape %a : (tensor<8x6xf32>) -> tensor<2x4x6xf32>\n"
                          "%1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x6xf32>) -> "
                          "tensor<6x8xf32>\n"
                          "return %0, %1 : tensor<2x4x6xf32>, tensor<6x8xf32>")),
            "");
  EXPECT_EQ(
      Check(Program(absl::StrCat("(%a: tensor<4xf32> ", At("{\"x\"}"), ") -> tensor<4x6xf32>"),
                    "%0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<4xf32>) -> "
                    "tensor<4x6xf32>\n%1 = stablehlo.iota dim = 0 : tensor<4x6xf32>\n"
                    "%2 = stablehlo.add %0, %1 : tensor<4x6xf32>\n"
                    "%c = stablehlo.constant dense<[[1.0,2.0,3.0,4.0,5.0,6.0],"
                    "[1.0,2.0,3.0,4.0,5.0,6.0],[1.0,2.0,3.0,4.0,5.0,7.0],"
                    "[1.0,2.0,3.0,4.0,5.0,8.0]]> : tensor<4x6xf32>\n"
                    "%3 = stablehlo.add %2, %c : tensor<4x6xf32>\n"
                    "return %3 : tensor<4x6xf32>")),
      "");
}

TEST(Partition, ShapesWithoutCommonFactorsAreNotDivided) {
  EXPECT_EQ(Check(Program(
                absl::StrCat("(%a: tensor<4x6xf32> ", At("{}, {\"x\"}"), ") -> tensor<6x4xf32>"),
                "%0 = stablehlo.reshape %a : (tensor<4x6xf32>) -> tensor<6x4xf32>\n"
                "return %0 : tensor<6x4xf32>")),
            "1 all_gather");
}

TEST(Partition, IndicesOfAllTypesAreShifted) {
  // Those that lie outside are clamped to the last row, also where they are no numbers of i32.
  EXPECT_EQ(Check(Program(absl::StrCat("(%t: tensor<16x2xf32> ", At("{\"x\", \"y\"}, {}"),
                                       ") -> tensor<4x2xf32>"),
                          R"(
    %i = stablehlo.constant dense<[[0], [7], [4000000000], [15]]> : tensor<4x1xui32>
    %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], index_vector_dim = 1, offset_dims = [1], start_index_map = [0]>, slice_sizes = array<i64: 1, 2>}> : (tensor<16x2xf32>, tensor<4x1xui32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>)")),
            "1 all_reduce");
}

TEST(Partition, WhatHasNoRuleIsComputedEverywhere) {
  EXPECT_EQ(
      Check(Program(absl::StrCat("(%a: tensor<8xf32> ", At("{\"x\"}"), ") -> (tensor<8xf32> ",
                                 At("{\"x\"}"), ")"),
                    "%0 = \"stablehlo.sort\"(%a) <{dimension = 0 : i64}> ({\n"
                    "^bb0(%u: tensor<f32>, %v: tensor<f32>):\n"
                    "%w = stablehlo.compare LT, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                    "stablehlo.return %w : tensor<i1>\n}) : (tensor<8xf32>) -> tensor<8xf32>\n"
                    "return %0 : tensor<8xf32>")),
      "1 all_gather");
}

TEST(Partition, LoopsCarryShards) {
  EXPECT_EQ(Check(Program(absl::StrCat("(%a: tensor<8xf32> ", At("{\"x\"}"), ") -> tensor<8xf32>"),
                          R"(
    %c = stablehlo.constant dense<0> : tensor<i32>
    %n = stablehlo.constant dense<5> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c, %v = %a) : tensor<i32>, tensor<8xf32>
      cond {
        %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %j = stablehlo.add %i, %one : tensor<i32>
        %w = stablehlo.add %v, %a : tensor<8xf32>
        stablehlo.return %j, %w : tensor<i32>, tensor<8xf32>
      }
    return %0#1 : tensor<8xf32>)")),
            "");
}

TEST(Partition, ManualComputationsAreTheirOwnRegions) {
  EXPECT_EQ(Check(Program("(%a: tensor<8x4xf32>) -> tensor<4x4xf32>", R"(
    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}, {"y"}]>] out_shardings=[<@m, [{}, {"y"}]>] manual_axes={"x", "y"} (%b: tensor<4x2xf32>) {
      %1 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
        ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %w = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %w : tensor<f32>
      }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
      %p = stablehlo.partition_id : tensor<ui32>
      %q = stablehlo.constant dense<2> : tensor<ui32>
      %r = stablehlo.remainder %p, %q : tensor<ui32>
      %s = stablehlo.convert %r : (tensor<ui32>) -> tensor<f32>
      %t = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
      %2 = stablehlo.add %1, %t : tensor<4x2xf32>
      sdy.return %2 : tensor<4x2xf32>
    } : (tensor<8x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>)")),
            "1 all_reduce");
  EXPECT_EQ(Check(Program("(%a: tensor<8x4xf32>) -> tensor<8x4xf32>", R"(
    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"x"}, {"y"}]>] out_shardings=[<@m, [{"x"}, {"y"}]>] manual_axes={"x"} (%b: tensor<4x4xf32>) {
      %1 = sdy.sharding_constraint %b <@m, [{}, {"y"}]> : tensor<4x4xf32>
      %2 = stablehlo.add %1, %1 : tensor<4x4xf32>
      sdy.return %2 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>)")),
            "");  // along y, which is not manual, the values inside are divided as those outside
}

TEST(Partition, AShardingThatDoesNotDivideAResultIsRefused) {
  EXPECT_THAT(
      Check(Program(absl::StrCat("(%a: tensor<7xf32> ", At("{\"x\"}"), ") -> tensor<7xf32>"),
                    "return %a : tensor<7xf32>")),
      HasSubstr("parameter 0 is tensor<7xf32>, which its sharding <@m, [{\"x\"}]> does not "
                "divide into equal shards"));
}

TEST(Partition, DimensionsOfHighPriorityArePropagatedFirst) {
  // Which dimension of the sum is divided.
  const auto divided = [](absl::string_view priority_of_a, absl::string_view priority_of_b) {
    const auto module = ir::ParseModule(absl::StrCat(R"(
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=4]>
  func.func public @main(
      %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?})",
                                                     priority_of_a, R"(, {?}]>},
      %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {"x", ?})",
                                                     priority_of_b, R"(]>})
      -> tensor<8x8xf32> {
    %0 = stablehlo.add %a, %b : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
})"),
                                        "test.mlir");
    if (!module.ok()) return -1;
    const auto program = Partition(*module);
    if (!program.ok()) return -1;
    const auto& dimensions = program->result_shardings[0].dimensions;
    return dimensions[0].axes.empty() ? 1 : 0;
  };
  EXPECT_EQ(divided("", ""), 0);
  EXPECT_EQ(divided("p1", "p0"), 1);
  EXPECT_EQ(divided("p1", "p2"), 0);
  EXPECT_EQ(divided("p7", "p3"), 1);
}

TEST(Partition, ValuesOfAGroupHaveOneSharding) {
  // Alone, the first sum would be divided along x, then y, and the second one along y, then x.
  const auto module = ir::ParseModule(R"(
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(
      %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>},
      %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>})
      -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = stablehlo.add %a, %a : tensor<8x8xf32>
    %1 = stablehlo.add %b, %b : tensor<8x8xf32>
    %2 = stablehlo.negate %1 : tensor<8x8xf32>
    sdy.sharding_group %0 group_id = 7 : tensor<8x8xf32>
    sdy.sharding_group %1 group_id = 7 : tensor<8x8xf32>
    sdy.sharding_group %1 group_id = 8 : tensor<8x8xf32>
    sdy.sharding_group %2 group_id = 8 : tensor<8x8xf32>
    return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
})",
                                      "test.mlir");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto program = Partition(*module);
  ASSERT_TRUE(program.ok()) << program.status();
  for (const ir::Sharding& sharding : program->result_shardings) {
    ASSERT_EQ(sharding.dimensions.size(), 2u);
    for (size_t d = 0; d < 2; ++d) {
      EXPECT_FALSE(sharding.dimensions[d].axes.empty());
      EXPECT_EQ(sharding.dimensions[d].axes, program->result_shardings[0].dimensions[d].axes);
    }
  }
}

TEST(Partition, UnevenConstraintsAreNotFollowed) {
  EXPECT_EQ(Check(Program("(%a: tensor<7xf32>) -> tensor<7xf32>",
                          "%0 = sdy.sharding_constraint %a <@m, [{\"x\"}]> : tensor<7xf32>\n"
                          "return %0 : tensor<7xf32>")),
            "");
}

TEST(Partition, ValuesThatAreNotReducedAreSums) {
  constexpr char kUnreduced[] = "{sdy.sharding = #sdy.sharding<@m, [{}], unreduced={\"x\"}>}";
  EXPECT_EQ(Check(Program(absl::StrCat("(%a: tensor<4xf32>) -> (tensor<4xf32> ", kUnreduced, ")"),
                          "return %a : tensor<4xf32>")),
            "");
  EXPECT_EQ(Check(Program(absl::StrCat("(%a: tensor<4xf32> ", kUnreduced, ") -> tensor<4xf32>"),
                          "return %a : tensor<4xf32>")),
            "1 all_reduce");
}

// A manual computation on x, which computes the first half of its operand twice.
std::string ManualSum(absl::string_view in, absl::string_view out) {
  return Program("(%a: tensor<8xf32>) -> tensor<4xf32>",
                 absl::StrCat("%0 = sdy.manual_computation(%a) in_shardings=[<@m, ", in,
                              ">] out_shardings=[<@m, ", out,
                              R"(>] manual_axes={"x"} (%b: tensor<8xf32>) {
      %1 = stablehlo.slice %b [0:4] : (tensor<8xf32>) -> tensor<4xf32>
      %2 = stablehlo.add %1, %1 : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>)"));
}

TEST(Partition, ManualComputationsMayTakeAndGiveParts) {
  EXPECT_EQ(Check(ManualSum("[{}]", "[{}], unreduced={\"x\"}")), "1 all_reduce");
  EXPECT_EQ(Check(ManualSum("[{}], unreduced={\"x\"}", "[{}], unreduced={\"x\"}")), "1 all_reduce");
  EXPECT_EQ(Check(ManualSum("[{}], unreduced=max{\"x\"}", "[{}], unreduced=max{\"x\"}")),
            "1 all_reduce");
  // Along an axis that is not manual, the values inside are whole.
  EXPECT_EQ(Check(ManualSum("[{}], unreduced={\"y\"}", "[{}], unreduced={\"y\"}")), "");
}

// @main with a product of %a, whose columns are divided along x, and %b.
std::string ProductInParts(absl::string_view result, absl::string_view ops) {
  return Program(absl::StrCat("(%a: tensor<4x8xf32> ", At("{}, {\"x\"}"), ", %b: tensor<8x4xf32> ",
                              At("{\"x\"}, {}"), ") -> (tensor<4x4xf32> {sdy.sharding = ",
                              "#sdy.sharding<@m, ", result, ">})"),
                 absl::StrCat("%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
                              "(tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>\n"
                              "%p = sdy.sharding_constraint %0 <@m, [{}, {}], unreduced={\"x\"}> : "
                              "tensor<4x4xf32>\n",
                              ops));
}

TEST(Partition, PartsAreCombinedWhereTheWholeIsNeeded) {
  EXPECT_EQ(Check(ProductInParts("[{}, {}], unreduced={\"x\"}", "return %p : tensor<4x4xf32>")),
            "");
  EXPECT_EQ(Check(ProductInParts("[{}, {}]", "return %p : tensor<4x4xf32>")), "1 all_reduce");
  EXPECT_EQ(Check(ProductInParts("[{\"x\"}, {}]", "return %p : tensor<4x4xf32>")), "1 all_reduce");
  EXPECT_EQ(
      Check(ProductInParts("[{\"y\"}, {}], unreduced={\"x\"}", "return %p : tensor<4x4xf32>")), "");
  EXPECT_EQ(Check(ProductInParts("[{}, {}]",
                                 "%1 = stablehlo.multiply %p, %p : tensor<4x4xf32>\n"
                                 "return %1 : tensor<4x4xf32>")),
            "1 all_reduce");
}

TEST(Partition, LinearOpsPassPartsOn) {
  for (const absl::string_view ops :
       {"%1 = stablehlo.add %p, %p : tensor<4x4xf32>",
        "%2 = stablehlo.subtract %p, %a4 : tensor<4x4xf32>\n"
        "%1 = stablehlo.negate %2 : tensor<4x4xf32>",
        "%2 = stablehlo.transpose %p, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
        "%3 = stablehlo.convert %2 : (tensor<4x4xf32>) -> tensor<4x4xf64>\n"
        "%1 = stablehlo.convert %3 : (tensor<4x4xf64>) -> tensor<4x4xf32>",
        "%1 = stablehlo.multiply %a4, %p : tensor<4x4xf32>",
        "%1 = stablehlo.dot_general %p, %a4, contracting_dims = [1] x [0] : (tensor<4x4xf32>, "
        "tensor<4x4xf32>) -> tensor<4x4xf32>",
        "%2 = stablehlo.reverse %p, dims = [0] : tensor<4x4xf32>\n"
        "%1 = stablehlo.concatenate %2, %p, dim = 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> "
        "tensor<8x4xf32>"}) {
    // What is passed on is wanted in parts, and combined once.
    const bool is_long = absl::StrContains(ops, "8x4");
    const absl::string_view type = is_long ? "tensor<8x4xf32>" : "tensor<4x4xf32>";
    const std::string program = absl::StrReplaceAll(
        ProductInParts(
            "[{}, {}]",
            absl::StrCat(
                "%a4 = stablehlo.slice %a [0:4, 2:6] : (tensor<4x8xf32>) -> "
                "tensor<4x4xf32>\n",
                ops, "\n%r = sdy.sharding_constraint %1 <@m, [{}, {}], unreduced={\"x\"}> : ", type,
                "\n%s = sdy.sharding_constraint %r <@m, [{}, {}]> : ", type,
                "\nreturn %s : ", type)),
        {{") -> (tensor<4x4xf32>", absl::StrCat(") -> (", type)}});
    const std::string collectives = Check(program);
    EXPECT_TRUE(collectives == "1 all_reduce" || collectives == "1 all_gather, 1 all_reduce")
        << ops << "\n"
        << collectives;
  }
}

TEST(Partition, ValuesBecomePartsWithoutCommunication) {
  const auto reshard = [](absl::string_view from, absl::string_view to) {
    return Check(
        Program(absl::StrCat("(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@m, ", from,
                             ">}) -> (tensor<8x4xi32> {sdy.sharding = "
                             "#sdy.sharding<@m, ",
                             to, ">})"),
                "return %a : tensor<8x4xi32>"));
  };
  EXPECT_EQ(reshard("[{}, {}]", "[{}, {}], unreduced={\"x\"}"), "");
  EXPECT_EQ(reshard("[{}, {}]", "[{}, {}], unreduced=max{\"x\"}"), "");
  EXPECT_EQ(reshard("[{\"x\"}, {}]", "[{}, {}], unreduced={\"x\"}"), "");
  EXPECT_EQ(reshard("[{\"x\", \"y\"}, {}]", "[{\"x\"}, {}], unreduced={\"y\"}"), "");
  EXPECT_EQ(reshard("[{\"x\"}, {\"y\"}]", "[{}, {}], unreduced={\"x\", \"y\"}"), "");
  EXPECT_EQ(reshard("[{\"y\"}, {}], unreduced={\"x\"}", "[{}, {}], unreduced={\"x\", \"y\"}"), "");
  EXPECT_EQ(reshard("[{\"y\", \"x\"}, {}]", "[{}, {}], unreduced={\"y\"}"), "1 all_gather");
  EXPECT_EQ(reshard("[{\"x\"}, {}]", "[{}, {}], unreduced=min{\"x\"}"), "1 all_gather");
  EXPECT_EQ(reshard("[{}, {}], unreduced=max{\"x\"}", "[{}, {}], unreduced={\"x\"}"),
            "1 all_reduce");
  EXPECT_EQ(reshard("[{}, {}], unreduced={\"x\", \"y\"}", "[{\"x\", \"y\"}, {}]"), "1 all_reduce");
}

TEST(Partition, PartsOfMaximaAndMinima) {
  const auto reduce = [](absl::string_view op, absl::string_view constrained) {
    return Check(Program(
        absl::StrCat("(%a: tensor<8x4xi32> ", At("{\"x\"}, {\"y\"}"), ") -> tensor<i32>"),
        absl::StrCat("%c = stablehlo.constant dense<0> : tensor<i32>\n"
                     "%0 = stablehlo.reduce(%a init: %c) applies stablehlo.",
                     op,
                     " across dimensions = [0, 1] : (tensor<8x4xi32>, tensor<i32>) -> tensor<i32>\n"
                     "%1 = sdy.sharding_constraint %0 <@m, [], unreduced=",
                     constrained, "> : tensor<i32>\nreturn %1 : tensor<i32>")));
  };
  EXPECT_EQ(reduce("maximum", "max{\"x\", \"y\"}"), "1 all_reduce");
  EXPECT_EQ(reduce("minimum", "min{\"x\"}"), "2 all_reduce");
  // Parts of another kind than those that the op gives are made of the whole.
  EXPECT_EQ(reduce("maximum", "min{\"x\"}"), "2 all_reduce");
}

// A loop that adds products to a sum in parts.
TEST(Partition, ALoopCarriesParts) {
  EXPECT_EQ(Check(Program(absl::StrCat("(%a: tensor<4x8xf32> ", At("{}, {\"x\"}"),
                                       ", %s: tensor<4x4xf32>) -> tensor<4x4xf32>"),
                          R"(
    %p = sdy.sharding_constraint %s <@m, [{}, {}], unreduced={"x"}> : tensor<4x4xf32>
    %n = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %n, %sum = %p) : tensor<i32>, tensor<4x4xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
      %3 = stablehlo.add %sum, %2 : tensor<4x4xf32>
      %4 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, tensor<4x4xf32>
    }
    %5 = sdy.sharding_constraint %0#1 <@m, [{}, {}], unreduced={"x"}> : tensor<4x4xf32>
    %6 = sdy.sharding_constraint %5 <@m, [{}, {}]> : tensor<4x4xf32>
    return %6 : tensor<4x4xf32>)")),
            "1 all_reduce");
}

// %a is divided along x, and so is what is computed from it inside of a manual computation on y.
TEST(Partition, WhatIsNotManualStaysDividedInside) {
  const auto inside = [](absl::string_view ops) {
    return Check(Program(absl::StrCat("(%a: tensor<8x8xf32> ", At("{\"x\"}, {\"y\"}"),
                                      ") -> (tensor<8x8xf32> ", At("{\"x\"}, {\"y\"}"), ")"),
                         absl::StrCat(R"(
    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{?}, {"y", ?}]>]
        out_shardings=[<@m, [{?}, {"y", ?}]>] manual_axes={"y"} (%b: tensor<8x4xf32>) {
      )",
                                      ops, R"(
      sdy.return %r : tensor<8x4xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>)")));
  };
  EXPECT_EQ(inside("%r = stablehlo.add %b, %b : tensor<8x4xf32>"), "");
  const auto all_reduce = [&](absl::string_view groups) {
    return inside(absl::StrCat("%r = \"stablehlo.all_reduce\"(%b) <{replica_groups = dense<",
                               groups,
                               R"(> : tensor<2x2xi64>, use_global_device_ids,
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %s = stablehlo.maximum %u, %v : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<8x4xf32>) -> tensor<8x4xf32>)"));
  };
  EXPECT_EQ(all_reduce("[[0, 1], [2, 3]]"), "1 all_reduce");
  // The processes that exchange values have other shards along x, so the values are put together.
  EXPECT_EQ(all_reduce("[[0, 2], [1, 3]]"), "1 all_gather, 1 all_reduce");
  // What is reduced along x is combined along x.
  EXPECT_EQ(inside(R"(%c = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%b init: %c) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
      %t = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
      %r = stablehlo.subtract %b, %t : tensor<8x4xf32>)"),
            "1 all_reduce");
}

TEST(Partition, APartitionedCallbackGetsTheShardsOfEachProcess) {
  const auto module = ir::ParseModule(
      Program(absl::StrCat("(%a: tensor<4x2xf32> ", At("{\"x\"}, {}"), ") -> tensor<4x2xf32>"),
              R"(
    stablehlo.custom_call @acceld.host_callback(%a) {api_version = 4 : i32,
        backend_config = {callback = 0 : i64, partitioned = true}, has_side_effect = true}
        : (tensor<4x2xf32>) -> ()
    return %a : tensor<4x2xf32>)"),
      "test.mlir");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto program = Partition(*module);
  ASSERT_TRUE(program.ok()) << program.status();
  Mutex mutex;
  std::vector<ir::Literal> seen;
  const std::vector<ir::HostCallback> callbacks = {[&](absl::Span<const ir::Literal> operands) {
    const MutexLock lock(mutex);
    seen.push_back(operands[0]);
    return std::vector<ir::Literal>();
  }};
  const ir::Literal whole = Numbers({ir::DType::kF32, {4, 2}}, 1);
  const auto results =
      RunPartitioned(*program, {whole}, module->functions[0].ResultTypes(), callbacks);
  ASSERT_TRUE(results.ok()) << results.status();
  const std::vector<ir::Literal> shards =
      Shards(whole, program->argument_shardings[0], program->mesh);
  EXPECT_THAT(seen, ::testing::UnorderedElementsAreArray(shards));
}

TEST(Partition, TokensPassThroughManualComputations) {
  EXPECT_EQ(Check(Program("(%a: tensor<4xf32>) -> tensor<4xf32>", R"(
    %t = stablehlo.create_token : !stablehlo.token
    %0:2 = sdy.manual_computation(%t, %a) in_shardings=[<@m, []>, <@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>, <@m, []>] manual_axes={"x", "y"} (%u: !stablehlo.token, %b: tensor<2xf32>) {
      %1 = stablehlo.after_all %u, %u : !stablehlo.token
      %2 = stablehlo.add %b, %b : tensor<2xf32>
      sdy.return %2, %1 : tensor<2xf32>, !stablehlo.token
    } : (!stablehlo.token, tensor<4xf32>) -> (tensor<4xf32>, !stablehlo.token)
    return %0#0 : tensor<4xf32>)")),
            "");
}

}  // namespace
}  // namespace acceld::compiler::spmd
