// The collectives of training steps on 2x2 devices (tests/programs/spmd/make.py), and of programs
// in which single optimizations show. Each program computes what it computes as a whole.
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "tests/support/source_path.h"
#include "tests/unit/compiler/random/random_function.h"
#include "tests/unit/compiler/spmd/sharded_run.h"

namespace acceld::compiler::spmd {
namespace {

// Multiples of 1/4 up to 1.
ir::Literal SmallFloats(Dice& dice, const ir::TensorType& type) {
  std::string bytes(static_cast<size_t>(type.size_bytes()), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    ir::WriteFloat(type.dtype, bytes.data(), i, 0.25 * static_cast<double>(dice.Between(-4, 4)));
  }
  return *ir::Literal::FromBytes(type, std::move(bytes));
}

// Returns the collectives of a partitioned program, or what is wrong with it. Its parameters are
// floats.
std::string CollectivesOfText(const std::string& text) {
  const auto module = ir::ParseModule(text, "test.mlir");
  if (!module.ok()) return module.status().ToString();
  Dice dice(1);
  std::vector<ir::Literal> arguments;
  for (const ir::Type& type : module->functions[0].ParameterTypes()) {
    arguments.push_back(SmallFloats(dice, type.tensor()));
  }
  const PartitionedRun run = RunBoth(*module, arguments);
  const ir::CheckRule rule{.tolerance = ir::Tolerance::kRelativeToMax, .bound = 1e-5};
  const std::string difference = DifferenceOf(run, CheckRules(run.expected.size(), rule));
  return difference.empty() ? run.collectives : difference;
}

std::string CollectivesOfStep(absl::string_view name) {
  const std::string path = testing::SourcePath(absl::StrCat("tests/programs/spmd/", name, ".mlir"));
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return CollectivesOfText(text.str());
}

// XLA (jaxlib 0.10.2 on CPUs): 1 all_reduce; 1 all_reduce; 2 all_reduce; 2 all_gather, 1 all_reduce
// of whole gradients; 3 all_gather, 2 all_reduce.
TEST(PartitionCounts, StepsOfAPerceptron) {
  EXPECT_EQ(CollectivesOfStep("mlp_dp"), "1 all_reduce");
  EXPECT_EQ(CollectivesOfStep("mlp_tp"), "1 all_reduce");
  EXPECT_EQ(CollectivesOfStep("mlp_dp_tp"), "2 all_reduce");
  EXPECT_EQ(CollectivesOfStep("mlp_fsdp"), "2 all_gather, 1 all_reduce");
  EXPECT_EQ(CollectivesOfStep("mlp_fsdp_tp"), "2 all_gather, 2 all_reduce");
}

// XLA: 1 all_reduce; 4 all_reduce; 5 all_reduce; 9 all_gather, 1 all_reduce of whole gradients;
// 9 all_gather, 5 all_reduce.
TEST(PartitionCounts, StepsOfATransformerBlock) {
  EXPECT_EQ(CollectivesOfStep("block_dp"), "1 all_reduce");
  EXPECT_EQ(CollectivesOfStep("block_tp"), "4 all_reduce");
  EXPECT_EQ(CollectivesOfStep("block_dp_tp"), "5 all_reduce");
  EXPECT_EQ(CollectivesOfStep("block_fsdp"), "3 all_gather, 1 all_reduce");
  EXPECT_EQ(CollectivesOfStep("block_fsdp_tp"), "3 all_gather, 5 all_reduce");
}

// @main of a program for 4 partitions in a mesh x=2, y=2.
std::string Program(absl::string_view signature, absl::string_view body) {
  return absl::StrCat(
      "module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n"
      "sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\nfunc.func public @main",
      signature, " {\n", body, "\n}\n}");
}

TEST(PartitionCounts, IndependentAllReducesAreOneOp) {
  // The sum of %b is needed for %3 only, so that it waits for the sum of %3.
  EXPECT_EQ(CollectivesOfText(Program(R"((
      %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>},
      %b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>})
      -> (tensor<4xf32>, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, tensor<4xf32>))",
                                      R"(
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.multiply %1, %b : tensor<4x8xf32>
    %3 = stablehlo.reduce(%2 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.reduce(%b init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    return %3, %2, %4 : tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>)")),
            "2 all_reduce");
}

TEST(PartitionCounts, GathersAreOneOpWhereTheyMakeLittle) {
  const auto gather = [](int rows) {
    const std::string type = absl::StrCat("tensor<", rows, "x256xf32>");
    const std::string shard =
        absl::StrCat(type, " {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {}]>}");
    const std::string whole = absl::StrCat(type, " {sdy.sharding = #sdy.sharding<@m, [{}, {}]>}");
    return CollectivesOfText(
        Program(absl::StrCat("(%a: ", shard, ", %b: ", shard, ") -> (", whole, ", ", whole, ")"),
                absl::StrCat("return %a, %b : ", type, ", ", type)));
  };
  EXPECT_EQ(gather(16), "1 all_gather");
  EXPECT_EQ(gather(1024), "2 all_gather");
}

TEST(PartitionCounts, LargeSumsAreScattered) {
  const auto sum = [](int features) {
    return CollectivesOfText(
        Program(absl::StrCat(R"((
      %a: tensor<4x128xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
      %b: tensor<4x)",
                             features, R"(xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
      -> (tensor<128x)",
                             features, R"(xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}))"),
                absl::StrCat("%0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : "
                             "(tensor<4x128xf32>, tensor<4x",
                             features, "xf32>) -> tensor<128x", features,
                             "xf32>\nreturn %0 : tensor<128x", features, "xf32>")));
  };
  EXPECT_EQ(sum(64), "1 all_reduce");
  EXPECT_EQ(sum(256), "1 reduce_scatter");
}

TEST(PartitionCounts, SumsOfAllReducesAreOneAllReduce) {
  const std::string text = Program(R"((
      %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>},
      %b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> tensor<4xf32>)",
                                   R"(
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.reduce(%b init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.subtract %0, %1 : tensor<4xf32>
    return %2 : tensor<4xf32>)");
  EXPECT_EQ(CollectivesOfText(text), "1 all_reduce");
  const auto program = Partition(*ir::ParseModule(text, "test.mlir"));
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_THAT(ir::PrintModule(program->module),
              ::testing::HasSubstr("(tensor<4xf32>) -> tensor<4xf32>\n    return"));
}

TEST(PartitionCounts, AnAllReduceThatIsUsedOtherwiseStays) {
  EXPECT_EQ(CollectivesOfText(Program(R"((
      %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>},
      %b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>})
      -> (tensor<4xf32>, tensor<4xf32>))",
                                      R"(
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.reduce(%b init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.add %0, %1 : tensor<4xf32>
    return %2, %1 : tensor<4xf32>, tensor<4xf32>)")),
            "1 all_reduce");
}

TEST(PartitionCounts, AShardThatIsNeededTwiceIsMadeOnce) {
  EXPECT_EQ(CollectivesOfText(Program(R"((
      %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
      %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
      %b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
      -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}))",
                                      R"(
    %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>)")),
            "1 all_gather");
}

TEST(PartitionCounts, WhatCannotBeDividedIsDividedAlongAnotherDimension) {
  EXPECT_EQ(CollectivesOfText(Program(R"((
      %a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>})
      -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}))",
                                      R"(
    %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %1 = stablehlo.compare LT, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>)")),
            "2 all_to_all");
}

TEST(PartitionCounts, AReversedDimensionStaysDivided) {
  for (const absl::string_view dimensions :
       {"{\"x\"}, {}", "{\"x\"}, {\"y\"}", "{\"y\", \"x\"}, {}"}) {
    EXPECT_EQ(CollectivesOfText(
                  Program(absl::StrCat("(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [",
                                       dimensions, "]>}) -> tensor<8x4xf32>"),
                          R"(
    %0 = stablehlo.reverse %a, dims = [0, 1] : tensor<8x4xf32>
    return %0 : tensor<8x4xf32>)")),
              "1 collective_permute");
  }
}

TEST(PartitionCounts, RowsOfATableAreFoundWhereTheyAre) {
  const auto gather = [](absl::string_view table, absl::string_view rows) {
    return CollectivesOfText(Program(
        absl::StrCat("(%t: tensor<32x4xf32> {sdy.sharding = #sdy.sharding<@m, [", table,
                     "]>}, %i: tensor<8x1xf32> {sdy.sharding = #sdy.sharding<@m, [", rows,
                     "]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [", rows, "]>})"),
        R"(
    %0 = stablehlo.convert %i : (tensor<8x1xf32>) -> tensor<8x1xi32>
    %1 = "stablehlo.gather"(%t, %0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], index_vector_dim = 1, offset_dims = [1], start_index_map = [0]>, slice_sizes = array<i64: 1, 4>}> : (tensor<32x4xf32>, tensor<8x1xi32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>)"));
  };
  EXPECT_EQ(gather("{}, {}", "{\"x\"}, {}"), "");
  EXPECT_EQ(gather("{\"x\"}, {}", "{}, {}"), "1 all_reduce");
  EXPECT_EQ(gather("{\"x\"}, {}", "{\"y\"}, {}"), "1 all_reduce");
  // The indices come to the table, and each row goes back to where it is needed.
  EXPECT_EQ(gather("{\"x\"}, {}", "{\"x\"}, {}"), "1 all_gather, 1 all_reduce");
}

TEST(PartitionCounts, RowsAreAddedToATableWhereTheyAre) {
  const auto scatter = [](absl::string_view table, absl::string_view rows) {
    return CollectivesOfText(Program(
        absl::StrCat("(%t: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [", table,
                     "]>}, %i: tensor<16x1xf32> {sdy.sharding = #sdy.sharding<@m, [", rows,
                     "]>}, %u: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@m, [", rows,
                     "]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [", table, "]>})"),
        R"(
    %0 = stablehlo.convert %i : (tensor<16x1xf32>) -> tensor<16x1xi32>
    %1 = "stablehlo.scatter"(%t, %0, %u) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], update_window_dims = [1]>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<16x1xi32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>)"));
  };
  EXPECT_EQ(scatter("{\"x\"}, {}", "{}, {}"), "");
  EXPECT_EQ(scatter("{}, {}", "{\"x\"}, {}"), "1 all_reduce");
  EXPECT_EQ(scatter("{\"y\"}, {}", "{\"x\"}, {}"), "1 all_reduce");
}

TEST(PartitionCounts, WhatIsBroadcastFollowsWhatItIsUsedWith) {
  EXPECT_EQ(CollectivesOfText(Program(R"((
      %s: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>},
      %a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>})
      -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}))",
                                      R"(
    %0 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.multiply %a, %0 : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>)")),
            "1 all_gather");
}

}  // namespace
}  // namespace acceld::compiler::spmd
