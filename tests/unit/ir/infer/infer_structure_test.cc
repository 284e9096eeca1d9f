#include "gtest/gtest.h"
#include "tests/unit/ir/infer/infer_helper.h"

namespace acceld::ir {
namespace {

TEST(InferStructureTest, WhileCarriesItsOperands) {
  const Signature condition{{F32({2}), I32()}, {I1()}};
  const Signature body{{F32({2}), I32()}, {F32({2}), I32()}};
  const auto loop = [&](const Signature& cond, const Signature& step) {
    return Infer(OpKind::kWhile, {F32({2}), I32()}, NoAttributes{}, {.regions = {cond, step}});
  };
  EXPECT_THAT(loop(condition, body), Gives("tensor<2xf32>, tensor<i32>"));
  EXPECT_THAT(loop(body, body), IsRefused("the condition has 2 results instead of one"));
  EXPECT_THAT(loop({condition.parameters, {I1({2})}}, body),
              IsRefused("the result of the condition must be tensor<i1>, not tensor<2xi1>"));
  EXPECT_THAT(loop(condition, {body.parameters, {F32({3}), I32()}}),
              IsRefused("result of the body 0 is tensor<3xf32> where tensor<2xf32> is needed"));
  EXPECT_THAT(loop({{F32({2})}, {I1()}}, body),
              IsRefused("parameter of the condition: 1 values where 2"));
}

TEST(InferStructureTest, BranchesAgree) {
  const auto branch = [](Type type) { return Signature{{}, {type}}; };
  EXPECT_THAT(
      Infer(OpKind::kIf, {I1()}, NoAttributes{}, {.regions = {branch(F32({2})), branch(F32({2}))}}),
      Gives("tensor<2xf32>"));
  EXPECT_THAT(
      Infer(OpKind::kIf, {I1({2})}, NoAttributes{}, {.regions = {branch(F32()), branch(F32())}}),
      IsRefused("if: the predicate must be tensor<i1>, not tensor<2xi1>"));
  EXPECT_THAT(Infer(OpKind::kIf, {I1()}, NoAttributes{}, {.regions = {branch(F32())}}),
              IsRefused("1 regions where 2"));
  EXPECT_THAT(
      Infer(OpKind::kCase, {I32()}, NoAttributes{}, {.regions = {branch(F32()), branch(I32())}}),
      IsRefused("result of branch 1 0 is tensor<i32>"));
  EXPECT_THAT(Infer(OpKind::kCase, {I32()}), IsRefused("0 regions where 1 or more"));
  EXPECT_THAT(
      Infer(OpKind::kCase, {I32()}, NoAttributes{}, {.regions = {Signature{{F32()}, {F32()}}}}),
      IsRefused("branch 0 has 1 parameters"));
  // Branches of different sizes give a size that is not known.
  EXPECT_THAT(Infer(OpKind::kIf, {I1()}, NoAttributes{},
                    {.regions = {branch(F32({kDynamicDim})), branch(F32({2}))}}),
              Gives("tensor<?xf32>"));
}

TEST(InferStructureTest, CallsFitTheirCallee) {
  const Signature callee{{F32({2})}, {I32()}};
  const OpAttributes call = CallAttributes{{"f"}};
  EXPECT_THAT(Infer(OpKind::kCall, {F32({2})}, call, {.callee = &callee}), Gives("tensor<i32>"));
  EXPECT_THAT(Infer(OpKind::kCall, {}, call, {.callee = &callee}),
              IsRefused("func.call: @f: argument: 0 values where 1 are needed"));
  EXPECT_THAT(Infer(OpKind::kCall, {F32({3})}, call, {.callee = &callee}),
              IsRefused("@f: argument 0 is tensor<3xf32> where tensor<2xf32> is needed"));
  EXPECT_THAT(Infer(OpKind::kCall, {F32({2})}, call, {.declared = {I32()}}), Gives("tensor<i32>"));
  EXPECT_THAT(Infer(OpKind::kComposite, {F32({2})}, CompositeAttributes{"x", {}, {"f"}},
                    {.callee = &callee}),
              Gives("tensor<i32>"));
  EXPECT_THAT(Infer(OpKind::kComposite, {F32({2})}, CompositeAttributes{"", {}, {"f"}}),
              IsRefused("no name"));
}

TEST(InferStructureTest, TuplesHoldTheirElements) {
  EXPECT_THAT(Infer(OpKind::kTuple, {F32(), Type::Token()}),
              Gives("tuple<tensor<f32>, !stablehlo.token>"));
  const Type tuple = Type::Tuple({F32(), I32()});
  EXPECT_THAT(Infer(OpKind::kGetTupleElement, {tuple}, IndexAttributes{1}), Gives("tensor<i32>"));
  EXPECT_THAT(Infer(OpKind::kGetTupleElement, {tuple}, IndexAttributes{2}),
              IsRefused("index 2 is outside [0, 2)"));
  EXPECT_THAT(Infer(OpKind::kGetTupleElement, {F32()}, IndexAttributes{}),
              IsRefused("must be a tuple"));
}

TEST(InferStructureTest, OthersFollowWhatTheyHold) {
  EXPECT_THAT(Infer(OpKind::kConstant, {}, ConstantAttributes{Literal::Zeros({DType::kI8, {3}})}),
              Gives("tensor<3xi8>"));
  EXPECT_THAT(Infer(OpKind::kOptimizationBarrier, {F32(), I32({2})}),
              Gives("tensor<f32>, tensor<2xi32>"));
  EXPECT_THAT(
      Infer(OpKind::kCustomCall, {F32()}, CustomCallAttributes{"t"}, {.declared = {I32(), F32()}}),
      Gives("tensor<i32>, tensor<f32>"));
  EXPECT_THAT(Infer(OpKind::kCustomCall, {F32()}, CustomCallAttributes{}),
              IsRefused("call_target_name"));
  EXPECT_THAT(Infer(OpKind::kFusion, {F32()}, FusionAttributes{},
                    {.regions = {Signature{{F32()}, {I32()}}}}),
              Gives("tensor<i32>"));
}

}  // namespace
}  // namespace acceld::ir
