#include <algorithm>
#include <utility>

#include "tests/unit/compiler/random/random_function.h"

namespace acceld::compiler {

using ir::DType;
using ir::OpKind;

namespace {

// The places of two named dimensions and the spatial ones: the named ones first, last, around the
// others, or anywhere.
std::vector<int64_t> AnyLayout(Dice& dice, int64_t rank) {
  std::vector<int64_t> layout(rank);
  for (int64_t i = 0; i < rank; ++i) layout[i] = i;
  switch (dice.Below(6)) {
    case 0:
    case 1:  // first
      break;
    case 2:  // last
      std::rotate(layout.begin(), layout.end() - 2, layout.end());
      break;
    case 3:  // around
      std::rotate(layout.begin() + 1, layout.end() - 1, layout.end());
      break;
    default:
      for (int64_t i = rank - 1; i > 0; --i) std::swap(layout[i], layout[dice.Between(0, i)]);
  }
  return layout;
}

// What sums of this type may be kept in.
DType WiderType(DType dtype) {
  if (dtype == DType::kBF16 || dtype == DType::kF16) return DType::kF32;
  if (dtype == DType::kI8 || dtype == DType::kI16) return DType::kI32;
  return dtype;
}

}  // namespace

void RandomFunction::TryConvolution() {
  const Value x = RankedValue(2, /*exact=*/true);
  const ir::TensorType input = TypeOf(x);
  if (input.rank() > 5) return;
  ir::ConvolutionAttributes conv;
  auto& numbers = conv.dimension_numbers;
  const std::vector<int64_t> in = AnyLayout(dice_, input.rank());
  const std::vector<int64_t> k = AnyLayout(dice_, input.rank());
  const std::vector<int64_t> out = AnyLayout(dice_, input.rank());
  numbers.input_batch_dimension = in[0];
  numbers.input_feature_dimension = in[1];
  numbers.input_spatial_dimensions.assign(in.begin() + 2, in.end());
  numbers.kernel_input_feature_dimension = k[0];
  numbers.kernel_output_feature_dimension = k[1];
  numbers.kernel_spatial_dimensions.assign(k.begin() + 2, k.end());
  numbers.output_batch_dimension = out[0];
  numbers.output_feature_dimension = out[1];
  numbers.output_spatial_dimensions.assign(out.begin() + 2, out.end());

  const auto divisor_of = [&](int64_t n) {
    const int64_t d = dice_.Between(1, std::min<int64_t>(n, 4));
    return n % d == 0 ? d : 1;
  };
  if (dice_.OneIn(3)) {
    conv.feature_group_count = divisor_of(input.dims[in[1]]);
  } else if (dice_.OneIn(3)) {
    conv.batch_group_count = divisor_of(input.dims[in[0]]);
  }
  const int64_t groups = conv.feature_group_count * conv.batch_group_count;
  ir::TensorType kernel{input.dtype, ir::Dims(input.rank(), 1)};
  kernel.dims[k[0]] = input.dims[in[1]] / conv.feature_group_count;
  kernel.dims[k[1]] = groups * dice_.Between(1, dice_.OneIn(4) ? 20 : 4);
  for (int64_t d = 2; d < input.rank(); ++d) {
    kernel.dims[k[d]] = dice_.Between(1, 3);
    conv.window_strides.push_back(dice_.Between(1, 3));
    conv.padding.pairs.emplace_back(dice_.Between(-1, 2), dice_.Between(-1, 2));
    conv.lhs_dilation.push_back(dice_.OneIn(3) ? 2 : 1);
    conv.rhs_dilation.push_back(dice_.OneIn(3) ? 2 : 1);
    conv.window_reversal.push_back(dice_.OneIn(4));
  }
  if (input.num_elements() * kernel.num_elements() > 400'000) return;
  const Value y = ValueOf(kernel, true);
  const ir::Type operands[] = {input, kernel};
  const ir::OpAttributes attributes = conv;
  const absl::StatusOr<std::vector<ir::Type>> inferred =
      ir::InferResultTypes({.kind = OpKind::kConvolution,
                            .attributes = attributes,
                            .operands = operands,
                            .regions = {},
                            .declared = {}});
  if (!inferred.ok()) return;
  ir::TensorType result = (*inferred)[0].tensor();
  if (dice_.OneIn(3)) result.dtype = WiderType(input.dtype);
  Keep(Make(OpKind::kConvolution, {x, y}, conv, &result),
       !ir::IsFloat(result.dtype) && !ir::IsComplex(result.dtype));
}

void RandomFunction::TrySelectAndScatter() {
  const Value x = RankedValue(1, /*exact=*/true);
  const ir::TensorType operand = TypeOf(x);
  ir::SelectAndScatterAttributes attributes;
  ir::TensorType source{operand.dtype, {}};
  int64_t work = operand.num_elements();
  for (int64_t size : operand.dims) {
    const int64_t window = dice_.Between(1, 3), stride = dice_.Between(1, 3);
    const int64_t low = dice_.Between(-1, 2), high = dice_.Between(-1, 2);
    attributes.window_dimensions.push_back(window);
    attributes.window_strides.push_back(stride);
    attributes.padding.pairs.emplace_back(low, high);
    const int64_t padded = size + low + high;
    source.dims.push_back(padded < window ? 0 : (padded - window) / stride + 1);
    work *= window;
  }
  if (work > 50'000) return;
  const Value values = ValueOf(source, true);
  const Value initial = ValueOf({operand.dtype, {}}, true);
  static constexpr ir::ComparisonDirection kOrders[] = {
      ir::ComparisonDirection::kGe, ir::ComparisonDirection::kGt, ir::ComparisonDirection::kLe,
      ir::ComparisonDirection::kNe};
  const ir::CompareAttributes compare{ir::IsComplex(operand.dtype) ? ir::ComparisonDirection::kNe
                                                                   : dice_.Pick(kOrders)};
  const std::vector<ir::ValueId> p =
      b_.BeginRegion({ir::TensorType{operand.dtype, {}}, ir::TensorType{operand.dtype, {}}});
  const auto keep = b_.AddOne(OpKind::kCompare, {p[0], p[1]}, compare);
  std::vector<ir::Region> regions;
  regions.push_back(b_.EndRegion({keep.ok() ? *keep : p[0]}));
  bool exact = true;
  regions.push_back(ScalarReducer({operand.dtype}, &exact));
  Keep(b_.Add(OpKind::kSelectAndScatter, {x.id, values.id, initial.id}, attributes,
              std::move(regions)),
       exact);
}

}  // namespace acceld::compiler
