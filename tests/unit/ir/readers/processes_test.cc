// What concerns several processes in programs of one: collectives, meshes, process numbers.
#include "absl/strings/str_cat.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kGroup[] = "replica_groups = dense<0> : tensor<1x1xi64>";
constexpr char kSum[] =
    "({\n^bb0(%u: tensor<f32>, %v: tensor<f32>):\n%w = stablehlo.add %u, %v : tensor<f32>\n"
    "stablehlo.return %w : tensor<f32>\n})";

// @main of one op on %x, a tensor<2x3xf32> of 1 to 6: `"name"(%x) <{attributes}> region : type`.
std::string ProgramOf(absl::string_view name, absl::string_view attributes,
                      absl::string_view region = "",
                      absl::string_view type = "(tensor<2x3xf32>) -> tensor<2x3xf32>",
                      absl::string_view operands = "%x") {
  return absl::StrCat(
      "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n%0 = \"stablehlo.", name, "\"(",
      operands, ") <{", attributes, "}> ", region, " : ", type, "\nreturn %0 : tensor<2x3xf32>\n}");
}

absl::StatusOr<std::vector<double>> Evaluate(absl::string_view text) {
  ACCELD_ASSIGN_OR_RETURN(const Module module, ParseModule(text, "test.mlir"));
  ACCELD_ASSIGN_OR_RETURN(
      const std::vector<Literal> results,
      Interpret(module, "main", {Floats(DType::kF32, {2, 3}, {1, 2, 3, 4, 5, 6})}));
  return FloatsOf(results[0]);
}

void ExpectIdentity(absl::string_view text) {
  const auto values = Evaluate(text);
  ASSERT_TRUE(values.ok()) << values.status() << "\n" << text;
  EXPECT_THAT(*values, ElementsAre(1, 2, 3, 4, 5, 6)) << text;
}

void ExpectRefused(absl::string_view text, absl::StatusCode code, absl::string_view why) {
  const auto module = ParseModule(text, "test.mlir");
  EXPECT_EQ(module.status().code(), code) << module.status() << "\n" << text;
  EXPECT_THAT(std::string(module.status().message()), HasSubstr(std::string(why)));
}

constexpr absl::StatusCode kUnimplemented = absl::StatusCode::kUnimplemented;
constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

std::vector<std::string> CollectivesWith(absl::string_view groups) {
  const auto with = [&](absl::string_view more) { return absl::StrCat(more, groups); };
  return {
      ProgramOf("all_gather", with("all_gather_dim = 1 : i64, use_global_device_ids, ")),
      ProgramOf("all_reduce", groups, kSum),
      ProgramOf(
          "all_to_all",
          with("concat_dimension = 0 : i64, split_count = 1 : i64, split_dimension = 1 : i64, ")),
      ProgramOf("collective_broadcast", groups),
      ProgramOf("collective_reduce", groups, kSum),
      ProgramOf("cross-replica-sum", groups),
      ProgramOf("reduce_scatter", with("scatter_dimension = 0 : i64, "), kSum),
  };
}

TEST(Collectives, OfOneProcessGiveWhatTheyAreGiven) {
  for (const absl::string_view groups :
       {"replica_groups = dense<0> : tensor<1x1xi64>", "replica_groups = dense<> : tensor<0x0xi64>",
        "replica_groups = dense<[[0]]> : tensor<1x1xi64>, "
        "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>",
        "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
        "[#stablehlo.mesh_axis<name = \"a\", size = 1>]>, axes = [#stablehlo.axis_ref<name = "
        "\"a\">]>",
        "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [<name "
        "= "
        "\"a\", size = 1>, <name = \"b\", size = 1>]>, axes = []>"}) {
    for (const std::string& program : CollectivesWith(groups)) ExpectIdentity(program);
  }
}

TEST(Collectives, ThatNameOtherProcessesAreRefused) {
  for (const absl::string_view groups :
       {"replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
        "replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>",
        "replica_groups = dense<1> : tensor<1x1xi64>",
        "replica_groups = dense<0> : tensor<1000000x1000000xi64>",
        "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = "
        "[#stablehlo.mesh_axis<name = \"a\", size = 2>]>, axes = []>"}) {
    for (const std::string& program : CollectivesWith(groups)) {
      ExpectRefused(program, kInvalid, "process");
    }
  }
}

TEST(Collectives, TakeAndGiveSeveralValues) {
  ExpectIdentity(
      absl::StrCat("func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                   "%i = stablehlo.iota dim = 0 : tensor<4xf32>\n"
                   "%0:2 = \"stablehlo.all_reduce\"(%i, %x) <{",
                   kGroup, "}> ", kSum,
                   " : (tensor<4xf32>, tensor<2x3xf32>) -> (tensor<4xf32>, tensor<2x3xf32>)\n"
                   "return %0#1 : tensor<2x3xf32>\n}"));
}

TEST(Collectives, CombineInTheTypeOfTheirRegion) {
  const auto values = Evaluate(
      absl::StrCat("func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                   "%h = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xbf16>\n"
                   "%0 = \"stablehlo.all_reduce\"(%h) <{",
                   kGroup, "}> ", kSum,
                   " : (tensor<2x3xbf16>) -> tensor<2x3xf32>\nreturn %0 : tensor<2x3xf32>\n}"));
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(*values, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Collectives, WithARootThatIsComputedLeaveOutItsNumber) {
  for (const absl::string_view name : {"collective_broadcast", "collective_reduce"}) {
    ExpectIdentity(absl::StrCat(
        "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
        "%root = stablehlo.constant dense<0> : tensor<1xi32>\n%0 = \"stablehlo.",
        name, "\"(%x, %root) <{has_dynamic_root, ", kGroup, "}> ",
        name == "collective_reduce" ? kSum : "",
        " : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2x3xf32>\nreturn %0 : tensor<2x3xf32>\n}"));
  }
  ExpectRefused(
      ProgramOf("all_gather", absl::StrCat("all_gather_dim = 0 : i64, has_dynamic_root, ", kGroup)),
      kInvalid, "has_dynamic_root");
}

TEST(Collectives, APermutationGivesZerosWhereNobodySends) {
  ExpectIdentity(
      ProgramOf("collective_permute", "source_target_pairs = dense<0> : tensor<1x2xi64>"));
  const auto zeros =
      Evaluate(ProgramOf("collective_permute", "source_target_pairs = dense<> : tensor<0x2xi64>"));
  ASSERT_TRUE(zeros.ok()) << zeros.status();
  EXPECT_THAT(*zeros, ElementsAre(0, 0, 0, 0, 0, 0));
  ExpectRefused(
      ProgramOf("collective_permute", "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>"),
      kInvalid, "source_target_pairs has 1");
  ExpectRefused(
      ProgramOf("collective_permute", "source_target_pairs = dense<0> : tensor<1000000x2xi64>"),
      kInvalid, "at most 1 rows");
}

TEST(Collectives, OfQuantizedValuesKeepWhatIsStored) {
  constexpr char kQuantized[] = "tensor<2x3x!quant.uniform<i8:f32, 5.0e-01:-3>>";
  for (const absl::string_view pairs :
       {"dense<0> : tensor<1x2xi64>", "dense<> : tensor<0x2xi64>"}) {
    const auto values = Evaluate(absl::StrCat(
        "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
        "%q = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> ",
        kQuantized, "\n%g = \"stablehlo.all_gather\"(%q) <{all_gather_dim = 0 : i64, ", kGroup,
        "}> : (", kQuantized, ") -> ", kQuantized,
        "\n%p = \"stablehlo.collective_permute\"(%g) <{source_target_pairs = ", pairs, "}> : (",
        kQuantized, ") -> ", kQuantized, "\n%0 = stablehlo.uniform_dequantize %p : (", kQuantized,
        ") -> tensor<2x3xf32>\nreturn %0 : tensor<2x3xf32>\n}"));
    ASSERT_TRUE(values.ok()) << values.status();
    if (pairs == "dense<0> : tensor<1x2xi64>") {
      EXPECT_THAT(*values, ElementsAre(1, 2, 3, 4, 5, 6));
    } else {
      EXPECT_THAT(*values, ElementsAre(0, 0, 0, 0, 0, 0));
    }
  }
}

TEST(Collectives, ThatAreNotWellFormedAreRefused) {
  ExpectRefused(ProgramOf("all_gather", absl::StrCat("all_gather_dim = 2 : i64, ", kGroup)),
                kInvalid, "all_gather_dim is 2");
  ExpectRefused(ProgramOf("all_gather", kGroup), kInvalid, "expected attribute 'all_gather_dim'");
  ExpectRefused(ProgramOf("all_gather", "all_gather_dim = 0 : i64"), kInvalid,
                "expected attribute 'replica_groups'");
  ExpectRefused(
      ProgramOf("all_gather", absl::StrCat("all_gather_dim = 0 : i64, surprise, ", kGroup)),
      kInvalid, "unknown attribute 'surprise'");
  ExpectRefused(ProgramOf("all_reduce", kGroup), kInvalid, "0 regions where 1 are needed");
  ExpectRefused(
      ProgramOf("all_to_all", absl::StrCat("concat_dimension = 0 : i64, split_count = 2 : "
                                           "i64, split_dimension = 1 : i64, ",
                                           kGroup)),
      kInvalid, "divisible by split_count 2");
  ExpectRefused(ProgramOf("collective_broadcast", "replica_groups = dense<0> : tensor<1xi64>"),
                kInvalid, "expected a matrix of i64");
  ExpectRefused(absl::StrCat("func.func @main(%x: tensor<2x3xf32>) -> tensor<4x3xf32> {\n"
                             "%0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, ",
                             kGroup,
                             "}> : (tensor<2x3xf32>) -> tensor<4x3xf32>\n"
                             "return %0 : tensor<4x3xf32>\n}"),
                kInvalid, "it makes a tensor<4x3xf32>");
}

TEST(Collectives, AlongANamedMeshNeedOneDevice) {
  const auto program = [](absl::string_view mesh, absl::string_view name, absl::string_view axis) {
    return absl::StrCat(
        "module {\nsdy.mesh @m = ", mesh,
        "\nfunc.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
        "%0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, replica_groups = "
        "#stablehlo.replica_group_mesh_axes<mesh = @",
        name, ", axes = [", axis,
        "]>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>\nreturn %0 : tensor<2x3xf32>\n}\n}");
  };
  constexpr char kAxis[] = "#stablehlo.axis_ref<name = \"a\">";
  ExpectIdentity(program("<[\"a\"=1, \"b\"=1]>", "m", kAxis));
  ExpectIdentity(program("<[], device_ids=[3]>", "m", ""));
  ExpectRefused(program("<[\"a\"=2]>", "m", kAxis), kInvalid, "the program has one process");
  ExpectRefused(program("<[\"a\"=4294967296, \"b\"=4294967296]>", "m", kAxis), kInvalid,
                "mesh @m has");
  ExpectRefused(program("<[\"a\"=1]>", "n", kAxis), kInvalid, "mesh @n is not declared");
  ExpectRefused(program("<[\"b\"=1]>", "m", kAxis), kInvalid, "mesh @m has no axis \"a\"");
  ExpectRefused(program("<[\"a\"=0]>", "m", kAxis), kInvalid, "axis");
}

// A module with these attributes, of one op on %x.
std::string ModuleOf(absl::string_view attributes, absl::string_view op) {
  return absl::StrCat("module attributes {", attributes,
                      "} {\nfunc.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n", op,
                      "\nreturn %x : tensor<2x3xf32>\n}\n}");
}
constexpr char kReplicas[] = "mhlo.num_replicas = 2 : i32";
constexpr char kPartitions[] = "mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32";

TEST(Processes, OfAModuleAreKeptAndTheOpsThatConcernThemGoWithTheOnlyOne) {
  for (const absl::string_view op :
       {"%0 = stablehlo.replica_id : tensor<ui32>", "%0 = stablehlo.partition_id : tensor<ui32>"}) {
    ExpectIdentity(ModuleOf("", op));
    ExpectIdentity(ModuleOf("mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32", op));
    const auto replicas = ParseModule(ModuleOf(kReplicas, op), "test.mlir");
    ASSERT_TRUE(replicas.ok()) << replicas.status();
    EXPECT_EQ(replicas->grid, (ProcessGrid{2, 1}));
    const auto partitions = ParseModule(ModuleOf(kPartitions, op), "test.mlir");
    ASSERT_TRUE(partitions.ok()) << partitions.status();
    EXPECT_EQ(partitions->grid, (ProcessGrid{1, 4}));
    EXPECT_EQ(partitions->functions[0].body.ops.size(), 1u);
    EXPECT_EQ(PrintModule(*ParseModule(PrintModule(*partitions))), PrintModule(*partitions));
  }
  ExpectRefused(ModuleOf("mhlo.num_replicas = 0 : i32", ""), kInvalid, "mhlo.num_replicas is 0");
  ExpectRefused(ModuleOf("mhlo.num_replicas = 100000 : i32", ""), kInvalid, "expected 1 to 4096");
  ExpectRefused(ModuleOf("mhlo.num_replicas = 100 : i32, mhlo.num_partitions = 100 : i32", ""),
                kInvalid, "together more than 4096 processes");
  ExpectRefused(ModuleOf("mhlo.num_partitions = \"two\"", ""), kInvalid, "mhlo.num_partitions");
}

TEST(Processes, NeedAGroupEach) {
  const std::string gather =
      absl::StrCat("%0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, ", kGroup,
                   "}> : (tensor<2x3xf32>) -> tensor<2x3xf32>");
  ExpectIdentity(ModuleOf("", gather));
  ExpectRefused(ModuleOf(kReplicas, gather), kInvalid, "replica_groups has no group for 1");
  const auto alone = ParseModule(ModuleOf(kPartitions, gather), "test.mlir");
  EXPECT_TRUE(alone.ok()) << alone.status();  // its groups are of replicas
}

TEST(Processes, OfTheOlderPartitionerAreRefusedWithAdvice) {
  for (const absl::string_view target : {"Sharding", "SPMDFullToShardShape"}) {
    const std::string call = absl::StrCat("%0 = stablehlo.custom_call @", target,
                                          "(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>");
    ExpectIdentity(ModuleOf("", call));
    ExpectRefused(ModuleOf(kPartitions, call), kUnimplemented, "set jax_use_shardy_partitioner");
  }
  ExpectRefused(ModuleOf(kPartitions,
                         "%0 = stablehlo.abs %x {mhlo.sharding = \"{replicated}\"} : "
                         "tensor<2x3xf32>"),
                kUnimplemented, "attribute 'mhlo.sharding' of op 'stablehlo.abs'");
}

TEST(Processes, OfAGenericModuleStandBehindItsOps) {
  const auto program = [](absl::string_view partitions) {
    return absl::StrCat(
        "\"builtin.module\"() ({\n\"func.func\"() <{function_type = (tensor<2x3xf32>) -> "
        "tensor<2x3xf32>, sym_name = \"main\"}> ({\n^bb0(%x: tensor<2x3xf32>):\n"
        "%0 = \"stablehlo.partition_id\"() : () -> tensor<ui32>\n"
        "\"func.return\"(%x) : (tensor<2x3xf32>) -> ()\n}) : () -> ()\n"
        "}) {mhlo.num_partitions = ",
        partitions, " : i32} : () -> ()");
  };
  ExpectIdentity(program("1"));
  const auto two = ParseModule(program("2"), "test.mlir");
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_EQ(two->grid.num_partitions, 2);
  EXPECT_EQ(two->functions[0].body.ops[0].kind, OpKind::kPartitionId);
}

std::string Manual(absl::string_view mesh, absl::string_view local = "tensor<2x3xf32>",
                   absl::string_view sharding = "<@mesh, [{\"a\"}, {}]>") {
  return absl::StrCat("sdy.mesh @mesh = ", mesh,
                      "\nfunc.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                      "%0 = sdy.manual_computation(%x) in_shardings=[",
                      sharding, "] out_shardings=[", sharding, "] manual_axes={\"a\"} (%x: ", local,
                      ") {\n"  // a name of the outside, used anew
                      "%0 = stablehlo.abs %x : ",
                      local, "\nsdy.return %0 : ", local,
                      "\n} : (tensor<2x3xf32>) -> tensor<2x3xf32>\nreturn %0 : tensor<2x3xf32>\n}");
}

TEST(ManualComputation, RunsOnAMeshOfOne) {
  ExpectIdentity(Manual("<[\"a\"=1]>"));
  ExpectIdentity(Manual("<[\"b\"=8]>", "tensor<2x3xf32>", "<mesh<[\"a\"=1]>, [{\"a\"}, {}]>"));
  ExpectIdentity(
      "\"sdy.mesh\"() <{mesh = #sdy.mesh<[\"a\"=1]>, sym_name = \"mesh\"}> : () -> ()\n"
      "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
      "%0 = \"sdy.manual_computation\"(%x) <{in_shardings = #sdy.sharding_per_value<[<@mesh, "
      "[{\"a\"}, {}]>]>, manual_axes = #sdy<manual_axes{\"a\"}>, out_shardings = "
      "#sdy.sharding_per_value<[<@mesh, [{\"a\"}, {}]>]>}> ({\n^bb0(%y: tensor<2x3xf32>):\n"
      "\"sdy.return\"(%y) : (tensor<2x3xf32>) -> ()\n}) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
      "return %0 : tensor<2x3xf32>\n}");
}

TEST(ManualComputation, OnALargerMeshNeedsAsManyPartitions) {
  ExpectRefused(Manual("<[\"a\"=2]>", "tensor<1x3xf32>"), kInvalid,
                "it is for the 2 devices of mesh @mesh; the program has one process");
  ExpectRefused(Manual("<[\"a\"=2]>"), kInvalid, "it is for the 2 devices of mesh @mesh");
  ExpectRefused(Manual("<[\"a\"=1]>", "tensor<2x3xf32>", "<mesh<[\"a\"=2]>, [{\"a\"}, {}]>"),
                kInvalid, "it is for the 2 devices of mesh @inlined mesh");
  ExpectRefused(Manual("<[\"a\"=1]>", "tensor<2x3xf32>", "<@other, [{}, {}]>"), kInvalid,
                "mesh @other is not declared");
  ExpectRefused(Manual("<[\"a\"=1]>", "tensor<1x3xf32>"), kInvalid,
                "its region takes (tensor<1x3xf32>)");
}

std::string Async(absl::string_view region, absl::string_view future, absl::string_view done) {
  return absl::StrCat(
      "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n%f = "
      "\"stablehlo.async_start\"(%x) ",
      region, " : (tensor<2x3xf32>) -> ", future, "\n%0 = \"stablehlo.async_done\"(%f) : (", future,
      ") -> ", done, "\nreturn %0 : ", done, "\n}");
}

TEST(Async, GivesWhatItsRegionReturns) {
  const std::string gather = absl::StrCat(
      "\"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, ", kGroup,
      "}> : (tensor<2x3xf32>) -> tensor<2x3xf32>\nstablehlo.return %y : tensor<2x3xf32>\n})");
  constexpr char kFuture[] = "!stablehlo.future<tensor<2x3xf32>>";
  ExpectIdentity(Async(absl::StrCat("({\n^bb0(%x: tensor<2x3xf32>):\n%y = ", gather), kFuture,
                       "tensor<2x3xf32>"));
  // As the specification's example has it.
  ExpectIdentity(Async(absl::StrCat("({\n%y = ", gather), kFuture, "tensor<2x3xf32>"));
}

TEST(Async, OfAnotherTypeIsRefused) {
  constexpr char kBody[] =
      "({\n^bb0(%y: tensor<2x3xf32>):\nstablehlo.return %y : tensor<2x3xf32>\n})";
  ExpectRefused(Async(kBody, "!stablehlo.future<tensor<3xf32>>", "tensor<3xf32>"), kInvalid,
                "tensor<3xf32>");
  ExpectRefused(Async(kBody, "!stablehlo.future<tensor<2x3xf32>>", "tensor<3xf32>"), kInvalid,
                "is not what its operands");
  ExpectRefused(Async("({\n^bb0(%y: tensor<3xf32>):\nstablehlo.return %y : tensor<3xf32>\n})",
                      "!stablehlo.future<tensor<3xf32>>", "tensor<3xf32>"),
                kInvalid, "its region takes (tensor<3xf32>)");
  ExpectRefused(
      "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
      "%0 = \"stablehlo.async_done\"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
      "return %0 : tensor<2x3xf32>\n}",
      kInvalid, "is not what its operands");
}

TEST(CustomCalls, ResultsInTilesAreRefused) {
  const auto program = [](absl::string_view tilings) {
    return absl::StrCat(
        "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
        "%0 = stablehlo.custom_call @Sharding(%x) {result_tilings = ",
        tilings, "} : (tensor<2x3xf32>) -> tensor<2x3xf32>\nreturn %0 : tensor<2x3xf32>\n}");
  };
  ExpectIdentity(program("[]"));
  ExpectRefused(program("[dense<[8, 128]> : tensor<2xindex>]"), kUnimplemented, "result_tilings");
}

}  // namespace
}  // namespace acceld::ir
