#include <limits>

#include "tests/unit/kernels/lowering/lowering_test_util.h"

namespace acceld::kernels {
namespace {

using ir::DType;
using ir::FunctionBuilder;
using ir::Literal;
using ir::OpKind;
using ir::Region;
using ir::ValueId;

constexpr ir::CheckRule kClose = {ir::Tolerance::kRelativeToMax, 1e-5, true};

// Places of batch (or output feature), feature (or input feature) and space in the three tensors.
struct Layout {
  std::vector<int64_t> input, kernel, output;
};

ir::ConvolutionAttributes ConvolutionOf(const Layout& layout) {
  ir::ConvolutionAttributes conv;
  ir::ConvolutionDimensionNumbers& n = conv.dimension_numbers;
  n.input_batch_dimension = layout.input[0];
  n.input_feature_dimension = layout.input[1];
  n.input_spatial_dimensions.assign(layout.input.begin() + 2, layout.input.end());
  n.kernel_output_feature_dimension = layout.kernel[0];
  n.kernel_input_feature_dimension = layout.kernel[1];
  n.kernel_spatial_dimensions.assign(layout.kernel.begin() + 2, layout.kernel.end());
  n.output_batch_dimension = layout.output[0];
  n.output_feature_dimension = layout.output[1];
  n.output_spatial_dimensions.assign(layout.output.begin() + 2, layout.output.end());
  return conv;
}

const Layout kFeatureFirst = {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}};
const Layout kFeatureLast = {{0, 3, 1, 2}, {3, 2, 0, 1}, {0, 3, 1, 2}};

void ExpectConvolutionAgrees(DType dtype, const ir::Dims& lhs, const ir::Dims& rhs,
                             const ir::ConvolutionAttributes& conv,
                             absl::optional<DType> result = absl::nullopt) {
  const ir::TensorType type{dtype, lhs};
  SCOPED_TRACE(type.ToString());
  const bool is_float = ir::IsFloat(dtype) || ir::IsComplex(dtype);
  const bool is_narrow = ir::IsFloat(dtype) && ir::BitsOf(dtype) <= 16;
  ir::CheckRule rule = is_float ? kClose : ir::CheckRule{ir::Tolerance::kExact, 0, true};
  if (is_narrow && !result.has_value()) rule = {ir::Tolerance::kUlp, 1, true};
  std::vector<ir::Type> declared;
  if (result.has_value()) {
    const ir::Type operands[] = {type, ir::TensorType{dtype, rhs}};
    ir::TensorType wider = (*ir::InferResultTypes({.kind = OpKind::kConvolution,
                                                   .attributes = conv,
                                                   .operands = operands,
                                                   .regions = {},
                                                   .declared = {}}))[0]
                               .tensor();
    wider.dtype = *result;
    declared.push_back(wider);
  }
  ExpectOpAgrees(OpKind::kConvolution, {RandomTensor(dtype, lhs, 1), RandomTensor(dtype, rhs, 2)},
                 conv, declared, rule);
}

TEST(Convolution, ConvolvesInEveryType) {
  for (DType dtype : AllDTypes()) {
    ir::ConvolutionAttributes conv = ConvolutionOf(kFeatureFirst);
    conv.padding.pairs = {{1, 0}, {0, 2}};
    ExpectConvolutionAgrees(dtype, {2, 3, 5, 4}, {2, 3, 2, 3}, conv);
    conv = ConvolutionOf(kFeatureLast);
    conv.padding.pairs = {{1, 0}, {0, 2}};
    ExpectConvolutionAgrees(dtype, {2, 5, 4, 3}, {2, 3, 3, 9}, conv);
  }
}

TEST(Convolution, AccumulatesInADeclaredWiderType) {
  const ir::ConvolutionAttributes conv = ConvolutionOf({{0, 1}, {0, 1}, {0, 1}});
  ExpectConvolutionAgrees(DType::kI8, {2, 40}, {3, 40}, conv, DType::kI32);
  ExpectConvolutionAgrees(DType::kBF16, {2, 40}, {3, 40}, conv, DType::kF32);
}

TEST(Convolution, SumsAnyTypesInAnyType) {
  const ir::ConvolutionAttributes conv = ConvolutionOf({{0, 1}, {0, 1}, {0, 1}});
  const ir::Literal bytes = SmallNumbers(DType::kI8, {2, 5});
  const ir::Literal floats = SmallNumbers(DType::kF32, {3, 5});
  for (DType result : AllDTypes()) {
    for (DType operand : {DType::kI1, DType::kI8, DType::kI32, DType::kF16, DType::kF32,
                          DType::kF64, DType::kC64}) {
      SCOPED_TRACE(absl::StrCat(ir::DTypeName(operand), " into ", ir::DTypeName(result)));
      ExpectOpAgrees(OpKind::kConvolution,
                     {SmallNumbers(operand, {2, 5}), SmallNumbers(operand, {3, 5})}, conv,
                     {ir::TensorType{result, {2, 3}}}, kClose);
    }
    ExpectOpAgrees(OpKind::kConvolution, {bytes, floats}, conv, {ir::TensorType{result, {2, 3}}},
                   kClose);
  }
}

TEST(Convolution, HandlesEveryWindowFeature) {
  for (const Layout& layout : {kFeatureFirst, kFeatureLast}) {
    const bool last = layout.input[1] == 3;
    const ir::Dims lhs = last ? ir::Dims{2, 7, 6, 3} : ir::Dims{2, 3, 7, 6};
    const ir::Dims rhs = last ? ir::Dims{3, 2, 3, 9} : ir::Dims{9, 3, 3, 2};
    const auto with = [&](auto change) {
      ir::ConvolutionAttributes conv = ConvolutionOf(layout);
      change(conv);
      ExpectConvolutionAgrees(DType::kF32, lhs, rhs, conv);
    };
    with([](auto& conv) { conv.window_strides = {2, 3}; });
    with([](auto& conv) { conv.padding.pairs = {{-2, 1}, {2, -1}}; });
    with([](auto& conv) { conv.padding.pairs = {{9, 9}, {9, -9}}; });
    with([](auto& conv) { conv.window_reversal = {true, false}; });
    with([](auto& conv) { conv.rhs_dilation = {2, 3}; });
    with([](auto& conv) {
      conv.lhs_dilation = {2, 3};
      conv.padding.pairs = {{1, 2}, {-1, 3}};
      conv.window_strides = {3, 2};
      conv.window_reversal = {true, true};
    });
  }
}

TEST(Convolution, GroupsFeaturesAndBatches) {
  ir::ConvolutionAttributes conv = ConvolutionOf(kFeatureLast);
  conv.feature_group_count = 4;
  ExpectConvolutionAgrees(DType::kF32, {2, 5, 5, 4}, {3, 3, 1, 4}, conv);
  ExpectConvolutionAgrees(DType::kF32, {2, 5, 5, 4}, {3, 3, 1, 80}, conv);
  ExpectConvolutionAgrees(DType::kF32, {2, 5, 5, 8}, {3, 3, 2, 8}, conv);
  conv.feature_group_count = 70;
  ExpectConvolutionAgrees(DType::kF32, {1, 4, 4, 70}, {3, 3, 1, 70}, conv);
  conv.feature_group_count = 1;
  conv.batch_group_count = 3;
  ExpectConvolutionAgrees(DType::kF32, {6, 5, 5, 4}, {3, 3, 4, 9}, conv);
  conv = ConvolutionOf(kFeatureFirst);
  conv.batch_group_count = 3;
  ExpectConvolutionAgrees(DType::kF32, {6, 4, 5, 5}, {6, 4, 3, 3}, conv);
}

TEST(Convolution, ConvolvesAnyNumberOfSpatialDimensions) {
  ExpectConvolutionAgrees(DType::kF32, {3, 4}, {5, 4}, ConvolutionOf({{0, 1}, {0, 1}, {0, 1}}));
  ExpectConvolutionAgrees(DType::kF32, {9, 4, 3}, {2, 5, 3},
                          ConvolutionOf({{1, 2, 0}, {1, 2, 0}, {2, 0, 1}}));
  ExpectConvolutionAgrees(DType::kF32, {2, 3, 4, 5, 4}, {2, 3, 2, 2, 2},
                          ConvolutionOf({{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}}));
}

TEST(Convolution, ConvolvesEmptyTensors) {
  const ir::ConvolutionAttributes conv = ConvolutionOf({{0, 1, 2}, {0, 1, 2}, {0, 1, 2}});
  ExpectConvolutionAgrees(DType::kF32, {2, 0, 4}, {3, 0, 2}, conv);
  ir::ConvolutionAttributes padded = conv;
  padded.padding.pairs = {{2, 2}};
  ExpectConvolutionAgrees(DType::kF32, {2, 3, 0}, {3, 3, 2}, padded);
  ExpectConvolutionAgrees(DType::kF32, {0, 3, 4}, {3, 3, 2}, conv);
}

TEST(Convolution, MultipliesTheZerosOfPadding) {
  ir::ConvolutionAttributes conv = ConvolutionOf({{0, 1, 2}, {0, 1, 2}, {0, 1, 2}});
  conv.padding.pairs = {{1, 1}};
  const double infinity = std::numeric_limits<double>::infinity();
  ExpectOpAgrees(OpKind::kConvolution,
                 {ir::Floats(DType::kF32, {1, 1, 3}, {1, 2, 3}),
                  ir::Floats(DType::kF32, {1, 1, 2}, {infinity, 1})},
                 conv);
}

void ExpectSelectAndScatterAgrees(DType dtype, const ir::Dims& operand, const ir::Dims& source,
                                  const ir::SelectAndScatterAttributes& attributes,
                                  OpKind scatter = OpKind::kAdd) {
  SCOPED_TRACE(std::string(ir::DTypeName(dtype)));
  ExpectAgreement(
      {RandomTensor(dtype, operand, 1), RandomTensor(dtype, source, 2), RandomTensor(dtype, {}, 3)},
      [&](FunctionBuilder& b, const std::vector<ValueId>& p) {
        std::vector<Region> regions;
        const ir::Type scalar = ir::ScalarType(dtype);
        regions.push_back(ir::MakeRegion(b, {scalar, scalar}, [&](const std::vector<ValueId>& q) {
          const ir::CompareAttributes order{ir::IsComplex(dtype) ? ir::ComparisonDirection::kNe
                                                                 : ir::ComparisonDirection::kGe};
          return std::vector<ValueId>{b.AddOne(OpKind::kCompare, {q[0], q[1]}, order).value()};
        }));
        regions.push_back(ir::BinaryRegion(b, scatter, dtype));
        return b.Add(OpKind::kSelectAndScatter, p, attributes, std::move(regions)).value();
      });
}

TEST(SelectAndScatter, AgreesInEveryType) {
  for (DType dtype : AllDTypes()) {
    ExpectSelectAndScatterAgrees(dtype, {3, 7}, {2, 3},
                                 {.window_dimensions = {2, 3}, .window_strides = {1, 2}});
  }
}

TEST(SelectAndScatter, HandlesWindowsThatOverlapAndPadding) {
  ExpectSelectAndScatterAgrees(DType::kF32, {20, 5, 6, 3}, {20, 5, 3, 3},
                               {.window_dimensions = {1, 3, 2, 1},
                                .window_strides = {1, 1, 2, 1},
                                .padding = {{{0, 0}, {1, 1}, {0, 0}, {0, 0}}}});
  ExpectSelectAndScatterAgrees(DType::kF32, {2, 5, 6}, {2, 5, 9},
                               {.window_dimensions = {1, 2, 1},
                                .window_strides = {},
                                .padding = {{{0, 0}, {2, -1}, {2, 1}}}},
                               OpKind::kSubtract);
  ExpectSelectAndScatterAgrees(DType::kF32, {4}, {4}, {});
  ExpectSelectAndScatterAgrees(DType::kF32, {4}, {0}, {.window_dimensions = {5}});
}

}  // namespace
}  // namespace acceld::kernels
