// Programs on whole values, of which the reference interpreter runs the manual computations as
// processes.
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/processes_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kMesh[] = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n";

// A program of four partitions on the mesh. In `text`, GROUPS(axis) stands for the attributes of a
// collective along an axis of the mesh.
std::string OnMesh(absl::string_view text, absl::string_view mesh = kMesh) {
  std::string program = ProgramFor({1, 4}, absl::StrCat(mesh, text));
  for (const absl::string_view axis : {"x", "y"}) {
    program = absl::StrReplaceAll(
        program,
        {{absl::StrCat("GROUPS(", axis, ")"),
          absl::StrCat("replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = "
                       "[#stablehlo.axis_ref<name = \"",
                       axis, "\">]>, use_global_device_ids, ", kChannel)}});
  }
  return absl::StrReplaceAll(program, {{"SUM_I64", Combining("add", "i64")}});
}

// The numbers from 0 to 15.
Literal Square() {
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < 16; ++i) elements.push_back(i);
  return Ints(DType::kI64, {4, 4}, elements);
}

absl::StatusOr<std::vector<Literal>> RunOn(const std::string& text,
                                           const std::vector<Literal>& arguments) {
  ACCELD_ASSIGN_OR_RETURN(const Module module, ParseModule(text, "test.mlir"));
  return Interpret(module, "main", arguments);
}

std::vector<int64_t> ValuesOf(const std::string& text, const std::vector<Literal>& arguments) {
  const auto results = RunOn(text, arguments);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? IntsOf((*results)[0]) : std::vector<int64_t>();
}

TEST(InterpreterManualComputation, SumsAlongAnAxis) {
  // Row r of the result is the sum of rows r % 2 and r % 2 + 2.
  EXPECT_THAT(ValuesOf(OnMesh(R"(
    func.func @main(%x: tensor<4x4xi64>) -> tensor<4x4xi64> {
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {"y"}]>]
          out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%a: tensor<2x2xi64>) {
        %b = "stablehlo.all_reduce"(%a) <{GROUPS(x)}> SUM_I64
            : (tensor<2x2xi64>) -> tensor<2x2xi64>
        sdy.return %b : tensor<2x2xi64>
      } : (tensor<4x4xi64>) -> tensor<4x4xi64>
      return %0 : tensor<4x4xi64>
    })"),
                       {Square()}),
              ElementsAre(8, 10, 12, 14, 16, 18, 20, 22, 8, 10, 12, 14, 16, 18, 20, 22));
}

TEST(InterpreterManualComputation, GathersAlongAnAxis) {
  EXPECT_THAT(ValuesOf(OnMesh(R"(
    func.func @main(%x: tensor<4x4xi64>) -> tensor<4x4xi64> {
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {"y"}]>]
          out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%a: tensor<2x2xi64>) {
        %b = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, GROUPS(y)}>
            : (tensor<2x2xi64>) -> tensor<2x4xi64>
        sdy.return %b : tensor<2x4xi64>
      } : (tensor<4x4xi64>) -> tensor<4x4xi64>
      return %0 : tensor<4x4xi64>
    })"),
                       {Square()}),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

constexpr char kNumbers[] = R"(
    func.func @main() -> tensor<4xui32> {
      %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"x", "y"}]>]
          manual_axes={"x", "y"} () {
        %p = "stablehlo.partition_id"() : () -> tensor<ui32>
        %a = stablehlo.reshape %p : (tensor<ui32>) -> tensor<1xui32>
        sdy.return %a : tensor<1xui32>
      } : () -> tensor<4xui32>
      return %0 : tensor<4xui32>
    })";

TEST(InterpreterManualComputation, ShardsLieWhereTheMeshHasItsDevices) {
  EXPECT_THAT(ValuesOf(OnMesh(kNumbers), {}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(
      ValuesOf(OnMesh(kNumbers, "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2], device_ids=[2, 0, 3, 1]>\n"),
               {}),
      ElementsAre(2, 0, 3, 1));
}

TEST(InterpreterManualComputation, OfSeveralEqualShardsTakesTheFirst) {
  std::string text = OnMesh(kNumbers);
  text = absl::StrReplaceAll(text, {{"{\"x\", \"y\"}]", "{\"x\"}]"}, {"4xui32", "2xui32"}});
  EXPECT_THAT(ValuesOf(text, {}), ElementsAre(0, 2));
}

TEST(InterpreterManualComputation, MayLeaveAxesFree) {
  EXPECT_THAT(ValuesOf(OnMesh(R"(
    func.func @main(%x: tensor<4x4xi64>) -> tensor<2x4xi64> {
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {?}]>]
          out_shardings=[<@mesh, [{}, {?}]>] manual_axes={"x"} (%a: tensor<2x4xi64>) {
        %c = sdy.sharding_constraint %a <@mesh, [{}, {"y"}]> : tensor<2x4xi64>
        %b = "stablehlo.all_reduce"(%c) <{GROUPS(x)}> ({
        ^bb0(%u: tensor<i64>, %v: tensor<i64>):
          %w = stablehlo.add %u, %v : tensor<i64>
          %z = sdy.sharding_constraint %w <@mesh, []> : tensor<i64>
          stablehlo.return %z : tensor<i64>
        }) : (tensor<2x4xi64>) -> tensor<2x4xi64>
        sdy.return %b : tensor<2x4xi64>
      } : (tensor<4x4xi64>) -> tensor<2x4xi64>
      return %0 : tensor<2x4xi64>
    })"),
                       {Square()}),
              ElementsAre(8, 10, 12, 14, 16, 18, 20, 22));
}

TEST(InterpreterManualComputation, MayBeNestedOverOtherAxes) {
  // The inner one adds columns c and c + 2 of the two rows that the outer one gives it.
  EXPECT_THAT(ValuesOf(OnMesh(R"(
    func.func @main(%x: tensor<4x4xi64>) -> tensor<4x4xi64> {
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>]
          out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<2x4xi64>) {
        %b = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {"y"}]>]
            out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%c: tensor<2x2xi64>) {
          %d = "stablehlo.all_reduce"(%c) <{GROUPS(y)}> SUM_I64
              : (tensor<2x2xi64>) -> tensor<2x2xi64>
          sdy.return %d : tensor<2x2xi64>
        } : (tensor<2x4xi64>) -> tensor<2x4xi64>
        sdy.return %b : tensor<2x4xi64>
      } : (tensor<4x4xi64>) -> tensor<4x4xi64>
      return %0 : tensor<4x4xi64>
    })"),
                       {Square()}),
              ElementsAre(2, 4, 2, 4, 10, 12, 10, 12, 18, 20, 18, 20, 26, 28, 26, 28));
}

TEST(InterpreterManualComputation, RunsInLoopsOfTheWholeProgram) {
  EXPECT_THAT(ValuesOf(OnMesh(R"(
    func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %one = stablehlo.constant dense<1> : tensor<i64>
      %three = stablehlo.constant dense<3> : tensor<i64>
      %0:2 = "stablehlo.while"(%zero, %x) ({
      ^bb0(%i: tensor<i64>, %y: tensor<2xi64>):
        %c = stablehlo.compare LT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }, {
      ^bb0(%i: tensor<i64>, %y: tensor<2xi64>):
        %s = sdy.manual_computation(%y) in_shardings=[<@mesh, [{"x"}]>]
            out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "y"} (%a: tensor<1xi64>) {
          %b = "stablehlo.all_reduce"(%a) <{GROUPS(x)}> SUM_I64
              : (tensor<1xi64>) -> tensor<1xi64>
          sdy.return %b : tensor<1xi64>
        } : (tensor<2xi64>) -> tensor<2xi64>
        %j = stablehlo.add %i, %one : tensor<i64>
        stablehlo.return %j, %s : tensor<i64>, tensor<2xi64>
      }) : (tensor<i64>, tensor<2xi64>) -> (tensor<i64>, tensor<2xi64>)
      return %0#1 : tensor<2xi64>
    })"),
                       {Ints(DType::kI64, {2}, {1, 2})}),
              Each(12));
}

TEST(InterpreterManualComputation, ConstraintsAndGroupsChangeNothing) {
  EXPECT_THAT(ValuesOf(OnMesh(R"(
    func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {
      %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<2xi64>
      sdy.sharding_group %0 group_id=1 : tensor<2xi64>
      return %0 : tensor<2xi64>
    })"),
                       {Ints(DType::kI64, {2}, {1, 2})}),
              ElementsAre(1, 2));
}

// A manual computation of one op on a tensor<2xi64>, of which each process has the whole.
std::string ManualOp(absl::string_view op, absl::string_view out_sharding) {
  return OnMesh(absl::StrCat(R"(
    func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}]>] out_shardings=[)",
                             out_sharding,
                             R"(] manual_axes={"x", "y"} (%a: tensor<2xi64>) {
        %b = )",
                             op, R"( : (tensor<2xi64>) -> tensor<2xi64>
        sdy.return %b : tensor<2xi64>
      } : (tensor<2xi64>) -> tensor<2xi64>
      return %0 : tensor<2xi64>
    })"));
}

TEST(InterpreterManualComputation, FailsWithTheErrorOfItsFirstProcess) {
  const auto results = RunOn(ManualOp("stablehlo.custom_call @unknown(%a)", "<@mesh, [{}]>"),
                             {Ints(DType::kI64, {2}, {1, 2})});
  EXPECT_EQ(results.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(results.status().message()),
              ::testing::StartsWith("process 0: stablehlo.custom_call"));
}

TEST(InterpreterManualComputation, CountsWhatItComputesTowardsTheLimit) {
  const std::string text = OnMesh(R"(
    func.func @main(%x: tensor<i64>) -> tensor<i64> {
      %0 = "stablehlo.while"(%x) ({
      ^bb0(%y: tensor<i64>):
        %true = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %true : tensor<i1>
      }, {
      ^bb0(%y: tensor<i64>):
        %s = sdy.manual_computation(%y) in_shardings=[<@mesh, []>] out_shardings=[<@mesh, []>]
            manual_axes={"x", "y"} (%a: tensor<i64>) {
          %b = stablehlo.negate %a : tensor<i64>
          sdy.return %b : tensor<i64>
        } : (tensor<i64>) -> tensor<i64>
        stablehlo.return %s : tensor<i64>
      }) : (tensor<i64>) -> tensor<i64>
      return %0 : tensor<i64>
    })");
  const auto module = ParseModule(text, "test.mlir");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto results =
      Interpret(*module, "main", {Ints(DType::kI64, {}, {1})}, {.max_element_ops = 200});
  EXPECT_EQ(results.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(results.status().message()), HasSubstr("more than 200 elements"));
}

// %x has 2 elements, and each process adds its position along y, 0 or 1, to what it gets of it.
std::vector<int64_t> WithParts(absl::string_view in, absl::string_view out) {
  return ValuesOf(OnMesh(absl::StrReplaceAll(R"(
    func.func @main(%x: tensor<2xi64>) -> tensor<2xi64> {
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}]IN>]
          out_shardings=[<@mesh, [{}]OUT>] manual_axes={"x", "y"} (%a: tensor<2xi64>) {
        %id = stablehlo.partition_id : tensor<ui32>
        %two = stablehlo.constant dense<2> : tensor<ui32>
        %y = stablehlo.remainder %id, %two : tensor<ui32>
        %c = stablehlo.convert %y : (tensor<ui32>) -> tensor<i64>
        %d = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<2xi64>
        %b = stablehlo.add %a, %d : tensor<2xi64>
        sdy.return %b : tensor<2xi64>
      } : (tensor<2xi64>) -> tensor<2xi64>
      return %0 : tensor<2xi64>
    })",
                                             {{"IN", in}, {"OUT", out}})),
                  {Ints(DType::kI64, {2}, {10, 20})});
}

TEST(InterpreterManualComputation, CombinesThePartsOfItsResults) {
  EXPECT_THAT(WithParts("", ", unreduced={\"y\"}"), ElementsAre(21, 41));
  EXPECT_THAT(WithParts("", ", unreduced={\"x\", \"y\"}"), ElementsAre(42, 82));
  EXPECT_THAT(WithParts("", ", unreduced=max{\"y\"}"), ElementsAre(11, 21));
  EXPECT_THAT(WithParts("", ", unreduced=min{\"y\"}"), ElementsAre(10, 20));
}

TEST(InterpreterManualComputation, TakesPartsThatCombineToTheWhole) {
  EXPECT_THAT(WithParts(", unreduced={\"y\"}", ", unreduced={\"y\"}"), ElementsAre(11, 21));
  EXPECT_THAT(WithParts(", unreduced={\"x\"}", ", unreduced={\"x\", \"y\"}"), ElementsAre(22, 42));
  EXPECT_THAT(WithParts(", unreduced=max{\"y\"}", ", unreduced=max{\"y\"}"), ElementsAre(11, 21));
}

}  // namespace
}  // namespace acceld::ir
