#include "common/ir/conformance/conformance.h"

#include "absl/strings/str_cat.h"
#include "common/ir/conformance/program_file.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Literal Numbers(std::vector<int64_t> values) { return Ints(DType::kI32, {2}, values); }

// A private function without parameters that returns constants.
Function Constants(const std::string& name, const std::vector<Literal>& values) {
  FunctionBuilder b(name, /*is_public=*/false);
  std::vector<ValueId> ids;
  for (const Literal& value : values) ids.push_back(b.Constant(value));
  return b.Finish(ids);
}

std::vector<ValueId> Call(FunctionBuilder& b, const Function& callee) {
  const InferContext::RegionSignature signature{.parameters = callee.ParameterTypes(),
                                                .results = callee.ResultTypes()};
  return b.Add(OpKind::kCall, {}, CallAttributes{.callee = {callee.name}}, {}, {}, {}, &signature)
      .value();
}

void Check(FunctionBuilder& b, const std::string& target, ValueId actual, ValueId expected) {
  b.AddUnchecked(OpKind::kCustomCall, {actual, expected},
                 CustomCallAttributes{.call_target_name = target, .has_side_effect = true}, {}, {});
}

Module ModuleOf(std::vector<Function> functions) {
  return Module{.name = "m", .functions = std::move(functions)};
}

// x + y of @inputs against @expected, and x * y against what main computes itself.
Module SumAndProduct() {
  const Function inputs = Constants("inputs", {Numbers({1, 2}), Numbers({10, 20})});
  const Function expected = Constants("expected", {Numbers({11, 22})});
  FunctionBuilder b("main");
  const std::vector<ValueId> x = Call(b, inputs);
  const std::vector<ValueId> e = Call(b, expected);
  const ValueId sum = b.AddOne(OpKind::kAdd, {x[0], x[1]}).value();
  const ValueId product = b.AddOne(OpKind::kMultiply, {x[0], x[1]}).value();
  const ValueId half = b.Constant(Numbers({5, 20}));
  const ValueId doubled = b.AddOne(OpKind::kAdd, {half, half}).value();
  Check(b, "check.expect_eq", sum, e[0]);
  Check(b, "check.expect_close", product, doubled);
  return ModuleOf({b.Finish({sum}), inputs, expected});
}

TEST(SplitConformanceProgram, TakesInputsAsParametersAndReturnsActualValues) {
  const auto split = SplitConformanceProgram(SumAndProduct());
  ASSERT_TRUE(split.ok()) << split.status();
  EXPECT_THAT(split->inputs, ElementsAre(Numbers({1, 2}), Numbers({10, 20})));
  ASSERT_EQ(split->program.functions.size(), 1);  // No @inputs, no @expected.
  const Function& main = split->program.functions[0];
  EXPECT_EQ(main.body.parameters.size(), 2);
  EXPECT_EQ(main.body.ops.size(), 2);  // The sum and the product; neither checks nor expectations.

  const auto results = Interpret(split->program, "main", split->inputs);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(*results, ElementsAre(Numbers({11, 22}), Numbers({10, 40})));
  EXPECT_THAT(FailedChecks(*split, *results, nullptr), IsEmpty());
}

TEST(SplitConformanceProgram, ExpectedValuesThatMainComputesAreEvaluated) {
  const auto split = SplitConformanceProgram(SumAndProduct());
  ASSERT_TRUE(split.ok()) << split.status();
  ASSERT_EQ(split->checks.size(), 2);
  EXPECT_EQ(split->checks[0].expected, Numbers({11, 22}));
  EXPECT_EQ(split->checks[1].expected, Numbers({10, 40}));
  EXPECT_EQ(split->checks[1].rule, RuleOfCheck("check.expect_close"));
}

TEST(SplitConformanceProgram, WrongResultsFailTheirCheck) {
  const auto split = SplitConformanceProgram(SumAndProduct());
  ASSERT_TRUE(split.ok()) << split.status();
  const std::vector<std::string> failures =
      FailedChecks(*split, {Numbers({11, 22}), Numbers({10, 41})}, nullptr);
  ASSERT_EQ(failures.size(), 1);
  EXPECT_THAT(failures[0], HasSubstr("check 2 (check.expect_close"));
  EXPECT_THAT(failures[0], HasSubstr("first at [1]: got 41, expected 40"));
}

TEST(SplitConformanceProgram, ProgramsWithoutInputsTakeNothing) {
  FunctionBuilder b("main");
  const ValueId x = b.Constant(Numbers({3, 4}));
  const ValueId y = b.AddOne(OpKind::kNegate, {x}).value();
  Check(b, "check.expect_eq", y, b.Constant(Numbers({-3, -4})));
  const auto split = SplitConformanceProgram(ModuleOf({b.Finish({})}));
  ASSERT_TRUE(split.ok()) << split.status();
  EXPECT_THAT(split->inputs, IsEmpty());
  const auto results = Interpret(split->program, "main", {});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(FailedChecks(*split, *results, nullptr), IsEmpty());
}

TEST(SplitConformanceProgram, ModulesWithoutChecksAreRefused) {
  FunctionBuilder b("main");
  const auto split = SplitConformanceProgram(ModuleOf({b.Finish({})}));
  EXPECT_EQ(split.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SplitConformanceProgram, ChecksInOtherFunctionsAreRefusedInsteadOfMissed) {
  FunctionBuilder helper("helper");
  const ValueId x = helper.Constant(Numbers({1, 2}));
  Check(helper, "check.expect_eq", x, x);
  FunctionBuilder b("main");
  const ValueId y = b.Constant(Numbers({1, 2}));
  Check(b, "check.expect_eq", y, y);
  const auto split = SplitConformanceProgram(ModuleOf({b.Finish({}), helper.Finish({})}));
  EXPECT_THAT(std::string(split.status().message()), HasSubstr("@helper"));
}

TEST(SplitConformanceProgram, UnknownChecksAreUnimplemented) {
  FunctionBuilder b("main");
  const ValueId y = b.Constant(Numbers({1, 2}));
  Check(b, "check.expect_serialized_eq", y, y);
  EXPECT_EQ(SplitConformanceProgram(ModuleOf({b.Finish({})})).status().code(),
            absl::StatusCode::kUnimplemented);
}

// The tolerance of a check of the check dialect is in its backend_config.
CheckRule RuleWith(const std::string& target, const AttributeDictionary& config) {
  FunctionBuilder b("main");
  const ValueId x = b.Constant(Floats(DType::kF32, {}, {1}));
  b.AddUnchecked(OpKind::kCustomCall, {x, x},
                 CustomCallAttributes{.call_target_name = target,
                                      .has_side_effect = true,
                                      .backend_config = {DictionaryAttribute{config}}},
                 {}, {});
  const auto split = SplitConformanceProgram(ModuleOf({b.Finish({})}));
  EXPECT_TRUE(split.ok()) << split.status();
  return split.ok() ? split->checks[0].rule : CheckRule();
}

TEST(SplitConformanceProgram, ChecksMayHaveATolerance) {
  EXPECT_EQ(RuleWith("check.expect_almost_eq", {{"tolerance", {FloatAttribute{0.25}}}}),
            (CheckRule{Tolerance::kAbsolute, 0.25}));
  EXPECT_EQ(RuleWith("check.expect_close", {{"max_ulp_difference", {IntegerAttribute{7}}},
                                            {"min_ulp_difference", {IntegerAttribute{0}}}}),
            (CheckRule{Tolerance::kUlp, 7}));
}

// A function of one op on a tensor<2xi32>.
Function Negation() {
  FunctionBuilder b("negate");
  const ValueId x = b.AddParameter(Numbers({0, 0}).type());
  return b.Finish({b.AddOne(OpKind::kNegate, {x}).value()});
}

// The sum of a tensor<2xi32> over all replicas.
Function Sum() {
  FunctionBuilder b("sum");
  const ValueId x = b.AddParameter(Numbers({0, 0}).type());
  std::vector<Region> regions;
  regions.push_back(BinaryRegion(b, OpKind::kAdd, DType::kI32));
  return b.Finish(
      b.Add(OpKind::kAllReduce, {x}, AllReduceAttributes(), std::move(regions)).value());
}

Attribute NamesOf(const std::vector<std::string>& functions) {
  ArrayAttribute names;
  for (const std::string& function : functions)
    names.elements.push_back({SymbolAttribute{function}});
  return {names};
}

// Calls interpreter.run_parallel. Each process takes and returns one tensor<2xi32>.
std::vector<ValueId> RunParallel(FunctionBuilder& b, const std::vector<ValueId>& inputs,
                                 const std::vector<std::vector<std::string>>& programs,
                                 const AttributeDictionary& more = {}) {
  ArrayAttribute rows;
  for (const std::vector<std::string>& row : programs) rows.elements.push_back(NamesOf(row));
  AttributeDictionary attributes = more;
  attributes["programs"] = {rows};
  const std::vector<Type> types(inputs.size(), Numbers({0, 0}).type());
  return b.AddUnchecked(OpKind::kCustomCall, inputs,
                        CustomCallAttributes{.call_target_name = "interpreter.run_parallel",
                                             .has_side_effect = true,
                                             .backend_config = {DictionaryAttribute{attributes}}},
                        {}, types);
}

std::vector<std::string> FailuresOf(const Module& module, absl::string_view entry = "main") {
  const auto split = SplitConformanceProgram(module, entry);
  EXPECT_TRUE(split.ok()) << split.status();
  if (!split.ok()) return {"not split"};
  const auto results = InterpretConformanceProgram(*split);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? FailedChecks(*split, *results, nullptr)
                      : std::vector<std::string>{"not run"};
}

TEST(ParallelRuns, RunFunctionsAsProcesses) {
  FunctionBuilder b("main");
  const std::vector<ValueId> results = RunParallel(
      b, {b.Constant(Numbers({1, 2})), b.Constant(Numbers({10, 20}))}, {{"sum"}, {"sum"}});
  Check(b, "check.expect_eq", results[0], b.Constant(Numbers({11, 22})));
  Check(b, "check.expect_eq", results[1], b.Constant(Numbers({11, 23})));
  const Module module = ModuleOf({b.Finish({}), Sum(), Negation()});
  const auto split = SplitConformanceProgram(module);
  ASSERT_TRUE(split.ok()) << split.status();
  EXPECT_FALSE(split->needs_main());
  ASSERT_EQ(split->runs.size(), 1);
  EXPECT_EQ(split->runs[0].program.grid, (ProcessGrid{2, 1}));
  ASSERT_EQ(split->runs[0].program.functions.size(), 1);
  EXPECT_EQ(split->runs[0].program.functions[0].name, "sum");
  ASSERT_EQ(split->runs[0].calls.size(), 2);
  EXPECT_THAT(split->runs[0].calls[1].arguments, ElementsAre(Numbers({10, 20})));
  EXPECT_THAT(FailuresOf(module), ElementsAre(HasSubstr("got 22, expected 23")));
}

TEST(ParallelRuns, MayRunDifferentFunctionsBesidesWhatMainComputes) {
  FunctionBuilder b("main");
  const ValueId x = b.Constant(Numbers({1, 2}));
  const std::vector<ValueId> first = RunParallel(b, {x, x}, {{"sum", "negate"}});
  const ValueId y = b.AddOne(OpKind::kAdd, {x, x}).value();
  const std::vector<ValueId> second = RunParallel(b, {y}, {{"negate"}});
  Check(b, "check.expect_eq", second[0], b.Constant(Numbers({-2, -4})));
  Check(b, "check.expect_eq", y, b.Constant(Numbers({2, 4})));
  Check(b, "check.expect_eq", first[1], b.Constant(Numbers({-1, -2})));
  Check(b, "check.expect_eq", first[0], x);
  const Module module = ModuleOf({b.Finish({}), Sum(), Negation()});
  EXPECT_THAT(FailuresOf(module), IsEmpty());
  EXPECT_TRUE(SplitConformanceProgram(module)->needs_main());
}

TEST(ParallelRuns, ThatAreNotUnderstoodAreRefused) {
  const auto status_with = [](const std::vector<std::vector<std::string>>& programs,
                              const AttributeDictionary& more = {}) {
    FunctionBuilder b("main");
    const ValueId x = b.Constant(Numbers({1, 2}));
    const std::vector<ValueId> results = RunParallel(b, {x, x}, programs, more);
    Check(b, "check.expect_eq", results[0], x);
    return SplitConformanceProgram(ModuleOf({b.Finish({}), Negation()})).status();
  };
  EXPECT_TRUE(status_with({{"negate", "negate"}}).ok());
  const auto message = [](const absl::Status& status) { return std::string(status.message()); };
  EXPECT_THAT(message(status_with({{"negate", "other"}})), HasSubstr("no function @other"));
  EXPECT_THAT(message(status_with({{"negate"}})), HasSubstr("the functions take"));
  EXPECT_THAT(message(status_with({{"negate", "negate"}, {"negate"}})),
              HasSubstr("as many partitions in each replica"));
  EXPECT_THAT(message(status_with({})), HasSubstr("programs"));
  EXPECT_EQ(status_with({{"negate", "negate"}}, {{"infeed", NamesOf({"negate"})}}).code(),
            absl::StatusCode::kUnimplemented);
}

TEST(ParallelRuns, WhoseResultsMainComputesWithAreUnimplemented) {
  FunctionBuilder b("main");
  const ValueId x = b.Constant(Numbers({1, 2}));
  const std::vector<ValueId> results = RunParallel(b, {x}, {{"negate"}});
  Check(b, "check.expect_eq", b.AddOne(OpKind::kNegate, {results[0]}).value(), x);
  EXPECT_EQ(SplitConformanceProgram(ModuleOf({b.Finish({}), Negation()})).status().code(),
            absl::StatusCode::kUnimplemented);
}

Module Read(const std::string& text) {
  auto module = ParseModule(text, "m.mlir");
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

// A module that runs the functions `grid` on `inputs`, one for each process, and compares what they
// return with `expected`. The checks begin on line 3; the text of the functions is last.
std::string ParallelProgram(const std::string& grid, const std::vector<std::string>& inputs,
                            const std::string& input_type, const std::vector<std::string>& expected,
                            const std::string& result_type, const std::string& functions) {
  std::string constants, operands, operand_types, result_types, checks;
  for (size_t p = 0; p < inputs.size(); ++p) {
    const char* comma = p == 0 ? "" : ", ";
    absl::StrAppend(&constants, "%x", p, " = stablehlo.constant dense<", inputs[p],
                    "> : ", input_type, " ");
    absl::StrAppend(&operands, comma, "%x", p);
    absl::StrAppend(&operand_types, comma, input_type);
    absl::StrAppend(&result_types, comma, result_type);
    absl::StrAppend(&checks, "check.expect_eq_const %0#", p, ", dense<", expected[p],
                    "> : ", result_type, "\n");
  }
  return absl::StrCat("module @test { func.func public @main() { ", constants,
                      "\n%0:", inputs.size(), " = \"interpreter.run_parallel\"(", operands,
                      ") {programs = ", grid, "} : (", operand_types, ") -> (", result_types, ")\n",
                      checks, "func.return\n}\n", functions, "\n}\n");
}

TEST(ParallelRunsInText, ReplicasReduceTheirValues) {
  const auto program = [](const std::string& of_second) {
    return Read(ParallelProgram("[[@all_reduce], [@all_reduce]]", {"[1, 2]", "[10, 20]"},
                                "tensor<2xi64>", {"[11, 22]", of_second}, "tensor<2xi64>", R"(
      func.func public @all_reduce(%x: tensor<2xi64>) -> tensor<2xi64> {
        %0 = "stablehlo.all_reduce"(%x) ({
          ^bb0(%a: tensor<i64>, %b: tensor<i64>):
            %1 = stablehlo.add %a, %b : tensor<i64>
            stablehlo.return %1 : tensor<i64>
        }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
        return %0 : tensor<2xi64>
      })"));
  };
  EXPECT_THAT(FailuresOf(program("[11, 22]")), IsEmpty());
  EXPECT_THAT(FailuresOf(program("[11, 23]")),
              ElementsAre("check 2 (check.expect_eq, line 4): 1 of 2 elements are not equal; first "
                          "at [1]: got 22, expected 23 (unequal); largest distance: unequal"));
}

TEST(ParallelRunsInText, PartitionsGatherInTheOrderOfTheirGroup) {
  const auto program = [](const std::string& of_second) {
    return Read(ParallelProgram("[[@all_gather, @all_gather]]", {"[[1, 2]]", "[[3, 4]]"},
                                "tensor<1x2xi32>", {"[[3, 4], [1, 2]]", of_second},
                                "tensor<2x2xi32>", R"(
      func.func public @all_gather(%x: tensor<1x2xi32>) -> tensor<2x2xi32> {
        %0 = "stablehlo.all_gather"(%x) {
          all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>,
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids
        } : (tensor<1x2xi32>) -> tensor<2x2xi32>
        return %0 : tensor<2x2xi32>
      })"));
  };
  EXPECT_THAT(FailuresOf(program("[[3, 4], [1, 2]]")), IsEmpty());
  EXPECT_THAT(FailuresOf(program("[[1, 2], [3, 4]]")),
              ElementsAre(HasSubstr("4 of 4 elements are not equal; first at [0, 0]: got 3")));
}

TEST(ParallelRunsInText, ProcessesWithoutASourceGetZeros) {
  const auto program = [](const std::string& of_first) {
    return Read(ParallelProgram("[[@permute], [@permute], [@permute]]", {"1.0", "2.0", "3.0"},
                                "tensor<f32>", {of_first, "1.0", "2.0"}, "tensor<f32>", R"(
      func.func public @permute(%x: tensor<f32>) -> tensor<f32> {
        %0 = "stablehlo.collective_permute"(%x) {
          source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>
        } : (tensor<f32>) -> tensor<f32>
        return %0 : tensor<f32>
      })"));
  };
  EXPECT_THAT(FailuresOf(program("0.0")), IsEmpty());
  EXPECT_THAT(FailuresOf(program("3.0")),
              ElementsAre(HasSubstr("check 1 (check.expect_eq, line 3): 1 of 1 elements are not "
                                    "equal; first at []: got 0, expected 3")));
}

// Two programs, and a function that both call.
constexpr char kTwoPrograms[] = R"(
  func.func @double(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @add_test() {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = call @double(%0) : (tensor<2xf32>) -> tensor<2xf32>
    check.expect_almost_eq_const %1, dense<[2.0, 4.00005]> : tensor<2xf32>
    func.return
  }
  func.func @subtract_test() {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = call @double(%0) : (tensor<2xf32>) -> tensor<2xf32>
    %2 = stablehlo.subtract %1, %0 : tensor<2xf32>
    %3 = stablehlo.constant dense<[1.0, 2.00001]> : tensor<2xf32>
    check.expect_almost_eq %2, %3, tolerance = 0.001 : tensor<2xf32>
    check.expect_close %2, %3, max_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>
    check.expect_eq %2, %0 : tensor<2xf32>
    func.return
  }
)";

TEST(ConformanceEntries, AreTheFunctionsWithChecks) {
  const Module module = Read(kTwoPrograms);
  const auto entries = ConformanceEntries(module);
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_THAT(*entries, ElementsAre("add_test", "subtract_test"));
  EXPECT_THAT(FailuresOf(module, "add_test"), IsEmpty());
  EXPECT_THAT(FailuresOf(module, "subtract_test"),
              ElementsAre(AllOf(HasSubstr("check 2 (check.expect_close, line 18)"),
                                HasSubstr("1 of 2 elements are not within 2 ulp; first at [1]"))));
}

TEST(ConformanceEntries, MainIsTheOnlyProgramOfItsModule) {
  EXPECT_THAT(*ConformanceEntries(SumAndProduct()), ElementsAre("main"));
  const Module module = Read(absl::StrCat("func.func @main() { return }", kTwoPrograms));
  EXPECT_THAT(*ConformanceEntries(module), ElementsAre("main"));
  EXPECT_THAT(std::string(SplitConformanceProgram(module).status().message()),
              HasSubstr("@add_test: a check stands outside of @main's own body"));
}

TEST(ConformanceEntries, ModulesWithoutProgramsAreRefused) {
  const Module module = ModuleOf({Negation()});
  EXPECT_EQ(ConformanceEntries(module).status().code(), absl::StatusCode::kInvalidArgument);
}

std::string WhyNoProgram(const std::string& text, absl::string_view entry) {
  return std::string(SplitConformanceProgram(Read(text), entry).status().message());
}

TEST(ConformanceEntries, ChecksThatWouldBeMissedAreRefused) {
  const std::string inner = R"(
    func.func @inner() {
      %0 = stablehlo.constant dense<1> : tensor<i32>
      check.expect_eq %0, %0 : tensor<i32>
      return
    })";
  const std::string with_parameter = R"(
    func.func @helper(%x: tensor<i32>) {
      check.expect_eq %x, %x : tensor<i32>
      return
    })";
  const std::string caller = R"(
    func.func @test() {
      %0 = stablehlo.constant dense<2> : tensor<i32>
      check.expect_eq %0, %0 : tensor<i32>
      call @inner() : () -> ()
      return
    })";
  EXPECT_THAT(WhyNoProgram(inner + caller, "test"),
              HasSubstr("@inner: a check stands outside of @test's own body"));
  EXPECT_THAT(WhyNoProgram(inner + caller, "inner"), IsEmpty());
  EXPECT_THAT(WhyNoProgram(inner + with_parameter, "inner"),
              HasSubstr("@helper: a check stands outside of @inner's own body"));
  EXPECT_THAT(WhyNoProgram(with_parameter, "helper"), HasSubstr("takes no arguments"));
}

TEST(ConformanceEntries, ChecksInProcessesAreRefused) {
  const std::string text = R"(
    func.func @process() -> tensor<i32> {
      %0 = stablehlo.constant dense<1> : tensor<i32>
      check.expect_eq %0, %0 : tensor<i32>
      return %0 : tensor<i32>
    }
    func.func @test() {
      %0 = "interpreter.run_parallel"() {programs = [[@process]]} : () -> tensor<i32>
      check.expect_eq_const %0, dense<1> : tensor<i32>
      return
    })";
  EXPECT_THAT(WhyNoProgram(text, "test"),
              HasSubstr("@process: a check stands in a function that runs in parallel"));
}

TEST(SplitProgramFile, PartsKeepTheirLines) {
  const std::vector<ProgramText> programs =
      SplitProgramFile("// RUN: something\n\n// -----\n\na\n// -----\nb\n// -----\n");
  ASSERT_EQ(programs.size(), 2);
  EXPECT_EQ(programs[0].line, 4);
  EXPECT_EQ(programs[0].text, "\n\n\n\na\n");
  EXPECT_EQ(programs[1].line, 7);
  EXPECT_EQ(programs[1].text, "\n\n\n\n\n\nb\n");
}

TEST(SplitProgramFile, OtherFilesAreOneProgram) {
  for (const std::string text : {"a\nb", "", "// only a comment\n", "ML\xEFR\n// -----\nx"}) {
    const std::vector<ProgramText> programs = SplitProgramFile(text);
    ASSERT_EQ(programs.size(), 1);
    EXPECT_EQ(programs[0].text, text);
    EXPECT_EQ(programs[0].line, 1);
  }
}

}  // namespace
}  // namespace acceld::ir
