#include "common/ir/types/element.h"

#include <cstring>
#include <limits>

#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

TEST(ElementTest, IntegersWrapToTheirWidth) {
  char data[16] = {};
  WriteInt(DType::kI8, data, 3, 0x1FF);
  EXPECT_EQ(ReadInt(DType::kI8, data, 3), -1);
  WriteInt(DType::kI4, data, 0, 9);
  EXPECT_EQ(ReadInt(DType::kI4, data, 0), -7);
  EXPECT_EQ(static_cast<unsigned char>(data[0]), 0xF9);  // Sign-extended within the byte.
  WriteInt(DType::kUI4, data, 0, 0x1F);
  EXPECT_EQ(ReadInt(DType::kUI4, data, 0), 15);
  WriteInt(DType::kI1, data, 0, 2);
  EXPECT_EQ(ReadInt(DType::kI1, data, 0), 0);
  WriteInt(DType::kUI64, data, 1, -1);
  EXPECT_EQ(ReadInt(DType::kUI64, data, 1), -1);
  WriteInt(DType::kUI32, data, 1, -1);
  EXPECT_EQ(ReadInt(DType::kUI32, data, 1), 0xFFFFFFFF);
}

TEST(ElementTest, ComplexIsRealThenImaginary) {
  char data[32] = {};
  WriteComplex(DType::kC64, data, 1, {1.5, -2});
  EXPECT_EQ(ReadFloat(DType::kF32, data, 2), 1.5);
  EXPECT_EQ(ReadFloat(DType::kF32, data, 3), -2);
  EXPECT_EQ(ReadComplex(DType::kC64, data, 1), Complex(1.5, -2));
}

int64_t ConvertedToInt(DType dtype, double value) {
  char data[8] = {};
  StoreConverted(dtype, data, value);
  return ReadInt(dtype, data, 0);
}

TEST(ElementTest, ConversionToIntegersSaturates) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ConvertedToInt(DType::kI8, 1e9), 127);
  EXPECT_EQ(ConvertedToInt(DType::kI8, -1e9), -128);
  EXPECT_EQ(ConvertedToInt(DType::kI8, -1.9), -1);
  EXPECT_EQ(ConvertedToInt(DType::kUI8, -3), 0);
  EXPECT_EQ(ConvertedToInt(DType::kUI8, 300), 255);
  EXPECT_EQ(ConvertedToInt(DType::kI64, infinity), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ConvertedToInt(DType::kI64, -infinity), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ConvertedToInt(DType::kUI64, infinity), -1);
  EXPECT_EQ(ConvertedToInt(DType::kUI64, 9223372036854775808.0),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(ConvertedToInt(DType::kI32, std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(ConvertedToInt(DType::kI1, 0.5), 1);
}

}  // namespace
}  // namespace acceld::ir
