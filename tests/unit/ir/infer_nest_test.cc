#include <limits>

#include "gtest/gtest.h"
#include "tests/unit/ir/infer_helper.h"

namespace acceld::ir {
namespace {

TEST(InferNestTest, ReduceDropsDimensions) {
  const auto reduce = [](std::vector<int64_t> dimensions) {
    return Infer(OpKind::kReduce, {F32({2, 3, 4}), F32()}, DimensionsAttributes{dimensions},
                 {.regions = {Reducer({DType::kF32})}});
  };
  EXPECT_THAT(reduce({0, 2}), Gives("tensor<3xf32>"));
  EXPECT_THAT(reduce({2, 0}), Gives("tensor<3xf32>"));
  EXPECT_THAT(reduce({}), Gives("tensor<2x3x4xf32>"));
  EXPECT_THAT(reduce({3}), IsRefused("reduce: dimensions has 3, outside [0, 3)"));
  EXPECT_THAT(reduce({1, 1}), IsRefused("has 1 twice"));
}

TEST(InferNestTest, ReduceTakesSeveralInputs) {
  EXPECT_THAT(Infer(OpKind::kReduce, {F32({4}), I32({4}), F32(), I32()}, DimensionsAttributes{{0}},
                    {.regions = {Reducer({DType::kF32, DType::kI32})}}),
              Gives("tensor<f32>, tensor<i32>"));
  EXPECT_THAT(Infer(OpKind::kReduce, {F32({4}), I32({5}), F32(), I32()}, DimensionsAttributes{{0}},
                    {.regions = {Reducer({DType::kF32, DType::kI32})}}),
              IsRefused("inputs 0 and 1 differ in shape"));
  EXPECT_THAT(Infer(OpKind::kReduce, {F32({4}), I32()}, DimensionsAttributes{{0}},
                    {.regions = {Reducer({DType::kF32})}}),
              IsRefused("initial value 0 must be tensor<f32>"));
  EXPECT_THAT(Infer(OpKind::kReduce, {F32({4}), F32()}, DimensionsAttributes{{0}},
                    {.regions = {Reducer({DType::kI32})}}),
              IsRefused("the region must be (tensor<f32>, tensor<f32>) -> (tensor<f32>), but is "
                        "(tensor<i32>, tensor<i32>) -> (tensor<i32>)"));
  EXPECT_THAT(Infer(OpKind::kReduce, {F32({4}), F32()}, DimensionsAttributes{{0}}),
              IsRefused("0 regions where 1"));
}

absl::StatusOr<std::string> ReduceWindow(const WindowAttributes& window, Dims dims = {10}) {
  return Infer(OpKind::kReduceWindow, {F32(std::move(dims)), F32()}, window,
               {.regions = {Reducer({DType::kF32})}});
}

TEST(InferNestTest, ReduceWindowCountsPlaces) {
  EXPECT_THAT(ReduceWindow({.window_dimensions = {3}}), Gives("tensor<8xf32>"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {3}, .window_strides = {2}}),
              Gives("tensor<4xf32>"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {3}, .window_dilations = {4}}),
              Gives("tensor<2xf32>"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {2}, .base_dilations = {2}}),
              Gives("tensor<18xf32>"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {3}, .padding = {{{2, 0}}}}),
              Gives("tensor<10xf32>"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {11}}), Gives("tensor<0xf32>"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {1}, .padding = {{{-20, 0}}}}),
              Gives("tensor<0xf32>"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {3}}, {0}), Gives("tensor<0xf32>"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {3}}, {kDynamicDim}), Gives("tensor<?xf32>"));
}

TEST(InferNestTest, ReduceWindowRefusesSenselessWindows) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(ReduceWindow({.window_dimensions = {0}}), IsRefused("window_dimensions has 0"));
  EXPECT_THAT(ReduceWindow({}), IsRefused("window_dimensions has 0 values where 1"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {1}, .window_strides = {0}}),
              IsRefused("window_strides has 0"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {kMax}}), IsRefused("above the limit"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {9}, .window_dilations = {int64_t{1} << 46}}),
              IsRefused("above the limit"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {1}, .padding = {{{kMax, kMax}}}}),
              IsRefused("above the limit"));
  EXPECT_THAT(ReduceWindow({.window_dimensions = {1}, .padding = {{{0, 0}, {0, 0}}}}),
              IsRefused("padding has 2 values"));
}

TEST(InferNestTest, SortComparesPairs) {
  const Signature comparator{{F32(), F32(), I32(), I32()}, {I1()}};
  const auto sort = [&](int64_t dimension, const Signature& region) {
    return Infer(OpKind::kSort, {F32({2, 3}), I32({2, 3})}, SortAttributes{dimension},
                 {.regions = {region}});
  };
  EXPECT_THAT(sort(-2, comparator), Gives("tensor<2x3xf32>, tensor<2x3xi32>"));
  EXPECT_THAT(sort(5, comparator), IsRefused("sort: dimension 5 is outside [-2, 2)"));
  EXPECT_THAT(sort(0, Signature{{F32(), F32()}, {I1()}}), IsRefused("the region must be"));
  EXPECT_THAT(sort(0, Signature{comparator.parameters, {F32()}}), IsRefused("the region must be"));
}

TEST(InferNestTest, UpdateMustFitIntoTheOperand) {
  EXPECT_THAT(Infer(OpKind::kDynamicUpdateSlice, {F32({4}), F32({2}), I32()}),
              Gives("tensor<4xf32>"));
  EXPECT_THAT(Infer(OpKind::kDynamicUpdateSlice, {F32({2}), F32({3}), I32()}),
              IsRefused("the update has size 3 at dimension 0, the operand only 2"));
  EXPECT_THAT(Infer(OpKind::kDynamicUpdateSlice, {F32({2}), F32({3, 1}), I32()}),
              IsRefused("does not fit"));
  EXPECT_THAT(Infer(OpKind::kDynamicUpdateSlice, {F32({2}), F32({2})}),
              IsRefused("0 start indices"));
}

}  // namespace
}  // namespace acceld::ir
