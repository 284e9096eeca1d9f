// Host callbacks in programs: how they are written, what is refused, and what the interpreter makes
// of them.
#include "common/ir/calls/host_callback.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "common/ir/fingerprint.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/types/literal_text.h"
#include "common/ir/verify/verifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ProgramWith(absl::string_view attributes) {
  return absl::Substitute(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.custom_call @acceld.host_callback(%x) {$0} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    })",
                          attributes);
}

absl::Status StatusOf(absl::string_view attributes) {
  const absl::StatusOr<Module> module = ParseModule(ProgramWith(attributes));
  if (!module.ok()) return module.status();
  ACCELD_RETURN_IF_ERROR(RefuseInternalOps(*module));
  return Verify(*module);
}

Literal Pair(float a, float b) { return Literal::FromValues<float>({DType::kF32, {2}}, {a, b}); }

TEST(HostCallbackTest, AllSpellingsAreTheSameProgram) {
  const Module normal =
      *ParseModule(ProgramWith("api_version = 4 : i32, backend_config = {callback = 3 : i64}"));
  for (const char* spelling :
       {"acceld.callback = 3 : i64", "acceld.callback = 3 : i32", "backend_config = \"callback=3\"",
        "api_version = 2 : i32, backend_config = \"callback=3\"",
        "api_version = 4 : i32, backend_config = {callback = 3 : i32}",
        "api_version = 4 : i32, backend_config = {callback = 3 : i64}, acceld.callback = 3 : "
        "i64"}) {
    const absl::StatusOr<Module> module = ParseModule(ProgramWith(spelling));
    ASSERT_TRUE(module.ok()) << spelling << module.status();
    EXPECT_EQ(Fingerprint(*module, "main"), Fingerprint(normal, "main")) << spelling;
    EXPECT_THAT(HostCallbacksOf(*module, "main"), ElementsAre(3)) << spelling;
    EXPECT_TRUE(StatusOf(spelling).ok()) << spelling << StatusOf(spelling);
  }
}

TEST(HostCallbackTest, WhatIsNotUnderstoodIsRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"has_side_effect = true", "backend_config is"},
      {"acceld.callback = -1 : i64", "callback -1 is outside [0, 4096)"},
      {"acceld.callback = 4096 : i64", "callback 4096 is outside"},
      {"backend_config = \"callback=x\"", "\"callback=N\""},
      {"backend_config = {callback = 1 : i64, more = 2 : i64}",
       "it must have the entry callback and may have partitioned"},
      {"backend_config = {partitioned = true}", "it must have the entry callback"},
      {"backend_config = {callback = 1 : i64, partitioned = true}",
       "it is partitioned and has a result, a tensor<2xf32>"},
      {"backend_config = {callback = 1 : i64}, acceld.callback = 2 : i64",
       "acceld.callback is 2 and backend_config is"},
  };
  for (const auto& [attributes, message] : cases) {
    const absl::Status status = StatusOf(attributes);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << attributes << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }
  const auto tuples = ParseModule(R"(
    func.func @main(%x: tuple<tensor<f32>>) {
      stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64} : (tuple<tensor<f32>>) -> ()
      return
    })");
  EXPECT_THAT(std::string(tuples.status().message()), HasSubstr("tensors and tokens"));
}

TEST(HostCallbackTest, TheNumbersAreThoseThatTheEntryMayCall) {
  const Module module = *ParseModule(R"(
    func.func private @used(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 7 : i64} : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
    func.func private @unused(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 1 : i64} : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
    func.func @main(%x: tensor<f32>, %p: tensor<i1>) -> tensor<f32> {
      %0 = "stablehlo.if"(%p) ({
        %1 = func.call @used(%x) : (tensor<f32>) -> tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }, {
        %1 = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 2 : i64} : (tensor<f32>) -> tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      return %0 : tensor<f32>
    })");
  EXPECT_THAT(HostCallbacksOf(module, "main"), ElementsAre(2, 7));
  EXPECT_THAT(HostCallbacksOf(module, "unused"), ElementsAre(1));
  EXPECT_THAT(HostCallbacksOf(module, "nobody"), ElementsAre());
}

TEST(HostCallbackTest, TheInterpreterCallsInOrderAndPassesTokensOn) {
  const Module module = *ParseModule(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %t = stablehlo.create_token : !stablehlo.token
      %t1 = stablehlo.custom_call @acceld.host_callback(%t, %x) {acceld.callback = 1 : i64, has_side_effect = true} : (!stablehlo.token, tensor<2xf32>) -> !stablehlo.token
      %r:2 = stablehlo.custom_call @acceld.host_callback(%t1, %x) {acceld.callback = 0 : i64, has_side_effect = true} : (!stablehlo.token, tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>)
      %t3 = stablehlo.custom_call @acceld.host_callback(%r#0, %r#1) {acceld.callback = 1 : i64, has_side_effect = true} : (!stablehlo.token, tensor<2xf32>) -> !stablehlo.token
      return %r#1 : tensor<2xf32>
    })");
  ASSERT_TRUE(Verify(module).ok()) << Verify(module);
  std::vector<std::string> seen;
  const std::vector<HostCallback> callbacks = {
      [](absl::Span<const Literal>) -> absl::StatusOr<std::vector<Literal>> {
        return std::vector<Literal>{Pair(7, 8)};
      },
      [&](absl::Span<const Literal> operands) -> absl::StatusOr<std::vector<Literal>> {
        seen.push_back(ToString(operands[0]));
        return std::vector<Literal>();
      }};
  const auto results = Interpret(module, "main", {Pair(1, 2)}, {}, callbacks);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_TRUE((*results)[0] == Pair(7, 8));
  EXPECT_THAT(seen, ElementsAre(HasSubstr("1"), HasSubstr("7")));
}

TEST(HostCallbackTest, TheInterpreterSaysWhatIsWrongWithACallback) {
  const Module module = *ParseModule(ProgramWith("acceld.callback = 0 : i64"));
  const auto status = [&](std::vector<HostCallback> callbacks) {
    return Interpret(module, "main", {Pair(1, 2)}, {}, callbacks).status();
  };
  EXPECT_EQ(status({}).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status({}).message()), HasSubstr("host callback 0, which is not given"));
  const absl::Status raised = status({[](auto) { return absl::OutOfRangeError("no more rows"); }});
  EXPECT_EQ(raised.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(raised.message()), HasSubstr("host callback 0: no more rows"));
  EXPECT_THAT(std::string(status({[](auto) { return std::vector<Literal>(); }}).message()),
              HasSubstr("gave 0 results; the program expects 1"));
  EXPECT_THAT(std::string(status({[](auto) {
                            return std::vector<Literal>{Literal::Zeros({DType::kF32, {3}})};
                          }}).message()),
              HasSubstr("result 0 is a tensor<3xf32>; the program expects a tensor<2xf32>"));
}

}  // namespace
}  // namespace acceld::ir
