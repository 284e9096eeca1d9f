#include "common/ir/types/type.h"

#include "common/ir/verify/limits.h"
#include "gtest/gtest.h"
#include "tests/unit/status_matchers.h"

namespace acceld::ir {
namespace {

TEST(TypeTest, PrintsAsStableHloText) {
  EXPECT_EQ(Type(TensorType{DType::kC64, {2, kDynamicDim}}).ToString(), "tensor<2x?xcomplex<f32>>");
  EXPECT_EQ(Type::Tuple({TensorType{DType::kI1, {}}, Type::Token()}).ToString(),
            "tuple<tensor<i1>, !stablehlo.token>");
}

TEST(TypeTest, DynamicDimensionsAreCompatibleWithAnySize) {
  const TensorType dynamic{DType::kF32, {kDynamicDim, 3}};
  EXPECT_TRUE(IsCompatible(dynamic, TensorType{DType::kF32, {2, 3}}));
  EXPECT_TRUE(IsCompatible(TensorType{DType::kF32, {2, 3}}, dynamic));
  EXPECT_FALSE(IsCompatible(dynamic, TensorType{DType::kF32, {2, 4}}));
  EXPECT_FALSE(IsCompatible(dynamic, TensorType{DType::kF16, {2, 3}}));
  EXPECT_FALSE(IsCompatible(dynamic, TensorType{DType::kF32, {2, 3, 1}}));
  EXPECT_TRUE(IsCompatible(Type::Tuple({dynamic}), Type::Tuple({TensorType{DType::kF32, {9, 3}}})));
}

TEST(TypeTest, StridesAreRowMajor) {
  EXPECT_EQ(RowMajorStrides({2, 3, 4}), (Dims{12, 4, 1}));
  EXPECT_EQ(RowMajorStrides({}), Dims{});
}

TEST(TypeTest, SizesThatOverflowAreRefused) {
  const int64_t large = int64_t{1} << 40;
  EXPECT_THAT(ValidateType(TensorType{DType::kI8, {large, large}}), IsRefused("larger than"));
  EXPECT_THAT(ValidateType(TensorType{DType::kI8, {limits::kMaxTensorBytes}}), IsOk());
  EXPECT_THAT(ValidateType(TensorType{DType::kI16, {limits::kMaxTensorBytes}}),
              IsRefused("larger than"));
}

// Strides and partial products would overflow, although there is no element.
TEST(TypeTest, EmptyTensorsMayNotHideHugeDimensions) {
  const int64_t large = int64_t{1} << 40;
  EXPECT_THAT(ValidateType(TensorType{DType::kF32, {0, large, large}}), IsRefused("larger than"));
  EXPECT_THAT(ValidateType(TensorType{DType::kF32, {0, 7}}), IsOk());
}

TEST(TypeTest, NegativeSizesAndHighRanksAreRefused) {
  EXPECT_THAT(ValidateType(TensorType{DType::kF32, {-1}}), IsRefused("negative"));
  EXPECT_THAT(ValidateType(TensorType{DType::kF32, Dims(limits::kMaxRank + 1, 1)}),
              IsRefused("rank 33"));
}

TEST(TypeTest, DeepTuplesAreRefused) {
  Type type = Type::Token();
  for (int i = 0; i < limits::kMaxDepth; ++i) type = Type::Tuple({type});
  EXPECT_THAT(ValidateType(type), IsOk());
  EXPECT_THAT(ValidateType(Type::Tuple({type})), IsRefused("nested deeper"));
}

TEST(DTypeTest, NamesReadBack) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(ParseDType(DTypeName(dtype)), dtype);
    EXPECT_GE(StorageBytesOf(dtype) * 8, BitsOf(dtype)) << DTypeName(dtype);
  }
  EXPECT_EQ(ParseDType("complex<i32>"), absl::nullopt);
}

}  // namespace
}  // namespace acceld::ir
