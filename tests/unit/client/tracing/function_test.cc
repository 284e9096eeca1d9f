// Functions of trees: traces, static values, calls inside traces. How they run on a daemon is in
// tests/integration.

#include "client/tracing/function.h"

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/tracing/tracing_test_util.h"

namespace acceld::client {
namespace {

using ir::DType;
using ir::TensorType;
using ::testing::HasSubstr;

const TensorType kVector{DType::kF32, {3}};

TEST(FunctionTest, IsTracedOnceForEachTypeFormAndStaticValue) {
  int traced = 0;
  const auto f = Jit(
      [&](const std::vector<Tensor>& x, int times) {
        ++traced;
        Tensor y = x[0];
        for (int i = 0; i < times; ++i) y = y * x.back();
        return y;
      },
      {.name = "powers"});
  const auto trace = [&](const std::vector<TensorType>& types, int times) {
    return f.Trace(types, Static(times)).ok();
  };
  EXPECT_TRUE(trace({kVector}, 1));
  EXPECT_TRUE(trace({kVector}, 1));
  EXPECT_EQ(traced, 1);
  EXPECT_TRUE(trace({kVector}, 2));
  EXPECT_EQ(traced, 2);
  EXPECT_TRUE(trace({kVector, kVector}, 2));
  EXPECT_TRUE(trace({{DType::kF64, {3}}}, 2));
  EXPECT_EQ(traced, 4);
  EXPECT_TRUE(trace({kVector, kVector}, 2));
  EXPECT_EQ(traced, 4);
}

TEST(FunctionTest, MayNotNeedItselfToBeTraced) {
  std::function<absl::Status(ir::Dims)> trace;
  absl::Status inner;
  const auto f = Jit(
      [&](const Tensor& x) {
        inner = trace({x.shape()[0] / 2});
        return x;
      },
      {.name = "halves"});
  trace = [&](ir::Dims dims) { return f.Trace(TensorType{DType::kF32, std::move(dims)}).status(); };
  EXPECT_TRUE(trace({4}).ok());
  EXPECT_EQ(inner, absl::FailedPreconditionError(
                       "halves: the function calls itself on the daemon while it is traced"));
  // What has been traced already is only called.
  EXPECT_TRUE(trace({8}).ok());
  EXPECT_TRUE(inner.ok()) << inner;
}

TEST(FunctionTest, ATracePrintsItsProgram) {
  const auto f = Jit([](const Tensor& x) { return Tanh(x) + 1; }, {.name = "layer"});
  const absl::StatusOr<Program> program = f.Trace(kVector);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_THAT(program->ToText(), HasSubstr("module @layer"));
  EXPECT_THAT(program->ToText(), HasSubstr("stablehlo.tanh"));
}

TEST(FunctionTest, IsCalledInATraceInsteadOfCopied) {
  int traced = 0;
  const auto f = Jit(
      [&](const Tensor& x) {
        ++traced;
        return std::pair(Sin(x), x + 1);
      },
      {.name = "f"});
  const auto g = [&](const Tensor& x) {
    Tensor y = x;
    for (int i = 0; i < 100; ++i) y = f(y).first;
    return y;
  };
  const absl::StatusOr<Program> program = TraceOf(g, {kVector});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(traced, 1);
  EXPECT_EQ(program->module().functions.size(), 2u);
  float expected = 0.5f;
  for (int i = 0; i < 100; ++i) expected = std::sin(expected);
  EXPECT_THAT(Eval(g, {F32({1}, {0.5f})}), Near({expected}));
  EXPECT_THAT(Eval(Grad([&](const Tensor& x) { return f(x).first; }), {F32({}, {0.5f})}),
              Near({std::cos(0.5f)}));
}

TEST(FunctionTest, WhatACalledFunctionCapturesMayChange) {
  const auto g = [](const Tensor& x) {
    Tensor factor = x;
    const auto f = Jit([&](const Tensor& y) { return y * factor; });
    const Tensor first = f(x);
    factor = first;
    return f(x);
  };
  EXPECT_THAT(Eval(g, {F32({}, {3})}), Near({27}));
}

TEST(FunctionTest, HasNoClientOutsideOfTraces) {
  const auto f = Jit([]() { return Ones({2}); }, {.name = "ones"});
  EXPECT_THAT(std::string(f().status().message()), HasSubstr("ones: it has no client"));
}

TEST(FunctionTest, ErrorsSayWhereTheCallStands) {
  const auto f = Jit([](const Tensor& x) { return x + Ones({4}); }, {.name = "loss"});
  const std::string line = std::to_string(__LINE__ - 1);
  const absl::Status status = f.Trace(kVector).status();
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("loss: stablehlo.add: shapes [3] and [4] do not combine ("));
  EXPECT_THAT(std::string(status.message()), HasSubstr("function_test.cc:" + line + ")"));
  // What is wrong inside of an operation that is made of others stands where that is called.
  const auto g = Jit([](const Tensor& x) { return nn::LayerNorm(x, Ones({4}), 0); });
  const std::string inner_line = std::to_string(__LINE__ - 1);
  EXPECT_THAT(std::string(g.Trace(kVector).status().message()),
              HasSubstr("function_test.cc:" + inner_line + ")"));
}

TEST(FunctionTest, ADeadTensorIsAnError) {
  Tensor kept = 0;
  const auto keep = Jit([&](const Tensor& x) { return kept = x; });
  ASSERT_TRUE(keep.Trace(kVector).ok());
  const auto use = Jit([&](const Tensor& x) { return x + kept; });
  EXPECT_THAT(std::string(use.Trace(kVector).status().message()),
              HasSubstr("a tensor of another trace"));
  Tensor matrix = 0;
  const auto keep_matrix = Jit([&](const Tensor& x) { return matrix = x; });
  ASSERT_TRUE(keep_matrix.Trace(TensorType{DType::kF32, {2, 2}}).ok());
  const auto diagonal = Jit([&](const Tensor& x) { return Sum(x) + Sum(Diagonal(matrix)); });
  EXPECT_THAT(std::string(diagonal.Trace(kVector).status().message()),
              HasSubstr("a tensor of another trace"));
  (void)(kept + kept);  // Outside of all traces nothing happens.
}

}  // namespace
}  // namespace acceld::client
