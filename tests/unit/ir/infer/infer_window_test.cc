#include <limits>

#include "gtest/gtest.h"
#include "tests/unit/ir/infer/infer_helper.h"

namespace acceld::ir {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// Batch and feature first, the kernel's features last and swapped: b f 0 1, 0 1 i o, b f 0 1.
ConvolutionAttributes Conv2d() {
  ConvolutionAttributes conv;
  conv.dimension_numbers = {.input_batch_dimension = 0,
                            .input_feature_dimension = 1,
                            .input_spatial_dimensions = {2, 3},
                            .kernel_input_feature_dimension = 2,
                            .kernel_output_feature_dimension = 3,
                            .kernel_spatial_dimensions = {0, 1},
                            .output_batch_dimension = 0,
                            .output_feature_dimension = 1,
                            .output_spatial_dimensions = {2, 3}};
  return conv;
}

absl::StatusOr<std::string> Convolve(const ConvolutionAttributes& conv, Dims lhs = {8, 6, 10, 20},
                                     Dims rhs = {3, 5, 6, 4}) {
  return Infer(OpKind::kConvolution, {F32(std::move(lhs)), F32(std::move(rhs))}, conv);
}

TEST(InferWindowTest, ConvolutionCountsPlacesOfItsWindow) {
  ConvolutionAttributes conv = Conv2d();
  EXPECT_THAT(Convolve(conv), Gives("tensor<8x4x8x16xf32>"));
  conv.window_strides = {2, 3};
  EXPECT_THAT(Convolve(conv), Gives("tensor<8x4x4x6xf32>"));
  conv = Conv2d();
  conv.padding.pairs = {{1, 1}, {-2, 0}};
  EXPECT_THAT(Convolve(conv), Gives("tensor<8x4x10x14xf32>"));
  conv.lhs_dilation = {2, 1};
  EXPECT_THAT(Convolve(conv), Gives("tensor<8x4x19x14xf32>"));
  conv.rhs_dilation = {1, 4};
  EXPECT_THAT(Convolve(conv), Gives("tensor<8x4x19x2xf32>"));
  conv.padding.pairs = {{-30, 0}, {0, 0}};
  EXPECT_THAT(Convolve(conv), Gives("tensor<8x4x0x4xf32>"));
  EXPECT_THAT(Convolve(Conv2d(), {8, 6, kDynamicDim, 20}), Gives("tensor<8x4x?x16xf32>"));
}

TEST(InferWindowTest, ConvolutionDividesGroups) {
  ConvolutionAttributes conv = Conv2d();
  conv.feature_group_count = 2;
  EXPECT_THAT(Convolve(conv, {8, 6, 10, 20}, {3, 5, 3, 4}), Gives("tensor<8x4x8x16xf32>"));
  EXPECT_THAT(Convolve(conv), IsRefused("the kernel reads 6 input features where the input has 6 "
                                        "in 2 groups"));
  EXPECT_THAT(Convolve(conv, {8, 6, 10, 20}, {3, 5, 3, 5}),
              IsRefused("feature_group_count 2 does not divide the kernel's output feature"));
  conv.batch_group_count = 2;
  EXPECT_THAT(Convolve(conv), IsRefused("cannot both be above 1"));
  conv.feature_group_count = 1;
  EXPECT_THAT(Convolve(conv), Gives("tensor<4x4x8x16xf32>"));
  conv.batch_group_count = 3;
  EXPECT_THAT(Convolve(conv), IsRefused("batch_group_count 3 does not divide the input's batch"));
  conv.batch_group_count = 0;
  EXPECT_THAT(Convolve(conv), IsRefused("batch_group_count is 0"));
}

TEST(InferWindowTest, ConvolutionRefusesSenselessWindowsAndLayouts) {
  ConvolutionAttributes conv = Conv2d();
  conv.window_strides = {1, 0};
  EXPECT_THAT(Convolve(conv), IsRefused("window_strides has 0 at dimension 1"));
  conv = Conv2d();
  conv.lhs_dilation = {kMax, 1};
  EXPECT_THAT(Convolve(conv), IsRefused("above the limit"));
  conv = Conv2d();
  conv.padding.pairs = {{kMax, kMax}, {0, 0}};
  EXPECT_THAT(Convolve(conv), IsRefused("above the limit"));
  conv.padding.pairs = {{0, 0}};
  EXPECT_THAT(Convolve(conv), IsRefused("padding has 1 values"));
  conv = Conv2d();
  conv.window_reversal = {true};
  EXPECT_THAT(Convolve(conv), IsRefused("window_reversal has 1 values"));
  conv = Conv2d();
  conv.dimension_numbers.input_spatial_dimensions = {2, 2};
  EXPECT_THAT(Convolve(conv), IsRefused("the dimensions of the input has 2 twice"));
  conv = Conv2d();
  conv.dimension_numbers.output_batch_dimension = 4;
  EXPECT_THAT(Convolve(conv), IsRefused("the dimensions of the output has 4, outside [0, 4)"));
  EXPECT_THAT(Convolve(Conv2d(), {8}, {3}), IsRefused("one rank of at least 2"));
}

TEST(InferWindowTest, ConvolutionOfMixedTypesDeclaresItsResult) {
  ConvolutionAttributes conv;
  conv.dimension_numbers = {.input_batch_dimension = 0,
                            .input_feature_dimension = 1,
                            .input_spatial_dimensions = {},
                            .kernel_input_feature_dimension = 0,
                            .kernel_output_feature_dimension = 1,
                            .kernel_spatial_dimensions = {},
                            .output_batch_dimension = 0,
                            .output_feature_dimension = 1,
                            .output_spatial_dimensions = {}};
  const std::vector<Type> operands = {T(DType::kI8, {2, 3}), T(DType::kI8, {3, 4})};
  EXPECT_THAT(Infer(OpKind::kConvolution, operands, conv), Gives("tensor<2x4xi8>"));
  EXPECT_THAT(Infer(OpKind::kConvolution, operands, conv, {.declared = {I32({2, 4})}}),
              Gives("tensor<2x4xi32>"));
  EXPECT_THAT(Infer(OpKind::kConvolution, {T(DType::kI8, {2, 3}), I32({3, 4})}, conv),
              IsRefused("need a declared result type"));
}

absl::StatusOr<std::string> SelectAndScatter(const SelectAndScatterAttributes& attributes,
                                             Dims source, const Signature* select = nullptr) {
  const Signature usual{{F32(), F32()}, {I1()}};
  return Infer(OpKind::kSelectAndScatter, {F32({4, 9}), F32(std::move(source)), F32()}, attributes,
               {.regions = {select == nullptr ? usual : *select, Reducer({DType::kF32})}});
}

TEST(InferWindowTest, SelectAndScatterGivesTheOperandsType) {
  EXPECT_THAT(SelectAndScatter({.window_dimensions = {1, 3}, .window_strides = {1, 2}}, {4, 4}),
              Gives("tensor<4x9xf32>"));
  EXPECT_THAT(SelectAndScatter({}, {4, 9}), Gives("tensor<4x9xf32>"));
  EXPECT_THAT(
      SelectAndScatter({.window_dimensions = {2, 3}, .padding = {{{1, 0}, {-1, 0}}}}, {4, 6}),
      Gives("tensor<4x9xf32>"));
}

TEST(InferWindowTest, SelectAndScatterRefusesWhatDoesNotFit) {
  EXPECT_THAT(
      SelectAndScatter({.window_dimensions = {1, 3}}, {4, 4}),
      IsRefused("the window takes 7 positions along dimension 1, but the source has size 4"));
  EXPECT_THAT(SelectAndScatter({.window_dimensions = {1, 0}}, {4, 4}),
              IsRefused("window_dimensions has 0"));
  EXPECT_THAT(SelectAndScatter({}, {4}), IsRefused("does not fit the operand"));
  const Signature number{{F32(), F32()}, {F32()}};
  EXPECT_THAT(SelectAndScatter({}, {4, 9}, &number), IsRefused("the region must be"));
}

}  // namespace
}  // namespace acceld::ir
