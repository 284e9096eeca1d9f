// Traced functions, evaluated by the reference interpreter.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/tracing/tracing_test_util.h"

namespace acceld::client {
namespace {

using ir::DType;
using ir::TensorType;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

ir::Literal Eval(const std::function<Tensor(const std::vector<Tensor>&)>& function,
                 std::vector<ir::Literal> arguments) {
  const std::vector<ir::Literal> results = Results(function, arguments);
  return results.empty() ? ir::Literal() : results[0];
}

std::vector<float> Floats(const ir::Literal& literal) {
  const std::string bytes = literal.DenseBytes();
  std::vector<float> values;
  for (int64_t i = 0; i < literal.type().num_elements(); ++i) {
    values.push_back(static_cast<float>(ir::ReadFloat(literal.type().dtype, bytes.data(), i)));
  }
  return values;
}

TEST(Tracing, ArithmeticBroadcastsAsNumpy) {
  const auto y = Eval([](const auto& x) { return (x[0] + x[1]) * 2 - 1; },
                      {F32({2, 1}, {1, 2}), F32({3}, {10, 20, 30})});
  EXPECT_EQ(y, F32({2, 3}, {21, 41, 61, 23, 43, 63}));
}

TEST(Tracing, SeluSelectsByComparison) {
  const auto y = Eval([](const auto& x) { return Where(x[0] > 0, x[0], 2 * (Exp(x[0]) - 1)); },
                      {F32({2}, {3, 0})});
  EXPECT_EQ(y, F32({2}, {3, 0}));
}

absl::StatusOr<std::vector<ir::Literal>> Echo(absl::Span<const ir::Literal> operands) {
  return std::vector<ir::Literal>(operands.begin(), operands.end());
}

TEST(Tracing, CallsOfTheHostAreNumberedAndKeptBesideTheProgram) {
  const std::vector<TensorType> types = {{DType::kF32, {2}}};
  int called = 0;
  const TracedFunction function = [&](const std::vector<Tensor>& x) {
    const Tensor y = CallHost(&Echo, {x[0] * 2}, {x[0].type()}, SideEffects::kNo)[0];
    const HostCallback count = [&](absl::Span<const ir::Literal>) {
      ++called;
      return std::vector<ir::Literal>();
    };
    EXPECT_TRUE(CallHost(count, {y, 3}, {}).empty());
    return std::vector<Tensor>{y};
  };
  HostCallbacks callbacks;
  const auto program = Trace("f", function, types, &callbacks);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_THAT(program->host_callbacks(), ElementsAre(0, 1));
  ASSERT_NE(callbacks.Find(1), nullptr);
  EXPECT_TRUE((*callbacks.Find(1))({}).ok());
  EXPECT_EQ(called, 1);
  EXPECT_EQ(callbacks.Find(2), nullptr);
  EXPECT_THAT(std::string(Trace("f", function, types).status().message()),
              HasSubstr("it calls its host"));
}

TEST(Tracing, AWrongCallOfTheHostIsTheErrorOfTheTrace) {
  const std::vector<TensorType> types = {{DType::kF32, {2}}};
  for (const HostCallback& callback : {HostCallback(), HostCallback(&Echo)}) {
    HostCallbacks callbacks;
    const auto program = Trace(
        "f",
        [&](const std::vector<Tensor>& x) {
          return CallHost(callback, x, {{DType::kF32, {ir::kDynamicDim}}});
        },
        types, &callbacks);
    EXPECT_TRUE(absl::IsInvalidArgument(program.status())) << program.status();
  }
}

TEST(Tracing, ReductionsTakeAxesAndKeepDims) {
  const ir::Literal x = F32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Eval([](const auto& x) { return Sum(x[0]); }, {x}), F32({}, {21}));
  EXPECT_EQ(Eval([](const auto& x) { return Max(x[0], {-1}); }, {x}), F32({2}, {3, 6}));
  EXPECT_EQ(Eval([](const auto& x) { return Min(x[0], {0}, true); }, {x}), F32({1, 3}, {1, 2, 3}));
  EXPECT_EQ(Eval([](const auto& x) { return Mean(x[0], {1}); }, {x}), F32({2}, {2, 5}));
}

TEST(Tracing, ArgMaxGivesTheFirst) {
  const auto y =
      Eval([](const auto& x) { return ArgMax(x[0], 1); }, {F32({2, 3}, {1, 7, 7, 9, 0, 1})});
  EXPECT_EQ(y, ir::Literal::FromValues<int32_t>({DType::kI32, {2}}, {1, 0}));
}

TEST(Tracing, MatMulTakesVectorsMatricesAndBatches) {
  const ir::Literal m = F32({2, 2}, {1, 2, 3, 4});
  const auto multiply = [](const auto& x) { return MatMul(x[0], x[1]); };
  EXPECT_EQ(Eval(multiply, {m, m}), F32({2, 2}, {7, 10, 15, 22}));
  EXPECT_EQ(Eval(multiply, {m, F32({2}, {1, 1})}), F32({2}, {3, 7}));
  EXPECT_EQ(Eval(multiply, {F32({2}, {1, 1}), m}), F32({2}, {4, 6}));
  EXPECT_EQ(Eval(multiply, {F32({2}, {1, 2}), F32({2}, {3, 4})}), F32({}, {11}));
  EXPECT_EQ(Eval(multiply, {F32({2, 1, 2}, {1, 0, 0, 1}), m}), F32({2, 1, 2}, {1, 2, 3, 4}));
}

TEST(Tracing, ShapesMove) {
  const ir::Literal x = F32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Eval([](const auto& x) { return Transpose(x[0]); }, {x}),
            F32({3, 2}, {1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(Eval([](const auto& x) { return Reshape(x[0], {3, -1}); }, {x}),
            F32({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Eval([](const auto& x) { return Slice(x[0], {0, 1}, {2, 3}); }, {x}),
            F32({2, 2}, {2, 3, 5, 6}));
  EXPECT_EQ(Eval([](const auto& x) { return Concatenate({x[0], x[0]}, -1); }, {F32({1}, {1})}),
            F32({2}, {1, 1}));
}

TEST(Tracing, SoftmaxIsStable) {
  const auto y = Eval([](const auto& x) { return nn::Softmax(x[0]); }, {F32({2}, {1000, 1000})});
  EXPECT_THAT(Floats(y), ElementsAre(0.5f, 0.5f));
  const auto z =
      Eval([](const auto& x) { return LogSumExp(x[0], {-1}); }, {F32({1, 2}, {1000, 1000})});
  EXPECT_THAT(Floats(z), Pointwise(FloatNear(1e-3f), {1000.6931f}));
}

TEST(Tracing, OneHotMarksTheClass) {
  const auto y = Eval([](const auto& x) { return nn::OneHot(x[0], 3); },
                      {ir::Literal::FromValues<int32_t>({DType::kI32, {2}}, {2, 5})});
  EXPECT_EQ(y, F32({2, 3}, {0, 0, 1, 0, 0, 0}));
}

TEST(Tracing, ErrorsNameTheOperationAndTheValues) {
  const TensorType f3{DType::kF32, {3}}, f4{DType::kF32, {4}}, i3{DType::kI32, {3}};
  EXPECT_THAT(ErrorOf([](const std::vector<Tensor>& x) { return x[0] + x[1]; }, {f3, f4}),
              HasSubstr("shapes [3] and [4] do not combine"));
  EXPECT_THAT(ErrorOf([](const std::vector<Tensor>& x) { return x[0] + x[1]; }, {f3, i3}),
              HasSubstr("operands are f32 and i32"));
  EXPECT_THAT(ErrorOf([](const std::vector<Tensor>& x) { return x[0] + 1.5; }, {i3}),
              HasSubstr("1.5"));
  EXPECT_THAT(ErrorOf([](const std::vector<Tensor>& x) { return Sum(x[0], {1}); }, {f3}),
              HasSubstr("Sum: axis 1 of a tensor with 1 dimensions"));
  EXPECT_THAT(ErrorOf([](const std::vector<Tensor>& x) { return MatMul(x[0], x[1]); }, {f3, f4}),
              HasSubstr("MatMul: the rows of [3] and the columns of [4] have different sizes"));
}

TEST(Tracing, SameFunctionTracedTwiceHasOneFingerprint) {
  const auto trace = [](const std::string& name) {
    return Trace(name, [](const std::vector<Tensor>& x) { return std::vector<Tensor>{Exp(x[0])}; },
                 {{DType::kF32, {3}}});
  };
  EXPECT_EQ(trace("a")->fingerprint(), trace("b")->fingerprint());
}

TEST(Tracing, TensorOfAnotherTraceIsRefused) {
  std::vector<Tensor> kept;
  ASSERT_EQ(ErrorOf(
                [&](const std::vector<Tensor>& x) {
                  kept.push_back(x[0]);
                  return x[0];
                },
                {TensorType{}}),
            "");
  EXPECT_THAT(ErrorOf([&](const std::vector<Tensor>& x) { return x[0] + kept[0]; }, {TensorType{}}),
              HasSubstr("another trace"));
}

}  // namespace
}  // namespace acceld::client
