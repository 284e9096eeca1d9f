#include "common/ir/types/float_formats.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<DType> NarrowFloats() {
  std::vector<DType> dtypes;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (IsFloat(dtype) && BitsOf(dtype) <= 16) dtypes.push_back(dtype);
  }
  return dtypes;
}

TEST(FloatFormatsTest, EveryCodeRoundTrips) {
  for (DType dtype : NarrowFloats()) {
    for (uint64_t bits = 0; bits < (uint64_t{1} << BitsOf(dtype)); ++bits) {
      const double value = DecodeFloat(dtype, bits);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(RoundToFormat(dtype, value))) << DTypeName(dtype) << " " << bits;
      } else {
        EXPECT_EQ(EncodeFloat(dtype, value), bits) << DTypeName(dtype) << " " << value;
      }
    }
  }
}

// Halfway between two neighbours goes to the even one, a little past it to the nearer.
TEST(FloatFormatsTest, TiesGoToEven) {
  for (DType dtype : NarrowFloats()) {
    if (dtype == DType::kF8E8M0FNU) continue;
    for (uint64_t bits = 0; bits + 1 < (uint64_t{1} << (BitsOf(dtype) - 1)); ++bits) {
      const double low = DecodeFloat(dtype, bits);
      const double high = DecodeFloat(dtype, bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double middle = (low + high) / 2;
      EXPECT_EQ(EncodeFloat(dtype, middle), bits + bits % 2) << DTypeName(dtype) << " " << middle;
      EXPECT_EQ(EncodeFloat(dtype, std::nextafter(middle, kInfinity)), bits + 1);
      EXPECT_EQ(EncodeFloat(dtype, std::nextafter(middle, 0)), bits);
    }
  }
}

// Expected bits from ml_dtypes 0.5 and NumPy.
TEST(FloatFormatsTest, AgreesWithTheFormatsOfMachineLearning) {
  const std::vector<double> values = {
      0.0,   -0.0,        1.0 / 3, -1.1,       464,
      465,   -1e9,        1e-9,    1.5 / 1024, 15.7,
      248.0, 0.75 / 1024, 61440.0, 114688.0,   std::ldexp(1.0, -17)};
  struct Case {
    DType dtype;
    std::vector<uint64_t> bits;
  };
  const Case cases[] = {
      {DType::kF8E3M4,
       {0x0, 0x80, 0x15, 0xB2, 0x70, 0x70, 0xF0, 0x0, 0x0, 0x6F, 0x70, 0x0, 0x70, 0x70, 0x0}},
      {DType::kF8E4M3,
       {0x0, 0x80, 0x2B, 0xB9, 0x78, 0x78, 0xF8, 0x0, 0x1, 0x58, 0x78, 0x0, 0x78, 0x78, 0x0}},
      {DType::kF8E4M3FN,
       {0x0, 0x80, 0x2B, 0xB9, 0x7E, 0x7F, 0xFF, 0x0, 0x1, 0x58, 0x78, 0x0, 0x7F, 0x7F, 0x0}},
      {DType::kF8E4M3FNUZ,
       {0x0, 0x0, 0x33, 0xC1, 0x80, 0x80, 0x80, 0x0, 0x2, 0x60, 0x80, 0x1, 0x80, 0x80, 0x0}},
      {DType::kF8E4M3B11FNUZ,
       {0x0, 0x0, 0x4B, 0xD9, 0x80, 0x80, 0x80, 0x0, 0xC, 0x78, 0x80, 0x6, 0x80, 0x80, 0x0}},
      {DType::kF8E5M2,
       {0x0, 0x80, 0x35, 0xBC, 0x5F, 0x5F, 0xFC, 0x0, 0x16, 0x4C, 0x5C, 0x12, 0x7C, 0x7C, 0x0}},
      {DType::kF8E5M2FNUZ,
       {0x0, 0x0, 0x39, 0xC0, 0x63, 0x63, 0x80, 0x0, 0x1A, 0x50, 0x60, 0x16, 0x80, 0x80, 0x1}},
      {DType::kF4E2M1FN,
       {0x0, 0x8, 0x1, 0xA, 0x7, 0x7, 0xF, 0x0, 0x0, 0x7, 0x7, 0x0, 0x7, 0x7, 0x0}},
      {DType::kF6E2M3FN,
       {0x0, 0x20, 0x3, 0x29, 0x1F, 0x1F, 0x3F, 0x0, 0x0, 0x1F, 0x1F, 0x0, 0x1F, 0x1F, 0x0}},
      {DType::kF6E3M2FN,
       {0x0, 0x20, 0x5, 0x2C, 0x1F, 0x1F, 0x3F, 0x0, 0x0, 0x1C, 0x1F, 0x0, 0x1F, 0x1F, 0x0}},
      {DType::kBF16,
       {0x0, 0x8000, 0x3EAB, 0xBF8D, 0x43E8, 0x43E8, 0xCE6E, 0x3089, 0x3AC0, 0x417B, 0x4378, 0x3A40,
        0x4770, 0x47E0, 0x3700}},
      {DType::kF16,
       {0x0, 0x8000, 0x3555, 0xBC66, 0x5F40, 0x5F44, 0xFC00, 0x0, 0x1600, 0x4BDA, 0x5BC0, 0x1200,
        0x7B80, 0x7C00, 0x80}},
  };
  for (const Case& c : cases) {
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(EncodeFloat(c.dtype, values[i]), c.bits[i])
          << DTypeName(c.dtype) << " " << values[i];
    }
  }
}

TEST(FloatFormatsTest, ExponentOnlyFormatHasNoZeroNoSignAndRoundsTiesUp) {
  const DType dtype = DType::kF8E8M0FNU;
  EXPECT_EQ(EncodeFloat(dtype, 0), 0xFFu);
  EXPECT_EQ(EncodeFloat(dtype, -1), 0xFFu);
  EXPECT_EQ(EncodeFloat(dtype, kInfinity), 0xFFu);
  EXPECT_EQ(EncodeFloat(dtype, 1.5), 128u);
  EXPECT_EQ(EncodeFloat(dtype, 3), 129u);
  EXPECT_EQ(EncodeFloat(dtype, 1.25), 127u);
  EXPECT_EQ(EncodeFloat(dtype, 1e-45), 0u);
  EXPECT_EQ(EncodeFloat(dtype, std::ldexp(1.5, 127)), 0xFFu);
}

TEST(FloatFormatsTest, FormatsOfFiniteValuesSaturateAndHaveNegativeZeroForNan) {
  for (DType dtype : {DType::kF4E2M1FN, DType::kF6E2M3FN, DType::kF6E3M2FN}) {
    const uint64_t sign = uint64_t{1} << (BitsOf(dtype) - 1);
    for (const double large : {1e9, kInfinity}) {
      EXPECT_EQ(EncodeFloat(dtype, large), sign - 1) << DTypeName(dtype);
      EXPECT_EQ(EncodeFloat(dtype, -large), sign | (sign - 1)) << DTypeName(dtype);
    }
    EXPECT_EQ(EncodeFloat(dtype, kNan), sign) << DTypeName(dtype);
    EXPECT_EQ(EncodeFloat(dtype, -kNan), sign) << DTypeName(dtype);
  }
  EXPECT_EQ(DecodeFloat(DType::kF4E2M1FN, 0x7), 6);
  EXPECT_EQ(DecodeFloat(DType::kF6E2M3FN, 0x1F), 7.5);
  EXPECT_EQ(DecodeFloat(DType::kF6E3M2FN, 0x1F), 28);
}

TEST(FloatFormatsTest, NansStayNansEverywhere) {
  for (DType dtype : NarrowFloats()) {
    if (!FormatOf(dtype).has_nan) continue;
    EXPECT_TRUE(std::isnan(RoundToFormat(dtype, kNan))) << DTypeName(dtype);
    EXPECT_TRUE(std::isnan(RoundToFormat(dtype, -kNan))) << DTypeName(dtype);
  }
}

}  // namespace
}  // namespace acceld::ir
