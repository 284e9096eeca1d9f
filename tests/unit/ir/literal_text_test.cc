#include "common/ir/types/literal_text.h"

#include <limits>

#include "common/ir/attributes/attribute.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

TEST(LiteralTextTest, PrintsNestedListsSplatsAndHex) {
  EXPECT_EQ(ToString(Literal::FromValues<int32_t>({DType::kI32, {2, 2}}, {1, -2, 3, 4})),
            "dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>");
  EXPECT_EQ(ToString(Literal::Filled({DType::kF32, {1000}}, 1.5)), "dense<1.5> : tensor<1000xf32>");
  EXPECT_EQ(ToString(Literal::Filled({DType::kI1, {}}, 1)), "dense<true> : tensor<i1>");
  EXPECT_EQ(ToString(Literal::Zeros({DType::kF32, {0}})), "dense<> : tensor<0xf32>");
  EXPECT_EQ(ToString(Literal::FromValues<float>({DType::kC64, {1}}, {1.0f, -0.5f})),
            "dense<(1.0,-0.5)> : tensor<1xcomplex<f32>>");
  std::vector<uint8_t> many(65);
  many[64] = 0xAB;
  EXPECT_EQ(ToString(Literal::FromValues<uint8_t>({DType::kUI8, {65}}, many)),
            "dense<\"0x" + std::string(128, '0') + "AB\"> : tensor<65xui8>");
}

TEST(LiteralTextTest, FloatsPrintShortestWithAPoint) {
  EXPECT_EQ(FloatToText(DType::kF32, 1), "1.0");
  EXPECT_EQ(FloatToText(DType::kF32, 0.1f), "0.1");
  EXPECT_EQ(FloatToText(DType::kF64, 0.1f), "0.10000000149011612");
  EXPECT_EQ(FloatToText(DType::kF32, 1e30f), "1.0e+30");
  EXPECT_EQ(FloatToText(DType::kF32, -0.0), "-0.0");
}

TEST(LiteralTextTest, NonFiniteFloatsPrintTheirBits) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(FloatToText(DType::kF32, infinity), "0x7F800000");
  EXPECT_EQ(FloatToText(DType::kBF16, -infinity), "0xFF80");
  EXPECT_EQ(FloatToText(DType::kF8E4M3FN, infinity), "0x7F");
  // A NaN in a literal keeps its payload.
  EXPECT_EQ(ToString(Literal::FromValues<uint32_t>({DType::kF32, {}}, {0x7FC00123u})),
            "dense<0x7FC00123> : tensor<f32>");
}

TEST(LiteralTextTest, QuotesWhatIsNotPrintable) {
  EXPECT_EQ(QuoteText("a\"b\\\n\xFF"), "\"a\\\"b\\\\\\0A\\FF\"");
}

TEST(AttributeTextTest, PrintsEveryForm) {
  EXPECT_EQ(ToString(Attribute{IntegerAttribute{5, DType::kI64}}), "5 : i64");
  EXPECT_EQ(ToString(Attribute{IntegerAttribute{1, DType::kI1}}), "true");
  EXPECT_EQ(ToString(Attribute{FloatAttribute{2, DType::kF32}}), "2.0 : f32");
  EXPECT_EQ(ToString(Attribute{SymbolAttribute{"<lambda>"}}), "@\"<lambda>\"");
  EXPECT_EQ(ToString(Attribute{DenseArrayAttribute{DType::kI1, {1, 0}}}), "array<i1: true, false>");
  EXPECT_EQ(ToString(Attribute{DenseArrayAttribute{DType::kI64, {}}}), "array<i64>");
  EXPECT_EQ(
      ToString(Attribute{DictionaryAttribute{
          {{"unit", {UnitAttribute{}}}, {"a b", {ArrayAttribute{{{StringAttribute{"x"}}}}}}}}}),
      "{\"a b\" = [\"x\"], unit}");
  EXPECT_EQ(ToString(Attribute{
                StructAttribute{"gather",
                                {{"index_vector_dim", {IntegerAttribute{1, DType::kI64}}},
                                 {"offset_dims", {DenseArrayAttribute{DType::kI64, {0, 1}}}}}}}),
            "#stablehlo.gather<index_vector_dim = 1, offset_dims = [0, 1]>");
}

}  // namespace
}  // namespace acceld::ir
