#include "common/ir/types/literal.h"

#include "gtest/gtest.h"
#include "tests/unit/status_matchers.h"

namespace acceld::ir {
namespace {

const TensorType kI32x3{DType::kI32, {3}};

TEST(LiteralTest, HoldsExactlyItsBytesOrOneElement) {
  EXPECT_THAT(Literal::FromBytes(kI32x3, std::string(12, '\0')), IsOk());
  EXPECT_THAT(Literal::FromBytes(kI32x3, std::string(4, '\0')), IsOk());
  EXPECT_THAT(Literal::FromBytes(kI32x3, std::string(8, '\0')), IsRefused("needs 12 bytes"));
  EXPECT_THAT(Literal::FromBytes(kI32x3, ""), IsRefused("has 0"));
}

TEST(LiteralTest, SplatKeepsOneElementAndReadsAsAll) {
  const Literal splat = Literal::Filled(kI32x3, 7);
  EXPECT_TRUE(splat.is_splat());
  EXPECT_EQ(splat.bytes().size(), 4u);
  EXPECT_EQ(splat, Literal::FromValues<int32_t>(kI32x3, {7, 7, 7}));
  EXPECT_EQ(Literal::FromValues<int32_t>(kI32x3, {7, 7, 7}), splat);
  EXPECT_NE(splat, Literal::FromValues<int32_t>(kI32x3, {7, 7, 8}));
  EXPECT_EQ(splat.DenseBytes(), Literal::FromValues<int32_t>(kI32x3, {7, 7, 7}).bytes());
}

TEST(LiteralTest, HugeSplatsTakeNoMemory) {
  const TensorType huge{DType::kF64, {int64_t{1} << 40}};
  EXPECT_EQ(Literal::Zeros(huge).bytes().size(), 8u);
}

TEST(LiteralTest, EmptyTensorsHaveNoBytes) {
  const TensorType empty{DType::kI32, {0, 3}};
  EXPECT_EQ(Literal::Filled(empty, 1), *Literal::FromBytes(empty, ""));
  EXPECT_TRUE(Literal::Filled(empty, 1).DenseBytes().empty());
  EXPECT_FALSE(Literal::Filled(empty, 1).is_splat());
}

TEST(LiteralTest, NarrowElementsMustBeInRange) {
  EXPECT_THAT(Literal::FromBytes({DType::kI1, {2}}, std::string("\0\1", 2)), IsOk());
  EXPECT_THAT(Literal::FromBytes({DType::kI1, {2}}, std::string("\0\2", 2)),
              IsRefused("element 1"));
  EXPECT_THAT(Literal::FromBytes({DType::kI4, {1}}, "\xF8"), IsOk());
  EXPECT_THAT(Literal::FromBytes({DType::kI4, {1}}, "\x08"), IsRefused("no i4"));
  EXPECT_THAT(Literal::FromBytes({DType::kUI4, {1}}, "\x0F"), IsOk());
  EXPECT_THAT(Literal::FromBytes({DType::kUI4, {1}}, "\xFF"), IsRefused("no ui4"));
}

TEST(LiteralTest, TypesAreChecked) {
  EXPECT_THAT(Literal::FromBytes({DType::kI8, {kDynamicDim}}, "a"), IsRefused("static"));
  EXPECT_THAT(Literal::FromBytes({DType::kI8, {-1}}, ""), IsRefused("negative"));
}

TEST(LiteralTest, BytesAreMovedNotCopied) {
  std::string bytes(1 << 20, 'x');
  const char* data = bytes.data();
  const Literal literal = *Literal::FromBytes({DType::kUI8, {1 << 20}}, std::move(bytes));
  EXPECT_EQ(literal.bytes().data(), data);
  const Literal copy = literal;  // Shares them.
  EXPECT_EQ(copy.bytes().data(), data);
}

}  // namespace
}  // namespace acceld::ir
