#include "tests/unit/ir/infer/infer_helper.h"

namespace acceld::ir {
namespace {

absl::StatusOr<std::string> Einsum(const std::string& config, const std::vector<Type>& operands) {
  return Infer(operands.size() == 1 ? OpKind::kUnaryEinsum : OpKind::kEinsum, operands,
               EinsumAttributes{config});
}

TEST(InferEinsumTest, LabelsOfTheResultNameItsDimensions) {
  EXPECT_THAT(Einsum("ab,bc->ca", {F32({2, 3}), F32({3, 4})}), Gives("tensor<4x2xf32>"));
  EXPECT_THAT(Einsum("ab,ab->", {I32({2, 3}), I32({2, 3})}), Gives("tensor<i32>"));
  EXPECT_THAT(Einsum("aa->a", {F32({3, 3})}), Gives("tensor<3xf32>"));
  EXPECT_THAT(Einsum("Ab,bA->bA", {F32({2, kDynamicDim}), F32({5, kDynamicDim})}),
              Gives("tensor<5x2xf32>"));
}

TEST(InferEinsumTest, AnEllipsisStandsForWhatTheLettersLeave) {
  EXPECT_THAT(Einsum("...ab,...bc->...ac", {F32({5, 2, 3}), F32({7, 5, 3, 4})}),
              Gives("tensor<7x5x2x4xf32>"));
  EXPECT_THAT(Einsum("a...->...a", {F32({2, 3, 4})}), Gives("tensor<3x4x2xf32>"));
  EXPECT_THAT(Einsum("a...->...a", {F32({2})}), Gives("tensor<2xf32>"));
  EXPECT_THAT(Einsum("a...->a", {F32({2, 3})}), IsRefused("must have the '...'"));
}

TEST(InferEinsumTest, AnEquationThatDoesNotFitIsRefusedWithItsText) {
  EXPECT_THAT(Einsum("ab,bc", {F32({2, 3}), F32({3, 4})}),
              IsRefused("einsum_config \"ab,bc\": expected one '->'"));
  EXPECT_THAT(Einsum("ab->a", {F32({2, 3}), F32({3})}), IsRefused("for 1 operands, not 2"));
  EXPECT_THAT(Einsum("ab,b->a", {F32({2}), F32({3})}),
              IsRefused("'ab' does not label the 1 dimensions of operand 0"));
  EXPECT_THAT(Einsum("a,b->c", {F32({2}), F32({3})}), IsRefused("dimension 0 of the result"));
  EXPECT_THAT(Einsum("ab->aa", {F32({2, 3})}), IsRefused("dimension 1 of the result"));
  EXPECT_THAT(Einsum("a+->a", {F32({2, 3})}), IsRefused("'+' is no label"));
  EXPECT_THAT(Einsum("ab,b->a", {F32({2, 3}), F32({4})}),
              IsRefused("dimension 0 of operand 1 has size 4 and another one of its label 3"));
  EXPECT_THAT(Einsum("a,a->a", {F32({2}), I32({2})}),
              IsRefused("operands of tensor<2xf32> and tensor<2xi32>"));
}

TEST(InferEinsumTest, SelectedSlicesTakeTheShapeOfTheIndex) {
  const auto select = [](const std::vector<Type>& operands, int64_t dim, int64_t batch_dims) {
    return Infer(OpKind::kTorchIndexSelect, operands, TorchIndexSelectAttributes{dim, batch_dims});
  };
  EXPECT_THAT(select({F32({8, 5, 7}), I32({4, 2})}, 1, 0), Gives("tensor<8x4x2x7xf32>"));
  EXPECT_THAT(select({F32({8, 5, 7}), I32({8, 2})}, 1, 1), Gives("tensor<8x2x7xf32>"));
  EXPECT_THAT(select({F32({8, 5}), I32()}, 0, 0), Gives("tensor<5xf32>"));
  EXPECT_THAT(select({F32({8, 5}), I32({2})}, 2, 0), IsRefused("dim 2 is outside [0, 2)"));
  EXPECT_THAT(select({F32({8, 5}), I32({2})}, 0, 1), IsRefused("batch_dims 1 is outside [0, 0]"));
  EXPECT_THAT(select({F32({8, 5}), I32({2})}, 1, 1),
              IsRefused("size 8 in the operand and 2 in the index"));
  EXPECT_THAT(select({F32({0}), I32({2})}, 0, 0), IsRefused("has nothing to select"));
  EXPECT_THAT(select({F32({8}), F32({2})}, 0, 0), IsRefused("indices of tensor<2xf32>"));
}

}  // namespace
}  // namespace acceld::ir
