// How the reference interpreter runs several processes: where they meet, and what happens when they
// do not.
#include <tuple>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/processes_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A program of two partitions whose @main computes %0 from %x, a scalar, with these lines.
std::string ProgramOf(absl::string_view lines) {
  return ProgramFor({1, 2}, absl::StrCat("func.func @main(%x: tensor<i64>) -> tensor<i64> {\n",
                                         lines, "\n  return %0 : tensor<i64>\n}"));
}

// Computes %0 with one of two branches, chosen by the number of the partition. Each branch is the
// text of an op on %x.
std::string ByPartition(absl::string_view of_first, absl::string_view of_second) {
  return absl::StrCat(
      "  %p = \"stablehlo.partition_id\"() : () -> tensor<ui32>\n"
      "  %index = stablehlo.convert %p : (tensor<ui32>) -> tensor<i32>\n"
      "  %0 = \"stablehlo.case\"(%index) ({\n    %a = ",
      of_first, "\n    stablehlo.return %a : tensor<i64>\n  }, {\n    %b = ", of_second,
      "\n    stablehlo.return %b : tensor<i64>\n  }) : (tensor<i32>) -> tensor<i64>");
}

constexpr char kUnknownOp[] = "stablehlo.custom_call @unknown(%x) : (tensor<i64>) -> tensor<i64>";
constexpr char kNegate[] = "stablehlo.negate %x : tensor<i64>";

// Repeats a computation %count times. The lines of `body` compute %NAME_next from %NAME_value,
// which is %from at first and %NAME_all#1 at the end.
std::string Loop(absl::string_view name, absl::string_view count, absl::string_view from,
                 absl::string_view body) {
  constexpr absl::string_view kText = R"(
  %NAME_zero = stablehlo.constant dense<0> : tensor<i64>
  %NAME_one = stablehlo.constant dense<1> : tensor<i64>
  %NAME_all:2 = "stablehlo.while"(%NAME_zero, %FROM) ({
  ^bb0(%NAME_i: tensor<i64>, %NAME_value: tensor<i64>):
    %NAME_c = stablehlo.compare LT, %NAME_i, %COUNT : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %NAME_c : tensor<i1>
  }, {
  ^bb0(%NAME_i: tensor<i64>, %NAME_value: tensor<i64>):
    BODY
    %NAME_j = stablehlo.add %NAME_i, %NAME_one : tensor<i64>
    stablehlo.return %NAME_j, %NAME_next : tensor<i64>, tensor<i64>
  }) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
)";
  // The body comes last, since it may have such words itself.
  const std::string text =
      absl::StrReplaceAll(kText, {{"NAME", name}, {"FROM", from}, {"COUNT", count}});
  return absl::StrReplaceAll(text, {{"BODY", body}});
}

TEST(InterpreterProcesses, HaveValuesOfTheirOwn) {
  EXPECT_THAT(
      FirstOf(RunProcessesOf(ProgramOf(absl::StrCat("  %0 = ", kNegate)), ScalarFor({3, 5}))),
      ElementsAre(ElementsAre(-3), ElementsAre(-5)));
}

TEST(InterpreterProcesses, MeetInNestedLoops) {
  const std::string inner =
      Loop("inner", "two", "outer_value",
           absl::StrCat("    %inner_next = ", SumOverPartitions("inner_value")));
  const std::string outer =
      Loop("outer", "two", "x",
           absl::StrCat(inner,
                        "    %outer_next = stablehlo.add %inner_all#1, %outer_zero : "
                        "tensor<i64>"));
  const std::string text =
      ProgramOf(absl::StrCat("  %two = stablehlo.constant dense<2> : tensor<i64>\n", outer,
                             "  %0 = stablehlo.add %outer_all#1, %outer_zero : tensor<i64>"));
  EXPECT_THAT(FirstOf(RunProcessesOf(text, ScalarFor({1, 2}))), Each(ElementsAre(24)));
}

TEST(InterpreterProcesses, ThatWaitAtDifferentOpsAreADeadlock) {
  std::string maximum = SumOverPartitions("x");
  maximum.replace(maximum.find("stablehlo.add"), 13, "stablehlo.maximum");
  const auto results =
      RunProcessesOf(ProgramOf(ByPartition(SumOverPartitions("x"), maximum)), ScalarFor({1, 2}));
  EXPECT_EQ(results.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(results.status().message()),
              AllOf(StartsWith("deadlock: process 0 waits at stablehlo.all_reduce at "),
                    HasSubstr("; process 1 waits at stablehlo.all_reduce at ")));
}

TEST(InterpreterProcesses, WaitForNoneThatLeftALoopEarly) {
  const std::string sum = absl::StrCat("    %loop_next = ", SumOverPartitions("loop_value"));
  const std::string text =
      ProgramOf(absl::StrCat("  %p = \"stablehlo.partition_id\"() : () -> tensor<ui32>\n"
                             "  %count = stablehlo.convert %p : (tensor<ui32>) -> tensor<i64>\n",
                             Loop("loop", "count", "x", sum),
                             "  %0 = stablehlo.add %loop_all#1, %loop_zero : tensor<i64>"));
  const auto results = RunProcessesOf(text, ScalarFor({1, 2}));
  EXPECT_EQ(results.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(results.status().message()),
              AllOf(StartsWith("deadlock: process 1 waits at stablehlo.all_reduce at "),
                    HasSubstr("; process 0 has ended")));
}

TEST(InterpreterProcesses, OutsideOfAGroupGoOn) {
  // Partition 2 takes part in no group of the broadcast and never comes to it.
  const std::string broadcast = absl::StrCat(
      "\"stablehlo.collective_broadcast\"(%x) <{replica_groups = dense<[[1, 0]]> : "
      "tensor<1x2xi64>, ",
      kChannel, "}> : (tensor<i64>) -> tensor<i64>");
  const std::string text = ProgramFor(
      {1, 3},
      absl::StrCat("func.func @main(%x: tensor<i64>) -> tensor<i64> {\n"
                   "  %p = \"stablehlo.partition_id\"() : () -> tensor<ui32>\n"
                   "  %two = stablehlo.constant dense<2> : tensor<ui32>\n"
                   "  %is_last = stablehlo.compare EQ, %p, %two : (tensor<ui32>, "
                   "tensor<ui32>) -> tensor<i1>\n"
                   "  %0 = \"stablehlo.if\"(%is_last) ({\n    %a = ",
                   kNegate, "\n    stablehlo.return %a : tensor<i64>\n  }, {\n    %b = ", broadcast,
                   "\n    stablehlo.return %b : tensor<i64>\n  }) : (tensor<i1>) -> "
                   "tensor<i64>\n  return %0 : tensor<i64>\n}"));
  EXPECT_THAT(FirstOf(RunProcessesOf(text, ScalarFor({1, 2, 3}))),
              ElementsAre(ElementsAre(2), ElementsAre(2), ElementsAre(-3)));
}

TEST(InterpreterProcesses, ThatFailEndTheOthersWithTheirError) {
  for (const auto& [first, second, number] :
       {std::tuple(SumOverPartitions("x"), std::string(kUnknownOp), 1),
        std::tuple(std::string(kUnknownOp), SumOverPartitions("x"), 0)}) {
    const auto results = RunProcessesOf(ProgramOf(ByPartition(first, second)), ScalarFor({1, 2}));
    EXPECT_EQ(results.status().code(), absl::StatusCode::kUnimplemented);
    EXPECT_THAT(std::string(results.status().message()),
                AllOf(StartsWith(absl::StrCat("process ", number, ": stablehlo.custom_call")),
                      HasSubstr("'unknown'")));
  }
}

TEST(InterpreterProcesses, HaveLimitsOfTheirOwn) {
  // Each process computes fewer elements than the limit, both together more.
  const std::string text = ProgramOf(
      absl::StrCat("  %count = stablehlo.constant dense<100> : tensor<i64>\n",
                   Loop("loop", "count", "x",
                        "    %loop_next = stablehlo.add %loop_value, %loop_one : tensor<i64>"),
                   "  %0 = stablehlo.add %loop_all#1, %loop_zero : tensor<i64>"));
  const Module module = *ParseModule(text, "test.mlir");
  int64_t limit = 10;
  const auto run_alone = [&] {
    return Interpret(module, "main", {Ints(DType::kI64, {}, {0})}, {.max_element_ops = limit});
  };
  while (!run_alone().ok()) limit += 10;
  EXPECT_THAT(FirstOf(RunProcessesOf(text, ScalarFor({0, 1}), {.max_element_ops = limit})),
              ElementsAre(ElementsAre(100), ElementsAre(101)));
  const auto results = RunProcessesOf(text, ScalarFor({0, 1}), {.max_element_ops = 100});
  EXPECT_EQ(results.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(results.status().message()), StartsWith("process 0: "));
}

TEST(InterpreterProcesses, CallTheHostInTheSameOrderEachTime) {
  const std::string text = ProgramOf(absl::StrCat(
      "  %a = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64, "
      "has_side_effect = true} : (tensor<i64>) -> tensor<i64>\n  %b = ",
      SumOverPartitions("a"),
      "\n  %0 = stablehlo.custom_call @acceld.host_callback(%b) {acceld.callback = 0 : i64, "
      "has_side_effect = true} : (tensor<i64>) -> tensor<i64>"));
  for (int repeat = 0; repeat < 10; ++repeat) {
    std::vector<int64_t> seen;  // Without a lock: callbacks are called one at a time.
    const HostCallback callback =
        [&](absl::Span<const Literal> operands) -> absl::StatusOr<std::vector<Literal>> {
      seen.push_back(IntsOf(operands[0])[0]);
      return std::vector<Literal>(operands.begin(), operands.end());
    };
    const auto results = RunProcessesOf(text, ScalarFor({1, 2}), {}, {&callback, 1});
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_THAT(seen, ElementsAre(1, 2, 3, 3));
  }
}

TEST(InterpreterProcesses, NeedArgumentsForEachOfThem) {
  const std::string text = ProgramOf(absl::StrCat("  %0 = ", kNegate));
  const auto too_few = RunProcessesOf(text, ScalarFor({1}));
  EXPECT_EQ(too_few.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(too_few.status().message()), HasSubstr("for 1 processes"));
  auto wrong = ScalarFor({1, 2});
  wrong[1].clear();
  EXPECT_THAT(std::string(RunProcessesOf(text, wrong).status().message()),
              StartsWith("process 1: @main takes 1 arguments, not 0"));
}

// Two functions with an op each, run as two processes.
absl::StatusOr<std::vector<std::vector<Literal>>> RunDifferent(absl::string_view first,
                                                               absl::string_view second) {
  const auto function = [](absl::string_view name, absl::string_view op) {
    return absl::StrCat("func.func @", name, "(%x: tensor<i64>) -> tensor<i64> {\n  %0 = ", op,
                        "\n  return %0 : tensor<i64>\n}\n");
  };
  ACCELD_ASSIGN_OR_RETURN(
      const Module module,
      ParseModule(ProgramFor({1, 2}, function("first", first) + function("second", second)),
                  "test.mlir"));
  return InterpretProcesses(module,
                            {{.entry = "first", .arguments = {Ints(DType::kI64, {}, {1})}},
                             {.entry = "second", .arguments = {Ints(DType::kI64, {}, {2})}}});
}

TEST(InterpreterProcesses, OfDifferentFunctionsMeetAtEqualCollectives) {
  const std::string sum = SumOverPartitions("x");
  EXPECT_THAT(FirstOf(RunDifferent(sum, sum)), Each(ElementsAre(3)));
  EXPECT_THAT(FirstOf(RunDifferent(kNegate, kNegate)),
              ElementsAre(ElementsAre(-1), ElementsAre(-2)));
  const std::string permute = absl::StrCat(
      "\"stablehlo.collective_permute\"(%x) <{source_target_pairs = dense<[[0, 1]]> : "
      "tensor<1x2xi64>, ",
      kChannel, "}> : (tensor<i64>) -> tensor<i64>");
  EXPECT_EQ(RunDifferent(sum, permute).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace acceld::ir
