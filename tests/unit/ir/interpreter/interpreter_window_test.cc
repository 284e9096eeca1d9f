#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::ElementsAre;

// Batch, feature, then space everywhere; kernels are o i 0 1 ...
ConvolutionAttributes Conv(int64_t spatial_rank) {
  ConvolutionAttributes conv;
  ConvolutionDimensionNumbers& numbers = conv.dimension_numbers;
  numbers.input_feature_dimension = numbers.output_feature_dimension = 1;
  numbers.kernel_input_feature_dimension = 1;
  for (int64_t d = 2; d < spatial_rank + 2; ++d) {
    numbers.input_spatial_dimensions.push_back(d);
    numbers.kernel_spatial_dimensions.push_back(d);
    numbers.output_spatial_dimensions.push_back(d);
  }
  return conv;
}

std::vector<int64_t> Slide(const ConvolutionAttributes& conv) {
  return IntsOf(
      RunOp(OpKind::kConvolution,
            {Ints(DType::kI32, {1, 1, 5}, {1, 2, 3, 4, 5}), Ints(DType::kI32, {1, 1, 2}, {10, 1})},
            conv));
}

TEST(InterpreterConvolution, SlidesItsWindow) {
  ConvolutionAttributes conv = Conv(1);
  EXPECT_THAT(Slide(conv), ElementsAre(12, 23, 34, 45));
  conv.window_reversal = {true};
  EXPECT_THAT(Slide(conv), ElementsAre(21, 32, 43, 54));
  conv = Conv(1);
  conv.window_strides = {2};
  EXPECT_THAT(Slide(conv), ElementsAre(12, 34));
  conv = Conv(1);
  conv.padding.pairs = {{2, -1}};
  EXPECT_THAT(Slide(conv), ElementsAre(0, 1, 12, 23, 34));
  conv = Conv(1);
  conv.lhs_dilation = {3};
  conv.padding.pairs = {{0, -7}};
  EXPECT_THAT(Slide(conv), ElementsAre(10, 0, 2, 20, 0));
  conv = Conv(1);
  conv.rhs_dilation = {3};
  EXPECT_THAT(Slide(conv), ElementsAre(14, 25));
}

TEST(InterpreterConvolution, GroupsFeaturesAndBatches) {
  const Literal x = Ints(DType::kI32, {2, 2}, {1, 2, 3, 4});
  ConvolutionAttributes conv = Conv(0);
  conv.feature_group_count = 2;
  // Outputs 0 and 1 read feature 0, 2 and 3 read feature 1.
  EXPECT_THAT(
      IntsOf(RunOp(OpKind::kConvolution, {x, Ints(DType::kI32, {4, 1}, {1, 10, 100, 1000})}, conv)),
      ElementsAre(1, 10, 200, 2000, 3, 30, 400, 4000));
  conv = Conv(0);
  conv.batch_group_count = 2;
  // Output 0 reads batch 0, output 1 batch 1.
  EXPECT_THAT(
      IntsOf(RunOp(OpKind::kConvolution, {x, Ints(DType::kI32, {2, 2}, {1, 10, 100, 1000})}, conv)),
      ElementsAre(21, 4300));
}

TEST(InterpreterConvolution, ReadsAnyDimensionNumbers) {
  ConvolutionAttributes conv;
  // Input 0 f b, kernel o 0 i, output f b 0.
  conv.dimension_numbers = {.input_batch_dimension = 2,
                            .input_feature_dimension = 1,
                            .input_spatial_dimensions = {0},
                            .kernel_input_feature_dimension = 2,
                            .kernel_output_feature_dimension = 0,
                            .kernel_spatial_dimensions = {1},
                            .output_batch_dimension = 1,
                            .output_feature_dimension = 0,
                            .output_spatial_dimensions = {2}};
  // Batch 0 is [[1, 5], [3, 7]] by space and feature, batch 1 [[2, 6], [4, 8]].
  EXPECT_THAT(IntsOf(RunOp(OpKind::kConvolution,
                           {Ints(DType::kI32, {2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8}),
                            Ints(DType::kI32, {1, 2, 2}, {1, 10, 100, 1000})},
                           conv)),
              ElementsAre(1 + 50 + 300 + 7000, 2 + 60 + 400 + 8000));
}

TEST(InterpreterConvolution, SumsNarrowTypesWide) {
  // 256 + 1 + 1 in bf16 would stay 256.
  const Literal ones = Floats(DType::kBF16, {1, 3}, {256, 1, 1});
  const Literal weights = Floats(DType::kBF16, {1, 3}, {1, 1, 1});
  EXPECT_THAT(FloatsOf(RunOp(OpKind::kConvolution, {ones, weights}, Conv(0))), ElementsAre(258));
  const Literal bytes = Ints(DType::kI8, {1, 2}, {100, 100});
  EXPECT_THAT(IntsOf(RunOp(OpKind::kConvolution, {bytes, bytes}, Conv(0),
                           {TensorType{DType::kI32, {1, 1}}})),
              ElementsAre(20000));
}

TEST(InterpreterConvolution, PaddingIsZerosThatAreMultiplied) {
  ConvolutionAttributes conv = Conv(1);
  conv.padding.pairs = {{1, 0}};
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> out = FloatsOf(
      RunOp(OpKind::kConvolution,
            {Floats(DType::kF32, {1, 1, 2}, {1, 2}), Floats(DType::kF32, {1, 1, 2}, {infinity, 1})},
            conv));
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], infinity);
}

std::vector<int64_t> Scattered(const SelectAndScatterAttributes& attributes,
                               const std::vector<int64_t>& operand,
                               const std::vector<int64_t>& source) {
  const auto size = [](const std::vector<int64_t>& v) { return static_cast<int64_t>(v.size()); };
  const auto results = RunProgram(
      {Ints(DType::kI32, {size(operand)}, operand), Ints(DType::kI32, {size(source)}, source),
       Ints(DType::kI32, {}, {-1})},
      [&](FunctionBuilder& b, const std::vector<ValueId>& p) {
        std::vector<Region> regions;
        const Type scalar = ScalarType(DType::kI32);
        regions.push_back(MakeRegion(b, {scalar, scalar}, [&](const std::vector<ValueId>& q) {
          return std::vector<ValueId>{
              b.AddOne(OpKind::kCompare, {q[0], q[1]},
                       CompareAttributes{.comparison_direction = ComparisonDirection::kGe})
                  .value()};
        }));
        regions.push_back(BinaryRegion(b, OpKind::kAdd, DType::kI32));
        return b.Add(OpKind::kSelectAndScatter, p, attributes, std::move(regions)).value();
      });
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? IntsOf((*results)[0]) : std::vector<int64_t>();
}

TEST(InterpreterSelectAndScatter, AddsEachSourceWhereItsWindowIsLargest) {
  EXPECT_THAT(
      Scattered({.window_dimensions = {2}, .window_strides = {2}}, {1, 3, 5, 5, 9}, {10, 20}),
      ElementsAre(-1, 9, 19, -1, -1));
  // Windows that overlap meet in one element.
  EXPECT_THAT(Scattered({.window_dimensions = {3}}, {1, 2, 9, 3, 4}, {10, 20, 30}),
              ElementsAre(-1, -1, 59, -1, -1));
}

TEST(InterpreterSelectAndScatter, NeverSelectsPadding) {
  // Each window holds one element and a cell of padding; below, one holds padding alone.
  EXPECT_THAT(Scattered({.window_dimensions = {2}, .window_strides = {2}, .padding = {{{1, 1}}}},
                        {-7, -3}, {10, 20}),
              ElementsAre(9, 19));
  EXPECT_THAT(Scattered({.window_dimensions = {1}, .padding = {{{1, 0}}}}, {4, 5}, {10, 20, 30}),
              ElementsAre(19, 29));
}

}  // namespace
}  // namespace acceld::ir
