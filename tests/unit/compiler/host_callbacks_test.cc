// What passes and plans make of host callbacks: those with effects take place as often as the
// program says and in its order, whatever becomes of the rest.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/ir/analysis/bounded_duration.h"
#include "tests/unit/compiler/plan_runner.h"
#include "tests/unit/compiler/test_support.h"

namespace acceld::compiler {
namespace {

using ::testing::ElementsAre;

// Callbacks that note what they are given, and give their first operand, doubled, as their results
// say.
class Host {
 public:
  explicit Host(bool gives) : gives_(gives) {}

  std::vector<ir::HostCallback> callbacks() {
    std::vector<ir::HostCallback> callbacks;
    for (int number = 0; number < 4; ++number) {
      callbacks.push_back([this, number](absl::Span<const ir::Literal> operands)
                              -> absl::StatusOr<std::vector<ir::Literal>> {
        const float value = operands.empty() ? 0 : First(operands[0]);
        calls.push_back(absl::StrCat(number, ":", value));
        if (!gives_ || number == 3) return std::vector<ir::Literal>();
        return std::vector<ir::Literal>{ir::Literal::Filled(operands[0].type(), 2 * value)};
      });
    }
    return callbacks;
  }

  std::vector<std::string> calls;

 private:
  static float First(const ir::Literal& value) {
    return static_cast<float>(
        ir::IsFloat(value.type().dtype)
            ? ir::ReadFloat(value.type().dtype, value.bytes().data(), 0)
            : static_cast<double>(ir::ReadInt(value.type().dtype, value.bytes().data(), 0)));
  }

  const bool gives_;
};

// The calls of the program on `arguments`, of which the plan makes the same as the interpreter.
std::vector<std::string> CallsOf(const std::string& text, std::vector<ir::Literal> arguments,
                                 bool gives = true) {
  const ir::Module module = Parse(text);
  Host interpreted(gives), planned(gives);
  const auto expected = ir::Interpret(module, "main", arguments, {}, interpreted.callbacks());
  EXPECT_TRUE(expected.ok()) << expected.status();
  const auto plan = PlanOf(module);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!expected.ok() || !plan.ok()) return {};
  const auto results =
      RunPlan(*plan, arguments, kernels::RunKernel, nullptr, {}, planned.callbacks());
  EXPECT_TRUE(results.ok()) << results.status() << kernels::ToString(*plan);
  if (results.ok()) {
    for (size_t i = 0; i < expected->size(); ++i) EXPECT_TRUE((*results)[i] == (*expected)[i]) << i;
  }
  EXPECT_FALSE(kernels::HasBoundedDuration(*plan));
  return planned.calls;
}

ir::Literal Scalar(float value) { return ir::Literal::Filled({ir::DType::kF32, {}}, value); }

TEST(HostCallbacksTest, CallsWithEffectsStayThoughNobodyNeedsThem) {
  EXPECT_THAT(CallsOf(R"(
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64, has_side_effect = true} : (tensor<f32>) -> tensor<f32>
      stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 3 : i64, has_side_effect = true} : (tensor<f32>) -> ()
      stablehlo.custom_call @acceld.host_callback() {acceld.callback = 3 : i64, has_side_effect = true} : () -> ()
      return %x : tensor<f32>
    })",
                      {Scalar(5)}),
              ElementsAre("0:5", "3:5", "3:0"));
}

TEST(HostCallbacksTest, CallsWithoutEffectsGoWhenNobodyNeedsThemAndEqualOnesAreOne) {
  const ir::Module module = Parse(R"(
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64} : (tensor<f32>) -> tensor<f32>
      %1 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 1 : i64} : (tensor<f32>) -> tensor<f32>
      %2 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 1 : i64} : (tensor<f32>) -> tensor<f32>
      %3 = stablehlo.add %1, %2 : tensor<f32>
      return %3 : tensor<f32>
    })");
  Host host(true);
  const auto results =
      RunPlan(*PlanOf(module), {Scalar(3)}, kernels::RunKernel, nullptr, {}, host.callbacks());
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_TRUE((*results)[0] == Scalar(12));
  EXPECT_THAT(host.calls, ElementsAre("1:3"));
}

TEST(HostCallbacksTest, EqualCallsWithEffectsStayTwo) {
  EXPECT_THAT(CallsOf(R"(
    func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
      %0 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64, has_side_effect = true} : (tensor<f32>) -> tensor<f32>
      %1 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64, has_side_effect = true} : (tensor<f32>) -> tensor<f32>
      return %0, %1 : tensor<f32>, tensor<f32>
    })",
                      {Scalar(1)}),
              ElementsAre("0:1", "0:1"));
}

TEST(HostCallbacksTest, EqualCallsOfFunctionsWithEffectsStayTwo) {
  std::string body;
  for (int i = 0; i < 40; ++i)
    absl::StrAppend(&body, "%s", i + 1, " = stablehlo.sine %s", i, " : tensor<f32>\n");
  EXPECT_THAT(CallsOf(absl::Substitute(R"(
    func.func private @noted(%s0: tensor<f32>) -> tensor<f32> {
      $0
      stablehlo.custom_call @acceld.host_callback(%s0) {acceld.callback = 3 : i64, has_side_effect = true} : (tensor<f32>) -> ()
      return %s40 : tensor<f32>
    }
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = func.call @noted(%x) : (tensor<f32>) -> tensor<f32>
      %1 = func.call @noted(%x) : (tensor<f32>) -> tensor<f32>
      return %x : tensor<f32>
    })",
                                       body),
                      {Scalar(1)}),
              ElementsAre("3:1", "3:1"));
}

TEST(HostCallbacksTest, TokensOrderCallsAmongWhatIsFused) {
  EXPECT_THAT(CallsOf(R"(
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %t0 = stablehlo.create_token : !stablehlo.token
      %a = stablehlo.add %x, %x : tensor<f32>
      %r:2 = stablehlo.custom_call @acceld.host_callback(%t0, %a) {acceld.callback = 0 : i64, has_side_effect = true} : (!stablehlo.token, tensor<f32>) -> (!stablehlo.token, tensor<f32>)
      %b = stablehlo.multiply %r#1, %a : tensor<f32>
      %t2 = stablehlo.custom_call @acceld.host_callback(%r#0, %x) {acceld.callback = 3 : i64, has_side_effect = true} : (!stablehlo.token, tensor<f32>) -> !stablehlo.token
      %c = stablehlo.add %b, %a : tensor<f32>
      %t3 = stablehlo.after_all %t2, %t0 : !stablehlo.token
      %t4 = stablehlo.custom_call @acceld.host_callback(%t3, %c) {acceld.callback = 3 : i64, has_side_effect = true} : (!stablehlo.token, tensor<f32>) -> !stablehlo.token
      %d = stablehlo.subtract %c, %x : tensor<f32>
      return %d : tensor<f32>
    })",
                      {Scalar(1)}),
              ElementsAre("0:2", "3:1", "3:10"));
}

constexpr char kLoop[] = R"(
    func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %t = stablehlo.create_token : !stablehlo.token
      %r:3 = stablehlo.while(%i = %zero, %y = %x, %k = %t) : tensor<i32>, tensor<f32>, !stablehlo.token
      cond {
        %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %k1 = stablehlo.custom_call @acceld.host_callback(%k, %x) {acceld.callback = 3 : i64, has_side_effect = true} : (!stablehlo.token, tensor<f32>) -> !stablehlo.token
        %k2:2 = stablehlo.custom_call @acceld.host_callback(%k1, %y) {acceld.callback = 1 : i64, has_side_effect = true} : (!stablehlo.token, tensor<f32>) -> (!stablehlo.token, tensor<f32>)
        %i1 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %i1, %k2#1, %k2#0 : tensor<i32>, tensor<f32>, !stablehlo.token
      }
      return %r#0 : tensor<i32>
    })";

ir::Literal Int(int32_t value) {
  return ir::Literal::FromValues<int32_t>({ir::DType::kI32, {}}, {value});
}

// What the calls are given is the same in each turn, or needed by them alone.
TEST(HostCallbacksTest, CallsStayInTheirLoopWithWhatTheyNeed) {
  EXPECT_THAT(CallsOf(kLoop, {Int(3), Scalar(1)}),
              ElementsAre("3:1", "1:1", "3:1", "1:2", "3:1", "1:4"));
  EXPECT_THAT(CallsOf(kLoop, {Int(0), Scalar(1)}), ElementsAre());
}

TEST(HostCallbacksTest, OnlyTheBranchThatIsTakenCalls) {
  const std::string text = R"(
    func.func @main(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
      %0 = "stablehlo.case"(%i) ({
        stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 3 : i64, has_side_effect = true} : (tensor<f32>) -> ()
        stablehlo.return %x : tensor<f32>
      }, {
        %1 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 1 : i64} : (tensor<f32>) -> tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<i32>) -> tensor<f32>
      "stablehlo.case"(%i) ({
        stablehlo.return
      }, {
        stablehlo.custom_call @acceld.host_callback(%0) {acceld.callback = 3 : i64, has_side_effect = true} : (tensor<f32>) -> ()
        stablehlo.return
      }) : (tensor<i32>) -> ()
      return %0 : tensor<f32>
    })";
  EXPECT_THAT(CallsOf(text, {Int(0), Scalar(4)}), ElementsAre("3:4"));
  EXPECT_THAT(CallsOf(text, {Int(1), Scalar(4)}), ElementsAre("1:4", "3:8"));
}

// A call is not computed where programs are compiled, be all that it is given known.
TEST(HostCallbacksTest, CallsOnConstantsAreNotFolded) {
  EXPECT_THAT(CallsOf(R"(
    func.func @main() -> tensor<f32> {
      %0 = stablehlo.constant dense<3.0> : tensor<f32>
      %1 = stablehlo.custom_call @acceld.host_callback(%0) {acceld.callback = 0 : i64} : (tensor<f32>) -> tensor<f32>
      return %1 : tensor<f32>
    })",
                      {}),
              ElementsAre("0:3"));
}

TEST(HostCallbacksTest, EmptyTensorsAreCalledWithAndGiven) {
  const ir::Module module = Parse(R"(
    func.func @main(%x: tensor<0xf32>) -> (tensor<0xf32>, tensor<2x0xi1>) {
      %0:2 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64} : (tensor<0xf32>) -> (tensor<0xf32>, tensor<2x0xi1>)
      return %0#0, %0#1 : tensor<0xf32>, tensor<2x0xi1>
    })");
  int calls = 0;
  const std::vector<ir::HostCallback> callbacks = {
      [&](absl::Span<const ir::Literal> operands) -> absl::StatusOr<std::vector<ir::Literal>> {
        ++calls;
        return std::vector<ir::Literal>{operands[0],
                                        *ir::Literal::FromBytes({ir::DType::kI1, {2, 0}}, "")};
      }};
  const auto results =
      RunPlan(*PlanOf(module), {*ir::Literal::FromBytes({ir::DType::kF32, {0}}, "")},
              kernels::RunKernel, nullptr, {}, callbacks);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace acceld::compiler
