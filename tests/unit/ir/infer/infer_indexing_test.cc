#include <limits>

#include "gtest/gtest.h"
#include "tests/unit/ir/infer/infer_helper.h"

namespace acceld::ir {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

TEST(InferIndexingTest, BroadcastMapsEachOperandDimension) {
  const auto broadcast = [](Dims from, std::vector<int64_t> dims, Dims to) {
    return Infer(OpKind::kBroadcastInDim, {F32(std::move(from))},
                 BroadcastInDimAttributes{std::move(dims)}, {.declared = {F32(std::move(to))}});
  };
  EXPECT_THAT(broadcast({3}, {1}, {2, 3}), Gives("tensor<2x3xf32>"));
  EXPECT_THAT(broadcast({1, 2}, {1, 0}, {2, 3}), Gives("tensor<2x3xf32>"));
  EXPECT_THAT(
      broadcast({2}, {0}, {4}),
      IsRefused("operand dimension 0 of size 2 does not broadcast to dimension 0 of size 4"));
  EXPECT_THAT(broadcast({2, 2}, {0, 0}, {2, 2}), IsRefused("has 0 twice"));
  EXPECT_THAT(broadcast({2}, {2}, {2, 2}), IsRefused("has 2, outside [0, 2)"));
  EXPECT_THAT(broadcast({2}, {}, {2}), IsRefused("0 values where 1"));
  EXPECT_THAT(broadcast({}, {}, {int64_t{1} << 40, int64_t{1} << 40}), IsRefused("larger than"));
}

TEST(InferIndexingTest, BitcastConvertTradesTheLastDimension) {
  const auto bitcast = [](Type from, Type to) {
    return Infer(OpKind::kBitcastConvert, {from}, NoAttributes{}, {.declared = {to}});
  };
  EXPECT_THAT(bitcast(F32({2}), I32({2})), Gives("tensor<2xi32>"));
  EXPECT_THAT(bitcast(F32({2}), T(DType::kUI8, {2, 4})), Gives("tensor<2x4xui8>"));
  EXPECT_THAT(bitcast(T(DType::kBF16, {3, 2}), I32({3})), Gives("tensor<3xi32>"));
  EXPECT_THAT(bitcast(T(DType::kBF16, {3, 3}), I32({3})), IsRefused("must be 2"));
  EXPECT_THAT(bitcast(T(DType::kBF16), I32()), IsRefused("last dimension"));
  EXPECT_THAT(bitcast(F32({2}), I32({3})), IsRefused("gives shape [2]"));
  EXPECT_THAT(bitcast(T(DType::kC64, {2}), T(DType::kF64, {2})), IsRefused("real and complex"));
}

TEST(InferIndexingTest, ConcatenateAddsSizes) {
  const auto concatenate = [](std::vector<Type> operands, int64_t dimension) {
    return Infer(OpKind::kConcatenate, operands, DimensionAttributes{dimension});
  };
  EXPECT_THAT(concatenate({F32({2, 3}), F32({2, 0}), F32({2, 4})}, 1), Gives("tensor<2x7xf32>"));
  EXPECT_THAT(concatenate({F32({2, 3}), F32({2, kDynamicDim})}, 1), Gives("tensor<2x?xf32>"));
  EXPECT_THAT(concatenate({F32({2, 3}), F32({3, 3})}, 1), IsRefused("differ outside dimension 1"));
  EXPECT_THAT(concatenate({F32({2}), I32({2})}, 0), IsRefused("do not fit"));
  EXPECT_THAT(concatenate({F32({2})}, 1), IsRefused("dimension 1 is outside [0, 1)"));
  EXPECT_THAT(concatenate({}, 0), IsRefused("0 operands where 1 or more"));
}

TEST(InferIndexingTest, SliceCountsSteps) {
  const auto slice = [](int64_t start, int64_t limit, int64_t stride) {
    return Infer(OpKind::kSlice, {F32({10})}, SliceAttributes{{start}, {limit}, {stride}});
  };
  EXPECT_THAT(slice(1, 8, 3), Gives("tensor<3xf32>"));
  EXPECT_THAT(slice(4, 4, 1), Gives("tensor<0xf32>"));
  EXPECT_THAT(slice(0, 10, kHuge), Gives("tensor<1xf32>"));
  EXPECT_THAT(slice(0, 11, 1), IsRefused("slice: [0:11] at dimension 0 of size 10"));
  EXPECT_THAT(slice(3, 2, 1), IsRefused("[3:2]"));
  EXPECT_THAT(slice(0, 2, 0), IsRefused("stride 0"));
  EXPECT_THAT(Infer(OpKind::kSlice, {F32({10})}, SliceAttributes{{0}, {1}, {}}),
              IsRefused("strides has 0 values"));
}

TEST(InferIndexingTest, DynamicSliceNeedsOneIndexPerDimension) {
  const DynamicSliceAttributes sizes{{1, 2}};
  EXPECT_THAT(Infer(OpKind::kDynamicSlice, {F32({3, 3}), I32(), I32()}, sizes),
              Gives("tensor<1x2xf32>"));
  EXPECT_THAT(Infer(OpKind::kDynamicSlice, {F32({3, 3}), I32()}, sizes),
              IsRefused("1 start indices for an operand of rank 2"));
  EXPECT_THAT(Infer(OpKind::kDynamicSlice, {F32({3, 3}), I32(), F32()}, sizes),
              IsRefused("start index 1 must be a scalar integer"));
  EXPECT_THAT(Infer(OpKind::kDynamicSlice, {F32({3, 3}), I32(), T(DType::kI64)}, sizes),
              IsRefused("differ in type"));
  EXPECT_THAT(Infer(OpKind::kDynamicSlice, {F32({3, 1}), I32(), I32()}, sizes),
              IsRefused("slice size 2 at dimension 1 of size 1"));
}

TEST(InferIndexingTest, PadAddsEdgesAndInterior) {
  const auto pad = [](int64_t size, int64_t low, int64_t high, int64_t interior) {
    return Infer(OpKind::kPad, {F32({size}), F32()}, PadAttributes{{low}, {high}, {interior}});
  };
  EXPECT_THAT(pad(3, 1, 2, 1), Gives("tensor<8xf32>"));
  EXPECT_THAT(pad(3, -1, -1, 0), Gives("tensor<1xf32>"));
  EXPECT_THAT(pad(0, 1, 1, 5), Gives("tensor<2xf32>"));
  EXPECT_THAT(pad(3, -2, -2, 0), IsRefused("would get size -1"));
  EXPECT_THAT(pad(3, 0, 0, -1), IsRefused("interior padding -1"));
  EXPECT_THAT(pad(3, kHuge, kHuge, 0), IsRefused("above the limit"));
  EXPECT_THAT(pad(3, 0, 0, kHuge), IsRefused("above the limit"));
  EXPECT_THAT(pad(3, std::numeric_limits<int64_t>::min(), 0, 0), IsRefused("above the limit"));
  EXPECT_THAT(Infer(OpKind::kPad, {F32({1}), I32()}, PadAttributes{{0}, {0}, {0}}),
              IsRefused("padding value must be tensor<f32>"));
}

TEST(InferIndexingTest, ReshapeKeepsTheElementCount) {
  EXPECT_THAT(Infer(OpKind::kReshape, {F32({2, 3})}, NoAttributes{}, {.declared = {F32({6})}}),
              Gives("tensor<6xf32>"));
  EXPECT_THAT(Infer(OpKind::kReshape, {F32({2, 3})}, NoAttributes{}, {.declared = {F32({5})}}),
              IsRefused("has 6 elements"));
}

TEST(InferIndexingTest, IotaNeedsADimensionOfANumericResult) {
  const auto iota = [](Type type, int64_t dimension) {
    return Infer(OpKind::kIota, {}, IotaAttributes{dimension}, {.declared = {type}});
  };
  EXPECT_THAT(iota(I32({2, 3}), 1), Gives("tensor<2x3xi32>"));
  EXPECT_THAT(iota(I32({2, 3}), 2), IsRefused("iota_dimension 2 is outside [0, 2)"));
  EXPECT_THAT(iota(I1({2}), 0), IsRefused("numeric"));
}

TEST(InferIndexingTest, TransposeAndReverseCheckDimensions) {
  EXPECT_THAT(Infer(OpKind::kTranspose, {F32({2, 3, 4})}, TransposeAttributes{{2, 0, 1}}),
              Gives("tensor<4x2x3xf32>"));
  EXPECT_THAT(Infer(OpKind::kTranspose, {F32({2, 3})}, TransposeAttributes{{0, 0}}),
              IsRefused("permutation has 0 twice"));
  EXPECT_THAT(Infer(OpKind::kReverse, {F32({2, 3})}, DimensionsAttributes{{1}}),
              Gives("tensor<2x3xf32>"));
  EXPECT_THAT(Infer(OpKind::kReverse, {F32({2, 3})}, DimensionsAttributes{{-1}}),
              IsRefused("has -1, outside [0, 2)"));
}

}  // namespace
}  // namespace acceld::ir
