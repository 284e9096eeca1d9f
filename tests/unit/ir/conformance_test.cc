#include "common/ir/conformance/conformance.h"

#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

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

}  // namespace
}  // namespace acceld::ir
