#include "gtest/gtest.h"
#include "tests/unit/ir/infer/infer_helper.h"

namespace acceld::ir {
namespace {

DotGeneralAttributes Contract(std::vector<int64_t> lhs, std::vector<int64_t> rhs) {
  DotGeneralAttributes attributes;
  attributes.dot_dimension_numbers.lhs_contracting_dimensions = std::move(lhs);
  attributes.dot_dimension_numbers.rhs_contracting_dimensions = std::move(rhs);
  return attributes;
}

TEST(InferContractionTest, ResultIsBatchThenLhsThenRhs) {
  DotGeneralAttributes attributes = Contract({2}, {1});
  attributes.dot_dimension_numbers.lhs_batching_dimensions = {0};
  attributes.dot_dimension_numbers.rhs_batching_dimensions = {2};
  EXPECT_THAT(Infer(OpKind::kDotGeneral, {F32({7, 2, 3}), F32({5, 3, 7})}, attributes),
              Gives("tensor<7x2x5xf32>"));
}

TEST(InferContractionTest, PairedDimensionsMustBeEqual) {
  EXPECT_THAT(Infer(OpKind::kDotGeneral, {F32({2, 3}), F32({4, 5})}, Contract({1}, {1})),
              IsRefused("dot_general: lhs contracts 3 and rhs contracts 5 at dimension 1"));
  EXPECT_THAT(Infer(OpKind::kDotGeneral, {F32({2, 3}), F32({3})}, Contract({1}, {})),
              IsRefused("lhs contracts 1 dimensions and rhs 0"));
  EXPECT_THAT(Infer(OpKind::kDotGeneral, {F32({2, 2}), F32({2, 2})}, Contract({0, 0}, {0, 1})),
              IsRefused("has 0 twice"));
  EXPECT_THAT(Infer(OpKind::kDotGeneral, {F32({2}), F32({2})}, Contract({1}, {0})),
              IsRefused("has 1, outside [0, 1)"));
}

TEST(InferContractionTest, DeclaredTypeGivesTheAccumulator) {
  const Type bf16 = T(DType::kBF16, {2, 2});
  EXPECT_THAT(
      Infer(OpKind::kDotGeneral, {bf16, bf16}, Contract({1}, {0}), {.declared = {F32({2, 2})}}),
      Gives("tensor<2x2xf32>"));
  EXPECT_THAT(Infer(OpKind::kDotGeneral, {bf16, bf16}, Contract({1}, {0})),
              Gives("tensor<2x2xbf16>"));
  EXPECT_THAT(Infer(OpKind::kDotGeneral, {bf16, F32({2, 2})}, Contract({1}, {0})),
              IsRefused("need a declared result type"));
}

TEST(InferContractionTest, AnyElementTypesAddUpToAny) {
  constexpr DType kTypes[] = {DType::kI1,  DType::kI4,  DType::kI8,  DType::kUI8, DType::kI32,
                              DType::kF16, DType::kF32, DType::kF64, DType::kC64};
  for (const DType operand : kTypes) {
    for (const DType result : kTypes) {
      EXPECT_THAT(Infer(OpKind::kDotGeneral, {T(operand, {2, 3}), T(operand, {3, 2})},
                        Contract({1}, {0}), {.declared = {T(result, {2, 2})}}),
                  Gives(absl::StrCat("tensor<2x2x", DTypeName(result), ">")));
    }
  }
}

TEST(InferContractionTest, PrecisionsComeInPairs) {
  DotGeneralAttributes attributes = Contract({0}, {0});
  attributes.precision_config = {Precision::kHighest};
  EXPECT_THAT(Infer(OpKind::kDotGeneral, {F32({2}), F32({2})}, attributes),
              IsRefused("precision_config has 1 values where 2"));
}

}  // namespace
}  // namespace acceld::ir
