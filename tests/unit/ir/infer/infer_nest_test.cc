#include <limits>

#include "gtest/gtest.h"
#include "tests/unit/ir/infer/infer_helper.h"

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

TEST(InferNestTest, PartsOfSortsAreOfRows) {
  const Signature comparator{{F32(), F32()}, {I1()}};
  const auto runs = [&](Dims dims, const SortRunsAttributes& attributes) {
    return Infer(OpKind::kSortRuns, {F32(std::move(dims))}, attributes, {.regions = {comparator}});
  };
  EXPECT_THAT(runs({2, 20}, {8, 2, 3}), Gives("tensor<2x9xf32>"));
  EXPECT_THAT(runs({2, 18}, {8, 2, 3}), Gives("tensor<2x8xf32>"));
  EXPECT_THAT(runs({20}, {8, 2, 3}), IsRefused("is not rows"));
  EXPECT_THAT(runs({2, 20}, {6, 2, 3}), IsRefused("run 6 is no power of two"));
  EXPECT_THAT(runs({2, 20}, {8, 16, 3}), IsRefused("piece 16 is no power of two in [1, 8]"));
  EXPECT_THAT(runs({2, 20}, {8, 2, 9}), IsRefused("keep 9 is outside [1, 8]"));
  const auto merge = [&](int64_t piece) {
    return Infer(OpKind::kMergeRuns, {F32({2, 20})}, MergeRunsAttributes{8, piece},
                 {.regions = {comparator}});
  };
  EXPECT_THAT(merge(16), Gives("tensor<2x20xf32>"));
  EXPECT_THAT(merge(32), IsRefused("piece 32"));
  const auto digits = [](const Type& keys, const Type& values, int64_t tile) {
    return Infer(OpKind::kDigitSort, {keys, values}, DigitSortAttributes{tile});
  };
  const TensorType keys{DType::kUI16, {2, 5000}}, values{DType::kUI32, {2, 5000}};
  EXPECT_THAT(digits(keys, values, 4096),
              Gives("tensor<2x5000xui16>, tensor<2x5000xui32>, tensor<2x256x3xui32>"));
  EXPECT_THAT(digits(keys, values, 4000), IsRefused("tile 4000 is no multiple of 4096"));
  EXPECT_THAT(digits(F32({2, 5000}), values, 4096), IsRefused("are not unsigned integers"));
  EXPECT_THAT(digits(keys, keys, 4096), IsRefused("the values are tensor<2x5000xui16>"));
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
