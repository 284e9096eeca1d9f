// What a loop carries that is a sum, a product or an extremum.

#include "gtest/gtest.h"
#include "kernels/cpu/emit/nests/accumulations.h"
#include "kernels/ir/build/kernel_builder.h"

namespace acceld::kernels::cpu {
namespace {

using Access = BufferParameter::Access;
using Values = absl::Span<const Var>;

// `body` gets what is carried and an element.
Kernel LoopKernel(const std::function<std::vector<Var>(KernelBuilder&, Values, Var)>& body,
                  int carried) {
  KernelBuilder b("loop");
  const uint32_t in = b.AddBuffer({"x", DType::kF32, 64, Access::kRead});
  const uint32_t out = b.AddBuffer({"y", DType::kF32, carried, Access::kWrite});
  const std::vector<Var> initial(carried, b.ConstantFloat(DType::kF32, 1));
  const std::vector<Var> last =
      b.For(ForStatement::Kind::kReduction, 64, initial,
            [&](Var i, Values current) { return body(b, current, b.Load(in, i)); });
  for (int i = 0; i < carried; ++i) b.Store(out, b.Index(i), last[i]);
  return b.Finish();
}

std::vector<absl::optional<Accumulation>> Find(const Kernel& kernel) {
  for (const Statement& statement : kernel.body) {
    if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      return FindAccumulations(kernel, *loop);
    }
  }
  return {};
}

TEST(Accumulations, GoThroughStepsOfOneOperationOnEitherSide) {
  const auto found = Find(LoopKernel(
      [](KernelBuilder& b, Values current, Var x) -> std::vector<Var> {
        const Var twice = b.Apply(ScalarOp::kMax, {x, b.Apply(ScalarOp::kMax, {current[0], x})});
        return {twice, b.Apply(ScalarOp::kAdd, {x, current[1]})};
      },
      2));
  ASSERT_EQ(found.size(), 2);
  ASSERT_TRUE(found[0].has_value() && found[1].has_value());
  EXPECT_EQ(found[0]->op, ScalarOp::kMax);
  ASSERT_EQ(found[0]->steps.size(), 2);
  EXPECT_EQ(found[0]->steps[0].current, found[0]->steps[1].result);
  EXPECT_EQ(found[0]->steps[0].element, found[0]->steps[1].element);
  EXPECT_TRUE(found[0]->is_private);
  EXPECT_EQ(found[1]->op, ScalarOp::kAdd);
  EXPECT_TRUE(found[1]->is_private);
}

TEST(Accumulations, AreOfOneOperation) {
  const auto found = Find(LoopKernel(
      [](KernelBuilder& b, Values current, Var x) -> std::vector<Var> {
        return {b.Apply(ScalarOp::kAdd, {b.Apply(ScalarOp::kMultiply, {current[0], x}), x}),
                b.Apply(ScalarOp::kSubtract, {current[1], x})};
      },
      2));
  ASSERT_EQ(found.size(), 2);
  EXPECT_FALSE(found[0].has_value());
  EXPECT_FALSE(found[1].has_value());
}

TEST(Accumulations, AreNotPrivateIfAnotherReadsThem) {
  const auto found = Find(LoopKernel(
      [](KernelBuilder& b, Values current, Var x) -> std::vector<Var> {
        const Var max = b.Apply(ScalarOp::kMax, {current[0], x});
        return {max, b.Apply(ScalarOp::kAdd, {current[1], max})};
      },
      2));
  ASSERT_EQ(found.size(), 2);
  ASSERT_TRUE(found[0].has_value() && found[1].has_value());
  EXPECT_FALSE(found[0]->is_private);
  EXPECT_TRUE(found[1]->is_private);
}

TEST(Accumulations, AreNotPrivateWhereBranchesMayReadThem) {
  const auto found = Find(LoopKernel(
      [](KernelBuilder& b, Values current, Var x) -> std::vector<Var> {
        const Var is_large = b.Apply(ScalarOp::kGt, {x, b.ConstantFloat(DType::kF32, 3)});
        const Var chosen = b.If(
            is_large, [&] { return std::vector<Var>{x}; },
            [&] { return std::vector<Var>{current[0]}; })[0];
        return {b.Apply(ScalarOp::kMin, {current[0], chosen})};
      },
      1));
  ASSERT_EQ(found.size(), 1);
  ASSERT_TRUE(found[0].has_value());
  EXPECT_FALSE(found[0]->is_private);
}

}  // namespace
}  // namespace acceld::kernels::cpu
