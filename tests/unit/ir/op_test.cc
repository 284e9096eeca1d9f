#include "common/ir/op.h"

#include <set>
#include <string>

#include "common/ir/attributes/attribute_dictionary.h"
#include "common/ir/infer/infer.h"
#include "gtest/gtest.h"

namespace acceld::ir {
namespace {

TEST(OpTest, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (int i = 0; i < kNumOpKinds; ++i) {
    const auto kind = static_cast<OpKind>(i);
    EXPECT_TRUE(names.insert(std::string(NameOf(kind))).second) << NameOf(kind);
    EXPECT_EQ(FindOp(NameOf(kind)), kind);
  }
  EXPECT_EQ(FindOp("stablehlo.nonsense"), absl::nullopt);
  EXPECT_EQ(FindOp("add"), absl::nullopt);
}

// Every row of ops.def has consistent bounds, default attributes that survive the dictionary, and a
// rule that refuses senseless operands with a message that names the op.
TEST(OpTest, EveryOpHasItsHandlers) {
  for (int i = 0; i < kNumOpKinds; ++i) {
    const auto kind = static_cast<OpKind>(i);
    const OpInfo& info = InfoOf(kind);
    SCOPED_TRACE(std::string(info.name));
    EXPECT_TRUE(info.max_operands == kVariadic || info.min_operands <= info.max_operands);
    const absl::StatusOr<OpAttributes> attributes =
        FromDictionary(kind, ToDictionary(info.default_attributes));
    ASSERT_TRUE(attributes.ok()) << attributes.status();
    EXPECT_EQ(*attributes, info.default_attributes);

    const std::vector<Type> token(info.min_operands + 1, Type::Token());
    const absl::StatusOr<std::vector<Type>> types =
        InferResultTypes({.kind = kind, .attributes = info.default_attributes, .operands = token});
    if (types.ok()) {
      // Only these take anything and need no attribute.
      EXPECT_TRUE(kind == OpKind::kTuple || kind == OpKind::kOptimizationBarrier ||
                  kind == OpKind::kCall || kind == OpKind::kAfterAll ||
                  kind == OpKind::kCreateToken);
    } else {
      const std::string name(info.name.substr(info.name.find("stablehlo.") == 0 ? 10 : 0));
      EXPECT_EQ(std::string(types.status().message()).find(name + ": "), 0u) << types.status();
    }
  }
}

TEST(OpTest, AttributesOfAnotherOpAreRefused) {
  const Type type = TensorType{DType::kF32, {2}};
  const OpAttributes wrong = CompareAttributes{};
  EXPECT_EQ(InferResultTypes({.kind = OpKind::kAbs, .attributes = wrong, .operands = {&type, 1}})
                .status()
                .message(),
            "abs: the attributes are those of another op");
}

TEST(OpTest, EnumsHaveAKeywordForEachEnumerator) {
  EXPECT_STREQ(EnumKeywords(ComparisonDirection{})[static_cast<int>(ComparisonDirection::kLt)],
               "LT");
  EXPECT_EQ(EnumKeywords(ComparisonDirection{})[static_cast<int>(ComparisonDirection::kLt) + 1],
            nullptr);
  EXPECT_STREQ(EnumKeywords(ComparisonType{})[static_cast<int>(ComparisonType::kUnsigned)],
               "UNSIGNED");
  EXPECT_STREQ(EnumKeywords(Precision{})[static_cast<int>(Precision::kHighest)], "HIGHEST");
  EXPECT_STREQ(EnumKeywords(RngAlgorithm{})[static_cast<int>(RngAlgorithm::kPhilox)], "PHILOX");
  EXPECT_STREQ(EnumKeywords(FftType{})[static_cast<int>(FftType::kIrfft)], "IRFFT");
  EXPECT_STREQ(EnumKeywords(Transpose{})[static_cast<int>(Transpose::kAdjoint)], "ADJOINT");
  EXPECT_STREQ(EnumKeywords(FusionKind{})[static_cast<int>(FusionKind::kReduction)], "reduction");
  EXPECT_STREQ(EnumKeywords(FusionKind{})[static_cast<int>(FusionKind::kMatmul)], "matmul");
  EXPECT_STREQ(EnumKeywords(FusionKind{})[static_cast<int>(FusionKind::kAttention)], "attention");
}

}  // namespace
}  // namespace acceld::ir
