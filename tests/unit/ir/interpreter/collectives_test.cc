// The collectives of the reference interpreter. Expected values follow from the definitions in the
// StableHLO specification.
#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/processes_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Rows = std::vector<std::vector<int64_t>>;

// A program of one op on %x: `op` is its text without "%0 = ", up to its type.
std::string ProgramOfOp(const ProcessGrid& grid, absl::string_view op, const TensorType& from,
                        const TensorType& to) {
  const std::string type = Type(to).ToString();
  return ProgramFor(grid, absl::StrCat("func.func @main(%x: ", Type(from).ToString(), ") -> ", type,
                                       " {\n  %0 = ", op, " : (", Type(from).ToString(), ") -> ",
                                       type, "\n  return %0 : ", type, "\n}"));
}

// Runs an op on tensors of i64. The elements of %x in process p are 10 (p + 1) and the numbers that
// follow it.
Rows ResultsOf(const ProcessGrid& grid, absl::string_view op, const Dims& from, const Dims& to) {
  const TensorType type{DType::kI64, from};
  std::vector<std::vector<Literal>> arguments;
  for (int64_t p = 0; p < grid.size(); ++p) {
    std::vector<int64_t> elements;
    for (int64_t i = 0; i < type.num_elements(); ++i) elements.push_back(10 * (p + 1) + i);
    arguments.push_back({Ints(DType::kI64, from, elements)});
  }
  return FirstOf(RunProcessesOf(ProgramOfOp(grid, op, type, {DType::kI64, to}), arguments));
}

std::string AllReduce(absl::string_view attributes) {
  return absl::StrCat("\"stablehlo.all_reduce\"(%x) <{", attributes, "}> ",
                      Combining("add", "i64"));
}

std::string AllGather(absl::string_view attributes) {
  return absl::StrCat("\"stablehlo.all_gather\"(%x) <{", attributes, "}>");
}

std::string Permute(absl::string_view attributes) {
  return absl::StrCat("\"stablehlo.collective_permute\"(%x) <{", attributes, "}>");
}

std::string WithChannel(absl::string_view attributes) {
  return absl::StrCat(attributes, ", ", kChannel);
}

TEST(InterpreterCollectives, CrossReplicaGroupsAreFormedForEachPartition) {
  EXPECT_THAT(
      ResultsOf({2, 2}, AllReduce("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"), {2}, {2}),
      ElementsAre(ElementsAre(40, 42), ElementsAre(60, 62), ElementsAre(40, 42),
                  ElementsAre(60, 62)));
}

TEST(InterpreterCollectives, CrossReplicaAndPartitionGroupsHaveThePartitionsOfTheirReplicas) {
  const std::string op = AllGather(
      WithChannel("all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"));
  EXPECT_THAT(ResultsOf({2, 2}, op, {1}, {4}), Each(ElementsAre(10, 30, 20, 40)));
}

TEST(InterpreterCollectives, FlattenedIdsAreProcesses) {
  const std::string op =
      AllGather(WithChannel("all_gather_dim = 0 : i64, use_global_device_ids, "
                            "replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>"));
  EXPECT_THAT(ResultsOf({2, 2}, op, {1}, {2}),
              ElementsAre(ElementsAre(40, 10), ElementsAre(20, 30), ElementsAre(20, 30),
                          ElementsAre(40, 10)));
}

TEST(InterpreterCollectives, CrossPartitionGroupsAreFormedForEachReplica) {
  const std::string op = absl::StrCat(
      "\"stablehlo.all_to_all\"(%x) <{",
      WithChannel("split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, "
                  "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"),
      "}>");
  EXPECT_THAT(ResultsOf({2, 2}, op, {2}, {2}),
              ElementsAre(ElementsAre(10, 20), ElementsAre(11, 21), ElementsAre(30, 40),
                          ElementsAre(31, 41)));
}

TEST(InterpreterCollectives, WithoutGroupsAllProcessesAreOne) {
  EXPECT_THAT(ResultsOf({1, 3},
                        AllReduce(WithChannel("use_global_device_ids, "
                                              "replica_groups = dense<> : tensor<0x0xi64>")),
                        {1}, {1}),
              Each(ElementsAre(60)));
}

TEST(InterpreterCollectives, GroupsMayHaveDifferentSizes) {
  EXPECT_THAT(
      ResultsOf({3, 1}, AllReduce("replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>"),
                {1}, {1}),
      ElementsAre(ElementsAre(40), ElementsAre(20), ElementsAre(40)));
}

TEST(InterpreterCollectives, AllGatherConcatenatesAlongADimension) {
  const std::string op =
      AllGather("all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>");
  EXPECT_THAT(ResultsOf({2, 1}, op, {2, 2}, {2, 4}),
              Each(ElementsAre(10, 11, 20, 21, 12, 13, 22, 23)));
}

TEST(InterpreterCollectives, AllToAllSplitsOneDimensionAndConcatenatesAnother) {
  const std::string op =
      "\"stablehlo.all_to_all\"(%x) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, "
      "split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>";
  EXPECT_THAT(ResultsOf({2, 1}, op, {2, 4}, {4, 2}),
              ElementsAre(ElementsAre(10, 11, 14, 15, 20, 21, 24, 25),
                          ElementsAre(12, 13, 16, 17, 22, 23, 26, 27)));
}

TEST(InterpreterCollectives, ReduceScatterGivesEachMemberItsPartOfTheSum) {
  const std::string op = absl::StrCat(
      "\"stablehlo.reduce_scatter\"(%x) <{scatter_dimension = 1 : i64, "
      "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ",
      Combining("add", "i64"));
  EXPECT_THAT(ResultsOf({2, 1}, op, {2, 4}, {2, 2}),
              ElementsAre(ElementsAre(30, 32, 38, 40), ElementsAre(34, 36, 42, 44)));
}

TEST(InterpreterCollectives, CollectivePermuteGivesZerosWithoutASource) {
  EXPECT_THAT(
      ResultsOf({3, 1}, Permute("source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>"),
                {2}, {2}),
      ElementsAre(ElementsAre(0, 0), ElementsAre(10, 11), ElementsAre(20, 21)));
  EXPECT_THAT(ResultsOf({2, 2}, Permute("source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>"),
                        {1}, {1}),
              ElementsAre(ElementsAre(0), ElementsAre(0), ElementsAre(10), ElementsAre(20)));
}

TEST(InterpreterCollectives, CollectivePermuteRunsInRingsAndWithinAProcess) {
  const std::string op = Permute(WithChannel(
      "source_target_pairs = dense<[[0, 1], [1, 2], [2, 0], [3, 3]]> : tensor<4x2xi64>"));
  EXPECT_THAT(ResultsOf({1, 5}, op, {1}, {1}),
              ElementsAre(ElementsAre(30), ElementsAre(10), ElementsAre(20), ElementsAre(40),
                          ElementsAre(0)));
}

// Runs a collective with a root on one tensor<1xi64> for each process, as ResultsOf, and with the
// root that is given, if any.
Rows ResultsWithRoot(absl::string_view name, absl::string_view attributes, absl::string_view root,
                     absl::string_view region = "") {
  const std::string groups(attributes);
  const std::string call =
      root.empty() ? absl::StrCat("(%x) <{", groups, "}> ", region, " : (tensor<1xi64>)")
                   : absl::StrCat("(%x, %r) <{has_dynamic_root, ", groups, "}> ", region,
                                  " : (tensor<1xi64>, tensor<1xi32>)");
  const std::string text =
      ProgramFor({4, 1}, absl::StrCat("func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {\n",
                                      "  %r = stablehlo.constant dense<", root.empty() ? "0" : root,
                                      "> : tensor<1xi32>\n  %0 = \"stablehlo.", name, "\"", call,
                                      " -> tensor<1xi64>\n  return %0 : tensor<1xi64>\n}"));
  std::vector<std::vector<Literal>> arguments;
  for (int64_t p = 0; p < 4; ++p) arguments.push_back({Ints(DType::kI64, {1}, {10 * (p + 1)})});
  return FirstOf(RunProcessesOf(text, arguments));
}

TEST(InterpreterCollectives, CollectiveBroadcastSendsFromTheRootAndElsewhereGivesZeros) {
  constexpr char kGroups[] = "replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>";
  EXPECT_THAT(ResultsWithRoot("collective_broadcast", kGroups, ""),
              ElementsAre(ElementsAre(0), ElementsAre(30), ElementsAre(30), ElementsAre(0)));
  EXPECT_THAT(ResultsWithRoot("collective_broadcast", kGroups, "1"),
              ElementsAre(ElementsAre(0), ElementsAre(20), ElementsAre(20), ElementsAre(0)));
}

TEST(InterpreterCollectives, CollectiveReduceGivesTheSumToTheRootOnly) {
  constexpr char kGroups[] = "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>";
  const std::string sum = Combining("add", "i64");
  EXPECT_THAT(ResultsWithRoot("collective_reduce", kGroups, "", sum),
              ElementsAre(ElementsAre(100), ElementsAre(0), ElementsAre(0), ElementsAre(0)));
  EXPECT_THAT(ResultsWithRoot("collective_reduce", kGroups, "3", sum),
              ElementsAre(ElementsAre(0), ElementsAre(0), ElementsAre(0), ElementsAre(100)));
}

TEST(InterpreterCollectives, RootsOutsideOfTheGroupAreRefused) {
  const std::string text = ProgramFor({2, 1}, R"(
    func.func @main(%x: tensor<i64>, %r: tensor<1xi32>) -> tensor<i64> {
      %0 = "stablehlo.collective_broadcast"(%x, %r) <{has_dynamic_root,
          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
          : (tensor<i64>, tensor<1xi32>) -> tensor<i64>
      return %0 : tensor<i64>
    })");
  const auto with_roots = [&](int64_t a, int64_t b) {
    const Literal x = Ints(DType::kI64, {}, {7});
    return RunProcessesOf(text,
                          {{x, Ints(DType::kI32, {1}, {a})}, {x, Ints(DType::kI32, {1}, {b})}});
  };
  EXPECT_THAT(std::string(with_roots(2, 2).status().message()),
              HasSubstr("root 2 of a group of 2"));
  EXPECT_THAT(std::string(with_roots(0, 1).status().message()), HasSubstr("different roots"));
}

TEST(InterpreterCollectives, ProcessesKnowTheirNumbers) {
  const std::string text = ProgramFor({2, 3}, R"(
    func.func @main() -> (tensor<ui32>, tensor<ui32>) {
      %0 = "stablehlo.replica_id"() : () -> tensor<ui32>
      %1 = "stablehlo.partition_id"() : () -> tensor<ui32>
      return %0, %1 : tensor<ui32>, tensor<ui32>
    })");
  const auto results = RunProcessesOf(text, std::vector<std::vector<Literal>>(6));
  ASSERT_TRUE(results.ok()) << results.status();
  for (int64_t p = 0; p < 6; ++p) {
    const std::vector<Literal>& own = (*results)[static_cast<size_t>(p)];
    EXPECT_THAT(own, ElementsAre(Ints(DType::kUI32, {}, {p / 3}), Ints(DType::kUI32, {}, {p % 3})));
  }
}

TEST(InterpreterCollectives, TakeSeveralOperands) {
  const std::string text = ProgramFor({2, 1}, R"(
    func.func @main(%x: tensor<1xi64>, %y: tensor<2xi64>) -> (tensor<2xi64>, tensor<4xi64>) {
      %0:2 = "stablehlo.all_gather"(%x, %y) <{all_gather_dim = 0 : i64,
          replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}>
          : (tensor<1xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<4xi64>)
      return %0#0, %0#1 : tensor<2xi64>, tensor<4xi64>
    })");
  const auto arguments = [](int64_t first) {
    return std::vector<Literal>{Ints(DType::kI64, {1}, {first}),
                                Ints(DType::kI64, {2}, {first + 1, first + 2})};
  };
  const auto results = RunProcessesOf(text, {arguments(0), arguments(10)});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(*results, Each(ElementsAre(Ints(DType::kI64, {2}, {10, 0}),
                                         Ints(DType::kI64, {4}, {11, 12, 1, 2}))));
}

// Adds one scalar of each replica, in the order of `groups`, in the element type `sum`.
absl::StatusOr<std::vector<std::vector<Literal>>> SumOf(DType dtype,
                                                        const std::vector<double>& values,
                                                        absl::string_view groups, DType sum) {
  const auto replicas = static_cast<int64_t>(values.size());
  std::vector<std::vector<Literal>> arguments;
  for (const double value : values) arguments.push_back({Floats(dtype, {}, {value})});
  const std::string op =
      absl::StrCat("\"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[", groups,
                   "]]> : tensor<1x", replicas, "xi64>}> ", Combining("add", DTypeName(sum)));
  return RunProcessesOf(ProgramOfOp({replicas, 1}, op, {dtype, {}}, {sum, {}}), arguments);
}

TEST(InterpreterCollectives, ReductionsConvertTheirOperandsFirst) {
  const auto results = SumOf(DType::kBF16, {256, 1}, "0, 1", DType::kF32);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(*results, Each(ElementsAre(Floats(DType::kF32, {}, {257}))));
}

TEST(InterpreterCollectives, NarrowFloatsAccumulateInSingle) {
  // In bf16, 256 + 1 is 256.
  const auto results = SumOf(DType::kBF16, {256, 1, 1, 2}, "0, 1, 2, 3", DType::kBF16);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(*results, Each(ElementsAre(Floats(DType::kBF16, {}, {260}))));
}

TEST(InterpreterCollectives, ReductionsGoInTheOrderOfTheGroupAndGiveEqualBits) {
  const std::vector<double> values = {1e8, -1e8, 1};
  const auto ascending = SumOf(DType::kF32, values, "0, 1, 2", DType::kF32);
  ASSERT_TRUE(ascending.ok()) << ascending.status();
  EXPECT_THAT(*ascending, Each(ElementsAre(Floats(DType::kF32, {}, {1}))));
  // As an f32, 1 + 1e8 is 1e8.
  const auto rotated = SumOf(DType::kF32, values, "2, 0, 1", DType::kF32);
  ASSERT_TRUE(rotated.ok()) << rotated.status();
  EXPECT_THAT(*rotated, Each(ElementsAre(Floats(DType::kF32, {}, {0}))));
}

TEST(InterpreterCollectives, NeedProcesses) {
  const auto module = ParseModule(
      ProgramFor({1, 2}, absl::StrCat("func.func @main(%x: tensor<i64>) -> tensor<i64> {\n  %0 = ",
                                      SumOverPartitions("x"), "\n  return %0 : tensor<i64>\n}")),
      "test.mlir");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto results = Interpret(*module, "main", {Ints(DType::kI64, {}, {1})});
  EXPECT_EQ(results.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(results.status().message()), HasSubstr("stablehlo.all_reduce"));
}

}  // namespace
}  // namespace acceld::ir
