#include "client/pjrt/compile/donated_arguments.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ir::TensorType kRow{ir::DType::kF32, {4}}, kColumn{ir::DType::kI32, {4, 1}},
    kMatrix{ir::DType::kF32, {4, 4}};

TEST(DonatedArguments, AreThoseThatAResultNames) {
  EXPECT_THAT(DonatedArguments({{{.parameter = 1, .result = 0}}}, {{kRow, kRow}}, {{kRow}}),
              ElementsAre(1));
}

TEST(DonatedArguments, AreThoseOfTheSizeOfAResult) {
  EXPECT_THAT(DonatedArguments({{{.parameter = 0}}}, {{kRow}}, {{kRow}}), ElementsAre(0));
  EXPECT_THAT(DonatedArguments({{{.parameter = 0}}}, {{kRow}}, {{kColumn}}), ElementsAre(0));
  EXPECT_THAT(DonatedArguments({{{.parameter = 0}}}, {{kRow}}, {{kMatrix}}), IsEmpty());
  EXPECT_THAT(DonatedArguments({{{.parameter = 0}}}, {{kRow}}, {}), IsEmpty());
}

TEST(DonatedArguments, ShareNoResult) {
  EXPECT_THAT(
      DonatedArguments({{{.parameter = 0}, {.parameter = 2}}}, {{kRow, kMatrix, kRow}}, {{kRow}}),
      ElementsAre(0));
  EXPECT_THAT(DonatedArguments({{{.parameter = 0}, {.parameter = 1, .result = 0}}}, {{kRow, kRow}},
                               {{kRow, kMatrix}}),
              ElementsAre(1));
}

}  // namespace
}  // namespace acceld::pjrt
