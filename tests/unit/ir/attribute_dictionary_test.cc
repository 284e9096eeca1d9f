#include "common/ir/attributes/attribute_dictionary.h"

#include "gtest/gtest.h"
#include "tests/unit/status_matchers.h"

namespace acceld::ir {
namespace {

Attribute Int(int64_t value, DType dtype = DType::kI64) { return {IntegerAttribute{value, dtype}}; }
Attribute Ints(std::vector<int64_t> values) {
  return {DenseArrayAttribute{DType::kI64, std::move(values)}};
}

TEST(AttributeDictionaryTest, FieldsAtTheirDefaultsAreLeftOut) {
  EXPECT_TRUE(ToDictionary(CompareAttributes{}).empty());
  EXPECT_EQ(ToDictionary(CompareAttributes{.comparison_direction = ComparisonDirection::kLt}),
            (AttributeDictionary{{"comparison_direction", {EnumAttribute{"LT"}}}}));
}

TEST(AttributeDictionaryTest, EveryStructRoundTrips) {
  GatherAttributes gather{.slice_sizes = {1, 2}, .indices_are_sorted = true};
  gather.dimension_numbers.offset_dims = {0};
  gather.dimension_numbers.index_vector_dim = 1;
  DotGeneralAttributes dot{.precision_config = {Precision::kHigh, Precision::kDefault},
                           .algorithm = DotAlgorithm{.lhs_precision_type = {.is_tf32 = true},
                                                     .accumulation_type = {DType::kF64}}};
  dot.dot_dimension_numbers.lhs_contracting_dimensions = {1};
  WindowAttributes window{.window_dimensions = {2, 2}};
  window.padding.pairs = {{0, 1}, {-2, 3}};
  const std::pair<OpKind, OpAttributes> cases[] = {
      {OpKind::kGather, gather},
      {OpKind::kDotGeneral, dot},
      {OpKind::kReduceWindow, window},
      {OpKind::kConstant, ConstantAttributes{Literal::Filled({DType::kF16, {4}}, 2)}},
      {OpKind::kCall, CallAttributes{{"callee"}}},
      {OpKind::kComposite, CompositeAttributes{"n", {{"k", Int(3)}}, {"impl"}, 2}},
      {OpKind::kCustomCall, CustomCallAttributes{"target", true, {StringAttribute{"cfg"}}, 2}},
      {OpKind::kFusion, FusionAttributes{FusionKind::kReduction}},
  };
  for (const auto& [kind, attributes] : cases) {
    EXPECT_EQ(*FromDictionary(kind, ToDictionary(attributes)), attributes) << NameOf(kind);
  }
}

TEST(AttributeDictionaryTest, IntegerListsHaveManySpellings) {
  const OpAttributes expected = TransposeAttributes{{1, 0}};
  const Attribute spellings[] = {
      Ints({1, 0}),
      {ArrayAttribute{{Int(1), Int(0)}}},
      {Literal::FromValues<int64_t>({DType::kI64, {2}}, {1, 0})},
      {Literal::FromValues<int32_t>({DType::kI32, {2}}, {1, 0})},
  };
  for (const Attribute& spelling : spellings) {
    const auto read = FromDictionary(OpKind::kTranspose, {{"permutation", spelling}});
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(*read, expected) << ToString(spelling);
  }
}

TEST(AttributeDictionaryTest, BooleansAndEnumsHaveManySpellings) {
  for (const Attribute& yes :
       {Int(1, DType::kI1), Int(-1, DType::kI1), Attribute{UnitAttribute{}}}) {
    EXPECT_EQ(*FromDictionary(OpKind::kSort, {{"is_stable", yes}}),
              OpAttributes(SortAttributes{.is_stable = true}));
  }
  EXPECT_EQ(*FromDictionary(OpKind::kCompare, {{"comparison_direction", {StringAttribute{"GE"}}}}),
            OpAttributes(CompareAttributes{ComparisonDirection::kGe}));
}

TEST(AttributeDictionaryTest, FloatsAreRoundedToTheirType) {
  for (const DType spelled : {DType::kF32, DType::kF64}) {
    const auto read =
        FromDictionary(OpKind::kBatchNormTraining, {{"epsilon", {FloatAttribute{0.1, spelled}}}});
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(*read, OpAttributes(BatchNormAttributes{.epsilon = 0.1f}));
  }
}

TEST(AttributeDictionaryTest, PaddingReadsAsLiteralOrSplat) {
  WindowAttributes expected;
  expected.padding.pairs = {{1, 1}, {1, 1}};
  EXPECT_EQ(*FromDictionary(OpKind::kReduceWindow,
                            {{"padding", {Literal::Filled({DType::kI64, {2, 2}}, 1)}}}),
            OpAttributes(expected));
}

// A splat of any size is a few bytes on the wire.
TEST(AttributeDictionaryTest, HugeSplatIsNotExpandedIntoAList) {
  EXPECT_THAT(FromDictionary(OpKind::kTranspose,
                             {{"permutation", {Literal::Zeros({DType::kI8, {int64_t{1} << 46}})}}}),
              IsRefused("attribute 'permutation': expected a list of integers"));
}

TEST(AttributeDictionaryTest, AlgorithmTypesReadAsKeywordsStringsAndTypes) {
  const Attribute f64[] = {
      {EnumAttribute{"f64"}}, {StringAttribute{"f64"}}, {Type(TensorType{DType::kF64, {}})}};
  for (const Attribute& type : f64) {
    const Attribute algorithm = {StructAttribute{
        "dot_algorithm",
        {{"accumulation_type", type}, {"lhs_precision_type", {EnumAttribute{"tf32"}}}}}};
    EXPECT_EQ(*FromDictionary(OpKind::kDotGeneral, {{"algorithm", algorithm}}),
              OpAttributes(DotGeneralAttributes{
                  .algorithm = DotAlgorithm{.lhs_precision_type = {.is_tf32 = true},
                                            .accumulation_type = {DType::kF64}}}));
  }
}

TEST(AttributeDictionaryTest, ErrorsNameOpAndField) {
  EXPECT_THAT(FromDictionary(OpKind::kSlice, {{"strides", {StringAttribute{"x"}}}}),
              IsRefused("stablehlo.slice: attribute 'strides': expected a list of integers, "
                        "found \"x\""));
  EXPECT_THAT(FromDictionary(OpKind::kCompare, {{"comparison_direction", {EnumAttribute{"ZZ"}}}}),
              IsRefused("expected one of EQ, NE, GE, GT, LE, LT, found ZZ"));
  EXPECT_THAT(FromDictionary(OpKind::kGather, {{"dimension_numbers", Int(1)}}),
              IsRefused("expected #stablehlo.gather<...>"));
}

TEST(AttributeDictionaryTest, UnknownNamesAreErrorsUnlessTheyAreHints) {
  EXPECT_THAT(FromDictionary(OpKind::kAdd, {{"axis", Int(1)}}),
              IsRefused("stablehlo.add: unknown attribute 'axis'"));
  EXPECT_THAT(FromDictionary(OpKind::kAdd, {{"mhlo.sharding", {StringAttribute{"{}"}}}}), IsOk());
  EXPECT_THAT(FromDictionary(OpKind::kExponential, {{"result_accuracy", Int(1)}}), IsOk());
}

}  // namespace
}  // namespace acceld::ir
