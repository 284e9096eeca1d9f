#include "client/tools/accelctl/argument.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::tools {
namespace {

ir::Literal Parse(absl::string_view text, uint32_t number = 0) {
  absl::StatusOr<ir::Literal> literal = ParseArgument(text, number);
  EXPECT_TRUE(literal.ok()) << literal.status();
  return literal.ok() ? *literal : ir::Literal();
}

TEST(ArgumentTest, IotaCountsInRowMajorOrder) {
  const ir::Literal literal = Parse("i32[2,3]=iota");
  EXPECT_EQ(literal.type().ToString(), "tensor<2x3xi32>");
  const std::string bytes = literal.DenseBytes();
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(ir::ReadInt(ir::DType::kI32, bytes.data(), i), i);
}

TEST(ArgumentTest, ValuesFillTheArray) {
  EXPECT_TRUE(Parse("f32[4]=-1.5") == ir::Literal::Filled({ir::DType::kF32, {4}}, -1.5));
  EXPECT_TRUE(Parse("ui8=200") == ir::Literal::Filled({ir::DType::kUI8, {}}, 200));
  EXPECT_TRUE(Parse("i1[2]=true") == ir::Literal::Filled({ir::DType::kI1, {2}}, 1));
  EXPECT_TRUE(Parse("bf16[]=zeros") == ir::Literal::Zeros({ir::DType::kBF16, {}}));
  EXPECT_TRUE(Parse("complex<f32>[2]=2") == ir::Literal::Filled({ir::DType::kC64, {2}}, 2));
}

TEST(ArgumentTest, LargeIntegersAreExact) {
  EXPECT_EQ(ir::ReadInt(ir::DType::kI64, Parse("i64=9007199254740993").bytes().data(), 0),
            9007199254740993);
}

TEST(ArgumentTest, RandomIsFixedByTheArgumentsNumber) {
  EXPECT_TRUE(Parse("f32[100]=random", 1) == Parse("f32[100]=random", 1));
  EXPECT_FALSE(Parse("f32[100]=random", 1) == Parse("f32[100]=random", 2));
  const std::string bytes = Parse("f32[1000]=random").DenseBytes();
  for (int64_t i = 0; i < 1000; ++i) {
    const double value = ir::ReadFloat(ir::DType::kF32, bytes.data(), i);
    EXPECT_TRUE(value >= -1 && value < 1) << value;
  }
}

TEST(ArgumentTest, ATypeAloneIsEnoughWhereNothingRuns) {
  EXPECT_EQ(ParseArgumentType("f32[2,3]")->ToString(), "tensor<2x3xf32>");
  EXPECT_EQ(ParseArgumentType("i64")->ToString(), "tensor<i64>");
  EXPECT_EQ(ParseArgumentType("f32[2]=random")->ToString(), "tensor<2xf32>");
  for (const char* text : {"", "f33[2]", "f32[2", "f32[2]=nonsense", "f32[2]="}) {
    EXPECT_EQ(ParseArgumentType(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(ArgumentTest, BadTextsAreRefusedWithTheForm) {
  for (absl::string_view text :
       {"", "x", "f32[2]", "f32[2]=", "f33[2]=zeros", "f32[2=zeros", "f32[-1]=zeros",
        "f32[a]=zeros", "f32[2]=nonsense", "f32[99999999999999,99999999999]=zeros",
        "f64[1000000,1000000]=zeros"}) {
    EXPECT_EQ(ParseArgument(text, 0).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(std::string(ParseArgument("f33[2]=zeros", 0).status().message()),
              ::testing::HasSubstr("'f33'"));
}

}  // namespace
}  // namespace acceld::tools
