// Partitioned programs compute what the whole program computes, with as few collectives as they
// need.
#include "server/compiler/spmd/partition.h"

#include "absl/strings/str_cat.h"
#include "common/ir/conformance/checks.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
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
  EXPECT_EQ(product("{}, {\"x\"}", "{\"x\"}, {}", "{\"x\"}, {}"), "1 reduce_scatter");
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
            "1 all_gather");  // along y, since y is not manual
}

TEST(Partition, AShardingThatDoesNotDivideAResultIsRefused) {
  EXPECT_THAT(
      Check(Program(absl::StrCat("(%a: tensor<7xf32> ", At("{\"x\"}"), ") -> tensor<7xf32>"),
                    "return %a : tensor<7xf32>")),
      HasSubstr("parameter 0 is tensor<7xf32>, which its sharding <@m, [{\"x\"}]> does not "
                "divide into equal shards"));
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

// The interpreter does not run manual computations on parts of sums, so the whole program says the
// same in another way.
TEST(Partition, ManualComputationsMayTakeAndGivePartsOfSums) {
  const auto run = [](absl::string_view in, absl::string_view out, absl::string_view whole) {
    const auto module =
        ir::ParseModule(Program("(%a: tensor<8xf32>) -> tensor<4xf32>",
                                absl::StrCat("%0 = sdy.manual_computation(%a) in_shardings=[<@m, ",
                                             in, ">] out_shardings=[<@m, ", out,
                                             R"(>] manual_axes={"x"} (%b: tensor<8xf32>) {
      %1 = stablehlo.slice %b [0:4] : (tensor<8xf32>) -> tensor<4xf32>
      %2 = stablehlo.add %1, %1 : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>)")),
                        "test.mlir");
    if (!module.ok()) return module.status().ToString();
    const auto same = ir::ParseModule(
        Program("(%a: tensor<8xf32>) -> tensor<4xf32>",
                absl::StrCat("%1 = stablehlo.slice %a [0:4] : (tensor<8xf32>) -> tensor<4xf32>\n"
                             "%2 = stablehlo.add %1, %1 : tensor<4xf32>\n",
                             whole)),
        "test.mlir");
    const auto program = Partition(*module);
    if (!program.ok()) return program.status().ToString();
    const std::vector<ir::Literal> arguments = {Numbers({ir::DType::kF32, {8}}, 1)};
    const auto actual = RunPartitioned(*program, arguments, module->functions[0].ResultTypes());
    const auto expected = ir::Interpret(*same, "main", arguments);
    if (!actual.ok() || !expected.ok())
      return absl::StrCat("cannot run: ", actual.status().ToString());
    if (*actual != *expected) return std::string("another result");
    return CollectivesOf(program->module);
  };
  // A sum of two equal parts.
  EXPECT_EQ(run("[{}]", "[{}], unreduced={\"x\"}",
                "%3 = stablehlo.add %2, %2 : tensor<4xf32>\nreturn %3 : tensor<4xf32>"),
            "1 all_reduce");
  EXPECT_EQ(run("[{}], unreduced={\"x\"}", "[{}], unreduced={\"x\"}", "return %2 : tensor<4xf32>"),
            "1 all_reduce");
  // Along an axis that is not manual, the values inside are whole.
  EXPECT_EQ(run("[{}], unreduced={\"y\"}", "[{}], unreduced={\"y\"}", "return %2 : tensor<4xf32>"),
            "");
}

}  // namespace
}  // namespace acceld::compiler::spmd
