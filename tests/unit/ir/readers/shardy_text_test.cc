// Programs for several devices in text: meshes, shardings, the ops of Shardy, collectives.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kMeshes[] = R"(  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @swapped = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
)";

// A module of eight partitions with the meshes above, which begins on line 1. Its functions begin
// on line 4.
std::string ModuleOf(absl::string_view functions, absl::string_view meshes = kMeshes) {
  return absl::StrCat(
      "module @m attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {\n",
      meshes, functions, "}\n");
}

// A function on %x whose ops, which define %0, begin on line 5 of its module.
std::string MainOf(absl::string_view ops) {
  return absl::StrCat("  func.func public @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {\n", ops,
                      "\n    return %0 : tensor<8x8xf32>\n  }\n");
}

// The same with one op, `%0 = form : tensor<8x8xf32>`.
std::string ProgramOf(absl::string_view form) {
  return ModuleOf(MainOf(absl::StrCat("    %0 = ", form, " : tensor<8x8xf32>")));
}

// The same with the op in generic form.
std::string GenericProgramOf(absl::string_view name, absl::string_view properties) {
  return ModuleOf(MainOf(absl::StrCat("    %0 = \"", name, "\"(%x) ", properties,
                                      " : (tensor<8x8xf32>) -> tensor<8x8xf32>")));
}

// A function on a value with this sharding, which it returns.
std::string ProgramWithSharding(absl::string_view sharding) {
  return ModuleOf(
      absl::StrCat("  func.func public @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding",
                   sharding, "}) -> tensor<8x8xf32> {\n    return %x : tensor<8x8xf32>\n  }\n"));
}

void DropLocations(Region& region) {
  for (Op& op : region.ops) {
    op.location = {};
    for (Region& inner : op.regions) DropLocations(inner);
  }
}

// Reads a module, without the locations of its ops.
Module Read(const std::string& text) {
  auto module = ParseModule(text, "m.mlir");
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  if (!module.ok()) return Module();
  for (Function& function : module->functions) DropLocations(function.body);
  return *std::move(module);
}

void ExpectSurvivesPrinting(const std::string& text) {
  const Module module = Read(text);
  const std::string printed = PrintModule(module);
  EXPECT_TRUE(Read(printed) == module) << printed;
}

void ExpectRefused(const std::string& text, absl::string_view why,
                   absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  const auto module = ParseModule(text, "m.mlir");
  EXPECT_EQ(module.status().code(), code) << module.status() << "\n" << text;
  EXPECT_THAT(std::string(module.status().message()), HasSubstr(std::string(why))) << text;
}

std::vector<OpKind> KindsOf(const Module& module) {
  std::vector<OpKind> kinds;
  for (const Op& op : module.functions.at(0).body.ops) kinds.push_back(op.kind);
  return kinds;
}

AxisRef Axis(int64_t axis) { return {.axis = axis}; }

// A program for eight devices as it is printed; jaxlib reads it too.
constexpr char kPrinted[] =
    R"(module @m attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @swapped = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  func.func public @main(%0: tensor<8x8xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %1: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}p1], replicated={"x"}>}, tensor<8x8xf32>) {
    %2 = sdy.sharding_constraint %0 <@swapped, [{"x", "y":(1)2}, {}], unreduced={"y":(2)2}> : tensor<8x8xf32>
    sdy.sharding_group %2 group_id=3 : tensor<8x8xf32>
    %3:2 = sdy.manual_computation(%2, %1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%4: tensor<4x8xf32>, %5: tensor<8x2xf32>) {
      %6 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%7: tensor<f32>, %8: tensor<f32>):
        %9 = stablehlo.add %7, %8 : tensor<f32>
        stablehlo.return %9 : tensor<f32>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %10 = stablehlo.partition_id : tensor<ui32>
      %11 = stablehlo.slice %5 [0:4, 0:2] : (tensor<8x2xf32>) -> tensor<4x2xf32>
      sdy.return %6, %11 : tensor<4x8xf32>, tensor<4x2xf32>
    } : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
    return %3#0, %3#1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
)";

TEST(ShardyText, AProgramForSeveralDevicesIsPrintedAsShardyDoes) {
  EXPECT_EQ(PrintModule(Read(kPrinted)), kPrinted);
}

TEST(ShardyText, MeshesAreKeptWithTheNumberOfProcesses) {
  const Module module = Read(kPrinted);
  EXPECT_EQ(module.grid, (ProcessGrid{.num_replicas = 1, .num_partitions = 8}));
  const std::vector<MeshAxis> axes = {{"x", 2}, {"y", 4}};
  const std::vector<Mesh> expected = {{"mesh", axes, {}},
                                      {"swapped", axes, {7, 6, 5, 4, 3, 2, 1, 0}}};
  EXPECT_EQ(module.meshes, expected);
}

TEST(ShardyText, ShardingsOfParametersAndResultsAreKept) {
  const Function function = Read(kPrinted).functions.at(0);
  const Sharding parameter{.mesh = 0, .dimensions = {{{Axis(0)}, true, 0}, {{}, false, 0}}};
  const Sharding result{
      .mesh = 0, .dimensions = {{}, {{Axis(1)}, false, 1}}, .replicated = {Axis(0)}};
  EXPECT_THAT(function.parameter_shardings, ElementsAre(parameter, std::nullopt));
  EXPECT_THAT(function.result_shardings, ElementsAre(result, std::nullopt));
  EXPECT_THAT(function.donations, SizeIs(1));
}

TEST(ShardyText, AFunctionWithoutShardingsHasNone) {
  const Function function =
      Read(ModuleOf("  func.func @main(%x: tensor<f32> {jax.a = 1}) -> (tensor<f32> {jax.b}) {\n"
                    "    return %x : tensor<f32>\n  }\n"))
          .functions.at(0);
  EXPECT_THAT(function.parameter_shardings, IsEmpty());
  EXPECT_THAT(function.result_shardings, IsEmpty());
}

TEST(ShardyText, PartsOfAxesAreKept) {
  const Module module = Read(kPrinted);
  const Sharding expected{
      .mesh = 1,
      .dimensions = {{{Axis(0), {.axis = 1, .pre_size = 1, .size = 2}}, true, 0}, {}},
      .unreduced = {{.axis = 1, .pre_size = 2, .size = 2}}};
  const Op& op = module.functions.at(0).body.ops.at(0);
  ASSERT_EQ(op.kind, OpKind::kShardingConstraint);
  EXPECT_EQ(op.As<ShardingConstraintAttributes>().sharding, expected);
}

TEST(ShardyText, EveryFormOfAShardingSurvives) {
  for (const absl::string_view sharding : {
           "<@mesh, [{}, {}]>",
           "<@mesh, [{?}, {?}]>",
           "<@mesh, [{\"x\", \"y\"}, {}]>",
           "<@mesh, [{\"y\", \"x\", ?}, {?}]>",
           "<@mesh, [{\"x\"}p0, {\"y\", ?}p12]>",
           "<@mesh, [{\"y\":(1)2}, {\"x\", \"y\":(2)2}]>",
           "<@mesh, [{\"y\":(2)2, \"y\":(1)2}, {}]>",
           "<@mesh, [{}, {}], replicated={\"x\", \"y\":(1)2}>",
           "<@mesh, [{}, {}], unreduced={\"x\"}>",
           "<@mesh, [{}, {}], unreduced=sum{\"x\"}>",
           "<@mesh, [{}, {}], unreduced=max{\"x\"}>",
           "<@mesh, [{}, {}], unreduced=min{\"x\", \"y\"}>",
           "<@mesh, [{}, {}], replicated={\"x\"}, unreduced={\"y\"}>",
           "<@mesh, [{}, {}], unreduced={\"x\"}, replicated={\"y\"}>",
           "<mesh<[\"a\"=8]>, [{\"a\"}, {}]>",
           "<mesh<[\"a\"=2, \"b\"=4], device_ids=[1, 0, 2, 3, 4, 5, 6, 7]>, [{\"a\"}, {\"b\"}]>",
       }) {
    ExpectSurvivesPrinting(ProgramWithSharding(sharding));
    ExpectSurvivesPrinting(ProgramOf(absl::StrCat("sdy.sharding_constraint %x ", sharding)));
  }
}

TEST(ShardyText, MeshesOfEveryFormSurvive) {
  for (const absl::string_view mesh : {
           "@\"a b\" = <[\"x y\"=8]>",
           "@m = <[\"\\22\"=2, \"b\"=1, \"c\"=4]> {stablehlo.mesh = #stablehlo.mesh<axes = []>}",
           "@m = <[], device_ids=[3]>",
           "@m = <[]>",
           "@m = #sdy.mesh<[\"x\"=8]>",
       }) {
    ExpectSurvivesPrinting(ModuleOf(MainOf("    %0 = stablehlo.abs %x : tensor<8x8xf32>"),
                                    absl::StrCat("  sdy.mesh ", mesh, "\n")));
  }
}

TEST(ShardyText, OneDeviceLeavesNothingToSay) {
  const Module module = Read(
      "module {\n  sdy.mesh @mesh = <[\"x\"=1]>\n"
      "  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> "
      "tensor<8xf32> {\n    return %x : tensor<8xf32>\n  }\n}\n");
  EXPECT_EQ(PrintModule(module),
            "module {\n  func.func public @main(%0: tensor<8xf32>) -> tensor<8xf32> {\n"
            "    return %0 : tensor<8xf32>\n  }\n}\n");
}

constexpr char kGeneric[] =
    R"("builtin.module"() <{sym_name = "m"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "mesh"}> {stablehlo.mesh = 1 : i64} : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>, sym_name = "swapped"}> : () -> ()
  "func.func"() <{arg_attrs = [{jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, {}], function_type = (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>), res_attrs = [{jax.result_info = "", sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", ?}p1], replicated={"x"}>}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>):
    %0 = "sdy.sharding_constraint"(%arg0) <{sharding = #sdy.sharding<@swapped, [{"x", "y":(1)2}, {}], unreduced={"y":(2)2}>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    "sdy.sharding_group"(%0) <{group_id = 3 : i64}> : (tensor<8x8xf32>) -> ()
    %1:2 = "sdy.manual_computation"(%0, %arg1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"y"}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>]>}> ({
    ^bb0(%arg2: tensor<4x8xf32>, %arg3: tensor<8x2xf32>):
      %2 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%c) : (tensor<f32>) -> ()
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      %3 = "stablehlo.partition_id"() : () -> tensor<ui32>
      %4 = "stablehlo.slice"(%arg3) <{limit_indices = array<i64: 4, 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<8x2xf32>) -> tensor<4x2xf32>
      "sdy.return"(%2, %4) : (tensor<4x8xf32>, tensor<4x2xf32>) -> ()
    }) : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
    "func.return"(%1#0, %1#1) : (tensor<8x8xf32>, tensor<8x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
)";

TEST(ShardyText, AGenericModuleSaysItsProcessesBehindItsOps) {
  EXPECT_EQ(PrintModule(Read(kGeneric)), kPrinted);
  ExpectRefused(absl::StrReplaceAll(kGeneric, {{"num_partitions = 8", "num_partitions = 6"}}),
                "mesh @mesh: it has 8 devices, but the program has 6 partitions");
}

TEST(ShardyText, AliasesStandForShardings) {
  const std::string aliases =
      "#mesh = #sdy.mesh<[\"x\"=2, \"y\"=4]>\n"
      "#sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>\n"
      "#shardings = #sdy.sharding_per_value<[#sharding]>\n";
  const std::string text = ModuleOf(
      "  func.func public @main(%x: tensor<8x8xf32> {sdy.sharding = #sharding}) -> "
      "tensor<8x8xf32> {\n"
      "    %0 = stablehlo.abs %x {sdy.sharding = #shardings} : tensor<8x8xf32>\n"
      "    %1 = sdy.manual_computation(%0) in_shardings=#shardings out_shardings=[#sharding] "
      "manual_axes=#sdy<manual_axes{\"x\"}> (%y: tensor<4x8xf32>) {\n"
      "      sdy.return %y : tensor<4x8xf32>\n"
      "    } : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
      "    return %1 : tensor<8x8xf32>\n  }\n",
      "  sdy.mesh @mesh = #mesh\n");
  const auto with_values = absl::StrReplaceAll(
      text, {{"in_shardings=#shardings", "in_shardings=[<@mesh, [{\"x\"}, {}]>]"},
             {"manual_axes=#sdy<manual_axes{\"x\"}>", "manual_axes={\"x\"}"},
             {"= #mesh", "= <[\"x\"=2, \"y\"=4]>"},
             {"[#sharding]", "[<@mesh, [{\"x\"}, {}]>]"},
             {"sdy.sharding = #shardings",
              "sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>]>"},
             {"= #sharding", "= #sdy.sharding<@mesh, [{\"x\"}, {}]>"}});
  EXPECT_TRUE(Read(aliases + text) == Read(with_values));
}

// An op that gives a value another sharding, in both forms.
struct Resharding {
  const char* pretty;
  const char* name;
  const char* properties;
};

TEST(ShardyText, OpsThatGiveAnotherShardingAreConstraints) {
  const Resharding reshardings[] = {
      {"sdy.sharding_constraint %x <@mesh, [{\"x\"}, {?}]>", "sdy.sharding_constraint",
       "<{sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>}>"},
      {"sdy.reshard %x <@mesh, [{\"x\"}, {?}]>", "sdy.reshard",
       "<{sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>}>"},
      {"sdy.all_gather [{}, {\"y\":(2)2}] %x out_sharding=<@mesh, [{\"x\"}, {?}]>",
       "sdy.all_gather",
       "<{gathering_axes = #sdy<list_of_axis_ref_lists[{}, {\"y\":(2)2}]>, "
       "out_sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>}>"},
      {"sdy.all_slice [{\"x\"}, {}] %x out_sharding=<@mesh, [{\"x\"}, {?}]>", "sdy.all_slice",
       "<{out_sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>, "
       "slicing_axes = #sdy<list_of_axis_ref_lists[{\"x\"}, {}]>}>"},
      {"sdy.all_to_all [{\"x\"}: 1->0, {\"y\"}: 2->3] %x out_sharding=<@mesh, [{\"x\"}, {?}]>",
       "sdy.all_to_all",
       "<{out_sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>, "
       "params = #sdy<all_to_all_param_list[{\"x\"}: 1->0, {\"y\"}: 2->3]>}>"},
      {"sdy.collective_permute %x out_sharding=<@mesh, [{\"x\"}, {?}]>", "sdy.collective_permute",
       "<{out_sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>}>"},
      {"sdy.all_reduce {\"y\"} %x out_sharding=<@mesh, [{\"x\"}, {?}]>", "sdy.all_reduce",
       "<{out_sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>, "
       "reduction_axes = #sdy<axis_ref_list{\"y\"}>}>"},
      {"sdy.all_reduce sum {\"y\"} %x out_sharding=<@mesh, [{\"x\"}, {?}]>", "sdy.all_reduce",
       "<{out_sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>, reduction_op = 0 : i32, "
       "reduction_axes = #sdy<axis_ref_list{\"y\"}>}>"},
      {"sdy.reduce_scatter [{\"x\"}, {}] %x out_sharding=<@mesh, [{\"x\"}, {?}]>",
       "sdy.reduce_scatter",
       "<{out_sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>, "
       "reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{\"x\"}, {}]>}>"},
      {"sdy.sharded_to_unreduced [{}, {\"y\"}] %x out_sharding=<@mesh, [{\"x\"}, {?}]>",
       "sdy.sharded_to_unreduced",
       "<{axes = #sdy<list_of_axis_ref_lists[{}, {\"y\"}]>, "
       "out_sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>}>"},
      {"sdy.replicated_to_unreduced {\"y\"} %x out_sharding=<@mesh, [{\"x\"}, {?}]>",
       "sdy.replicated_to_unreduced",
       "<{axes = #sdy<axis_ref_list{\"y\"}>, "
       "out_sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>}>"},
      {"sdy.data_flow_edge %x sharding=<@mesh, [{\"x\"}, {?}]>", "sdy.data_flow_edge",
       "<{sharding = #sdy.sharding<@mesh, [{\"x\"}, {?}]>}>"},
  };
  const Module constraint = Read(ProgramOf("sdy.sharding_constraint %x <@mesh, [{\"x\"}, {?}]>"));
  EXPECT_THAT(KindsOf(constraint), ElementsAre(OpKind::kShardingConstraint));
  for (const Resharding& op : reshardings) {
    EXPECT_TRUE(Read(ProgramOf(op.pretty)) == constraint) << op.pretty;
    EXPECT_TRUE(Read(ProgramOf(absl::StrCat(op.pretty, " {a = 1}"))) == constraint) << op.pretty;
    EXPECT_TRUE(Read(GenericProgramOf(op.name, op.properties)) == constraint) << op.name;
  }
}

TEST(ShardyText, OpsThatOnlyGuideThePropagationAreDropped) {
  for (const std::string& program :
       {ProgramOf("sdy.propagation_barrier %x allowed_direction=FORWARD {a = 1}"),
        GenericProgramOf("sdy.propagation_barrier", "<{allowed_direction = 1 : i32}>"),
        ProgramOf("sdy.data_flow_edge %x"), GenericProgramOf("sdy.data_flow_edge", "")}) {
    EXPECT_THAT(KindsOf(Read(program)), IsEmpty()) << program;
  }
}

TEST(ShardyText, AnOpKeepsTheShardingOfItsResult) {
  EXPECT_TRUE(Read(ProgramOf("stablehlo.abs %x {sdy.sharding = "
                             "#sdy.sharding_per_value<[<@mesh, [{\"x\"}, {?}]>]>}")) ==
              Read(ModuleOf(MainOf("    %1 = stablehlo.abs %x : tensor<8x8xf32>\n"
                                   "    %0 = sdy.sharding_constraint %1 <@mesh, [{\"x\"}, {?}]> : "
                                   "tensor<8x8xf32>"))));
}

TEST(ShardyText, ConstantsOfShardyAreConstants) {
  const auto program = [](absl::string_view constant) {
    return ModuleOf(MainOf(absl::StrCat("    %0 = ", constant)));
  };
  const Module expected = Read(program("stablehlo.constant dense<1.0> : tensor<8x8xf32>"));
  EXPECT_TRUE(Read(program("sdy.constant dense<1.0> : tensor<8x8xf32>")) == expected);
  EXPECT_TRUE(Read(program("\"sdy.constant\"() <{value = dense<1.0> : tensor<8x8xf32>}> : () -> "
                           "tensor<8x8xf32>")) == expected);
  EXPECT_TRUE(Read(program("sdy.constant {jax.a = 1} dense<1.0> : tensor<8x8xf32>")) == expected);
}

TEST(ShardyText, AttributesOfShardyThatChangeNothingAreIgnored) {
  EXPECT_TRUE(Read(ProgramOf("stablehlo.abs %x {sdy.sharding_rule = "
                             "#sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}, custom>, "
                             "sdy.edges = #sdy<propagation_edges<[{step-0 = []}]>>}")) ==
              Read(ProgramOf("stablehlo.abs %x")));
}

TEST(ShardyText, NamedComputationsAreOpsOfTheirFunction) {
  const std::string pretty =
      ModuleOf(MainOf("    %0 = sdy.named_computation<\"f g\">(%x) (%x: tensor<8x8xf32>) {\n"
                      "      %0 = stablehlo.abs %x : tensor<8x8xf32>\n"
                      "      sdy.return %0 : tensor<8x8xf32>\n"
                      "    } {jax.a = 1} : (tensor<8x8xf32>) -> tensor<8x8xf32>"));
  const std::string generic =
      ModuleOf(MainOf("    %0 = \"sdy.named_computation\"(%x) <{name = \"f g\"}> ({\n"
                      "    ^bb0(%y: tensor<8x8xf32>):\n"
                      "      %z = stablehlo.abs %y : tensor<8x8xf32>\n"
                      "      \"sdy.return\"(%z) : (tensor<8x8xf32>) -> ()\n"
                      "    }) : (tensor<8x8xf32>) -> tensor<8x8xf32>"));
  const Module expected = Read(ProgramOf("stablehlo.abs %x"));
  EXPECT_TRUE(Read(pretty) == expected);
  EXPECT_TRUE(Read(generic) == expected);

  const Module with_shardings =
      Read(absl::StrReplaceAll(pretty, {{"(%x) (",
                                         "(%x) in_shardings=[<@mesh, [{\"x\"}, {}]>] "
                                         "out_shardings=[<@mesh, [{}, {\"y\"}]>] ("}}));
  EXPECT_TRUE(Read(absl::StrReplaceAll(
                  generic, {{"<{name",
                             "<{in_shardings = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, "
                             "{}]>]>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, "
                             "{\"y\"}]>]>, name"}})) == with_shardings);
  ExpectRefused(absl::StrReplaceAll(pretty, {{"(%x: tensor<8x8xf32>) {", "() {"}}),
                "its region takes ()");
}

// A manual computation on %x.
std::string Manual(absl::string_view shardings, absl::string_view axes, absl::string_view type,
                   absl::string_view ops) {
  return ModuleOf(MainOf(absl::StrCat(
      "    %c = stablehlo.constant dense<1.0> : ", type, "\n    %0 = sdy.manual_computation(%x) ",
      shardings, " manual_axes=", axes, " (%y: ", type, ") {\n", ops,
      "\n      sdy.return %0 : ", type, "\n    } : (tensor<8x8xf32>) -> tensor<8x8xf32>")));
}

constexpr char kRows[] =
    "in_shardings=[<@mesh, [{\"x\"}, {}]>] out_shardings=[<@mesh, [{\"x\"}, {}]>]";

TEST(ShardyText, ManualComputationsHaveNamesOfTheirOwn) {
  ExpectSurvivesPrinting(
      Manual(kRows, "{\"x\"}", "tensor<4x8xf32>", "      %0 = stablehlo.abs %y : tensor<4x8xf32>"));
  ExpectRefused(Manual(kRows, "{\"x\"}", "tensor<4x8xf32>",
                       "      %0 = stablehlo.add %y, %c : tensor<4x8xf32>"),
                "m.mlir:7:30: value %c lies outside of the region");
}

TEST(ShardyText, ManualAxesAreOrderedAsInTheMesh) {
  const auto program = [](absl::string_view axes) {
    return Manual(kRows, axes, "tensor<4x8xf32>", "      %0 = stablehlo.abs %y : tensor<4x8xf32>");
  };
  EXPECT_TRUE(Read(program("{\"y\", \"x\"}")) == Read(program("{\"x\", \"y\"}")));
  EXPECT_THAT(PrintModule(Read(program("{\"y\", \"x\"}"))),
              HasSubstr("manual_axes={\"x\", \"y\"}"));
}

TEST(ShardyText, ManualComputationsWithoutOperandsSurvive) {
  ExpectSurvivesPrinting(ModuleOf(MainOf(
      "    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {\n"
      "      sdy.return\n    } : () -> ()\n"
      "    %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{\"x\"}, {}]>] "
      "manual_axes={\"x\"} () {\n"
      "      %0 = stablehlo.constant dense<1.0> : tensor<4x8xf32>\n"
      "      sdy.return %0 : tensor<4x8xf32>\n    } : () -> tensor<8x8xf32>")));
}

TEST(ShardyText, WrongManualComputationsAreRefused) {
  constexpr char kAbs[] = "      %0 = stablehlo.abs %y : tensor<4x8xf32>";
  ExpectRefused(Manual(kRows, "{\"w\"}", "tensor<4x8xf32>", kAbs),
                "m.mlir:6:10: op 'sdy.manual_computation': mesh @mesh has no axis \"w\"");
  ExpectRefused(Manual(kRows, "{\"y\"}", "tensor<4x8xf32>", kAbs), "is tensor<8x8xf32>");
  ExpectRefused(Manual(kRows, "{x}", "tensor<4x8xf32>", kAbs), "the name of an axis");
  ExpectRefused(Manual(kRows, "[\"x\"]", "tensor<4x8xf32>", kAbs), "expected '{'");
  ExpectRefused(Manual("in_shardings=[] out_shardings=[<@mesh, [{\"x\"}, {}]>]", "{\"x\"}",
                       "tensor<4x8xf32>", kAbs),
                "0 in_shardings");
  ExpectRefused(Manual("in_shardings=[<@mesh, [{\"x\"}, {}]>]", "{\"x\"}", "tensor<4x8xf32>", kAbs),
                "expected 'out_shardings'");
  ExpectRefused(absl::StrReplaceAll(
                    kGeneric, {{"in_shardings = #sdy.sharding_per_value<[<@mesh, [{\"x\"}, {}]>, "
                                "<@mesh, [{}, {\"y\"}]>]>",
                                "in_shardings = #sdy.sharding<@mesh, [{\"x\"}, {}]>"}}),
                "in_shardings: expected a sharding_per_value");
}

TEST(ShardyText, ShardingsWithWrongNamesOrPartsAreRefused) {
  const std::pair<absl::string_view, absl::string_view> cases[] = {
      {"<@other, [{}, {}]>", "mesh @other is not declared before it is used"},
      {"<@mesh, [{\"w\"}, {}]>", "mesh @mesh has no axis \"w\""},
      {"<@mesh, [{\"y\":(1)1}, {}]>", "a part of axis \"y\" has size 1"},
      {"<@mesh, [{\"y\":(4)2}, {}]>", "is no part of an axis of 4 devices"},
      {"<@mesh, [{\"y\":(1)3}, {}]>", "is no part of an axis of 4 devices"},
      {"<@mesh, [{\"x\"}, {\"x\"}]>", "axis \"x\" is used twice"},
      {"<@mesh, [{\"y\"}, {\"y\":(2)2}]>", "axis \"y\" is used twice"},
      {"<@mesh, [{\"x\"}, {}], replicated={\"x\"}>", "axis \"x\" is used twice"},
      {"<@mesh, [{\"x\"}]>", "has 1 dimensions"},
      {"<mesh<[\"a\"=8, \"b\"=1]>, [{\"b\", \"b\"}, {}]>", "axis \"b\" is used twice"},
      {"<mesh<[\"a\"=3]>, [{}, {}]>", "it has 3 devices, but the program has 8 partitions"},
  };
  for (const auto& [sharding, why] : cases) {
    ExpectRefused(ProgramWithSharding(sharding), why);
    ExpectRefused(ProgramOf(absl::StrCat("sdy.sharding_constraint %x ", sharding)), why);
  }
  ExpectRefused(ProgramWithSharding("<@other, [{}, {}]>"), "m.mlir:4:46: mesh @other");
}

TEST(ShardyText, WrongGrammarIsRefusedWhereItStands) {
  const std::pair<absl::string_view, absl::string_view> cases[] = {
      {"<@mesh, [{\"x\" \"y\"}, {}]>", "m.mlir:5:51: expected '}', found '\"y\"'"},
      {"<@mesh, [{x}, {}]>", "expected the name of an axis (a string in quotes), found 'x'"},
      {"<@mesh, [{\"x\",}, {}]>", "expected the name of an axis"},
      {"<@mesh, [{\"\"}, {}]>", "the name of an axis has 0 bytes"},
      {"<@mesh, [{?, \"x\"}, {}]>", "expected '}', found ','"},
      {"<@mesh [{}, {}]>", "expected ',', found '['"},
      {"<\"mesh\", [{}, {}]>", "expected the name of a mesh (@name) or 'mesh'"},
      {"<@mesh, {}>", "expected '['"},
      {"<@mesh, [{}, {}]", "expected '>', found ':'"},
      {"<@mesh, [{}, {}>", "expected ']', found '>'"},
      {"<@mesh, [{}, {]>", "expected the name of an axis"},
      {"<@mesh, [{\"x\"}phigh, {}]>", "expected a priority (p0, p1, ...), found 'phigh'"},
      {"<@mesh, [{\"x\"}q1, {}]>", "expected a priority"},
      {"<@mesh, [{\"x\"}p9999999999999999999, {}]>", "expected a priority"},
      {"<@mesh, [{\"x\":1}, {}]>", "expected '('"},
      {"<@mesh, [{\"x\":(1)}, {}]>", "expected an integer"},
      {"<@mesh, [{\"x\":(1}, {}]>", "expected ')'"},
      {"<@mesh, [{}, {}],>", "expected 'replicated' or 'unreduced', found '>'"},
      {"<@mesh, [{}, {}], other={\"x\"}>", "expected 'replicated' or 'unreduced'"},
      {"<@mesh, [{}, {}], replicated{\"x\"}>", "expected '='"},
      {"<@mesh, [{}, {}], replicated=[\"x\"]>", "expected '{'"},
      {"<@mesh, [{}, {}], replicated=sum{\"x\"}>", "expected '{'"},
      {"<@mesh, [{}, {}], replicated={?}>", "expected the name of an axis"},
      {"<@mesh, [{}, {}], unreduced=mean{\"x\"}>", "expected 'sum', 'max' or 'min'"},
      {"<@mesh, [{}, {}], replicated={\"x\"}, replicated={\"y\"}>",
       "field 'replicated' stands twice"},
      {"<mesh<[\"a\"]>, [{}, {}]>", "expected '='"},
      {"<mesh<[\"a\"=0]>, [{}, {}]>", "expected an axis of at least one device"},
      {"<mesh<[\"a\"=2], ids=[0]>, [{}, {}]>", "expected 'device_ids'"},
  };
  for (const auto& [sharding, why] : cases) {
    ExpectRefused(ProgramOf(absl::StrCat("sdy.sharding_constraint %x ", sharding)), why);
  }
}

TEST(ShardyText, WrongPartsOfOpsAreRefused) {
  const std::pair<absl::string_view, absl::string_view> cases[] = {
      {"sdy.all_gather {\"x\"} %x out_sharding=<@mesh, [{}, {}]>", "expected '['"},
      {"sdy.all_gather [\"x\"] %x out_sharding=<@mesh, [{}, {}]>", "expected '{'"},
      {"sdy.all_gather max [{}, {}] %x out_sharding=<@mesh, [{}, {}]>", "expected '['"},
      {"sdy.all_gather [{}, {}] %x sharding=<@mesh, [{}, {}]>", "expected 'out_sharding'"},
      {"sdy.all_reduce [{\"x\"}] %x out_sharding=<@mesh, [{}, {}]>", "expected '{'"},
      {"sdy.all_reduce mean {\"x\"} %x out_sharding=<@mesh, [{}, {}]>",
       "expected 'sum', 'max' or 'min'"},
      {"sdy.all_to_all [{\"x\"}] %x out_sharding=<@mesh, [{}, {}]>", "expected ':'"},
      {"sdy.all_to_all [{\"x\"}: 0] %x out_sharding=<@mesh, [{}, {}]>", "expected '->'"},
      {"sdy.sharding_constraint %x sharding=<@mesh, [{}, {}]>", "expected '<'"},
      {"sdy.propagation_barrier %x", "expected 'allowed_direction'"},
  };
  for (const auto& [form, why] : cases) ExpectRefused(ProgramOf(form), why);
  ExpectRefused(ProgramOf("sdy.edge_value %x"), "op 'sdy.edge_value' is not supported",
                absl::StatusCode::kUnimplemented);
}

TEST(ShardyText, AttributesOfTheWrongKindAreRefused) {
  ExpectRefused(GenericProgramOf("sdy.sharding_constraint", "<{sharding = 1 : i64}>"),
                "expected a sharding, found 1 : i64");
  ExpectRefused(GenericProgramOf("sdy.sharding_constraint", "<{sharding = #sdy.mesh<[\"x\"=8]>}>"),
                "expected a sharding");
  ExpectRefused(GenericProgramOf("sdy.sharding_constraint", ""), "expected attribute 'sharding'");
  ExpectRefused(
      GenericProgramOf("sdy.reshard", "<{sharding = #sdy.sharding<@mesh, [{#sdy.mesh<[]>}, {}]>}>"),
      "expected the name of an axis");
  ExpectRefused(ProgramOf("stablehlo.abs %x {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}"),
                "expected a sharding_per_value");
  ExpectRefused(ModuleOf("  func.func @main(%x: tensor<f32> {sdy.sharding = \"x\"}) {\n"
                         "    return\n  }\n"),
                "m.mlir:4:35: expected a sharding, found \"x\"");
  ExpectRefused(ModuleOf("  func.func @main(%x: tensor<f32>) -> (tensor<f32> {sdy.sharding}) {\n"
                         "    return %x : tensor<f32>\n  }\n"),
                "m.mlir:4:52: expected a sharding");
}

TEST(ShardyText, WrongMeshesAreRefused) {
  const auto with = [](absl::string_view meshes) {
    return ModuleOf(MainOf("    %0 = stablehlo.abs %x : tensor<8x8xf32>"), meshes);
  };
  ExpectRefused(with("sdy.mesh @m = <[\"x\"=8]>\nsdy.mesh @m = <[\"y\"=8]>\n"),
                "m.mlir:3:10: two meshes are named @m");
  ExpectRefused(with("sdy.mesh @m = <[\"x\"=3]>\n"),
                "mesh @m: it has 3 devices, but the program has 8 partitions");
  ExpectRefused(with("sdy.mesh @m = <[\"x\"=2, \"x\"=4]>\n"), "two axes are named \"x\"");
  ExpectRefused(with("sdy.mesh @m = <[\"x\"=8], device_ids=[0, 1]>\n"),
                "2 device_ids for 8 devices");
  ExpectRefused(with("sdy.mesh @m = <[\"x\"=8], device_ids=[0, 0, 2, 3, 4, 5, 6, 7]>\n"),
                "device_ids must be different numbers");
  ExpectRefused(with("sdy.mesh m = <[\"x\"=8]>\n"), "the name of the mesh");
  ExpectRefused(with("sdy.mesh @\"\" = <[\"x\"=8]>\n"), "expected a name of 1 to 4096 bytes");
  ExpectRefused(with("sdy.mesh @m = [\"x\"=8]\n"), "expected '<'");
  ExpectRefused(with("sdy.mesh @m = <[x=8]>\n"), "the name of an axis");
  ExpectRefused(with("\"sdy.mesh\"() <{sym_name = \"m\"}> : () -> ()\n"),
                "a mesh has no sym_name or no mesh");
  ExpectRefused(with("\"sdy.mesh\"() <{mesh = 3 : i64, sym_name = \"m\"}> : () -> ()\n"),
                "m.mlir:2:1: mesh @m: expected a mesh, found 3 : i64");
}

TEST(ShardyText, AGenericFunctionHasAttributesOfEachValue) {
  const auto program = [](absl::string_view arguments) {
    return ModuleOf(
        absl::StrCat("\"func.func\"() <{arg_attrs = ", arguments,
                     ", function_type = (tensor<8xf32>) -> (), sym_name = \"main\"}> ({\n"
                     "^bb0(%x: tensor<8xf32>):\n\"func.return\"() : () -> ()\n}) : () -> ()\n"));
  };
  constexpr char kSharded[] = "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}";
  const Module module = Read(program(absl::StrCat("[", kSharded, "]")));
  EXPECT_THAT(module.functions.at(0).parameter_shardings, SizeIs(1));
  EXPECT_THAT(Read(program("[]")).functions.at(0).parameter_shardings, IsEmpty());
  ExpectRefused(program(absl::StrCat("[", kSharded, ", {}]")),
                "function @main has attributes of 2 parameters, expected 1");
  ExpectRefused(program(absl::StrCat("[", kSharded, ", 1]")), "the attributes of a parameter");
}

TEST(ShardyText, AttributesCannotNestWithoutEnd) {
  std::string nested;
  for (int i = 0; i < 10'000; ++i) nested += "#sdy.sharding_per_value<[";
  ExpectRefused(GenericProgramOf("stablehlo.abs", absl::StrCat("{sdy.sharding = ", nested, "}")),
                "nesting is deeper than 64");
  std::string meshes;
  for (int i = 0; i < 10'000; ++i) meshes += "#sdy.sharding<mesh";
  ExpectRefused(GenericProgramOf("stablehlo.abs", absl::StrCat("{sdy.sharding = ", meshes, "}")),
                "nesting is deeper than 64");
}

TEST(ShardyText, UsesOfAnAliasTakeMemoryOfTheirOwn) {
  std::string dimensions = "{?}";
  for (int i = 0; i < 1000; ++i) dimensions += ", {?}";
  std::string uses = "#s";
  for (int i = 0; i < 1000; ++i) uses += ", #s";
  ExpectRefused(absl::StrCat("#s = #sdy.sharding<@mesh, [", dimensions, "]>\n",
                             ProgramOf(absl::StrCat("stablehlo.abs %x {sdy.sharding = "
                                                    "#sdy.sharding_per_value<[",
                                                    uses, "]>}"))),
                "the program would take more than", absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace acceld::ir
