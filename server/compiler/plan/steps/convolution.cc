#include "server/compiler/plan/steps/convolution.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace acceld::compiler {
namespace {

using kernels::ConvolutionShape;
using Dim = ConvolutionShape::Dim;

// With fewer output features in a group, or shorter sums, a matrix product is mostly overhead.
constexpr int64_t kMinOutputs = 4;
constexpr int64_t kMinColumns = 4;

int64_t AtOrOne(const std::vector<int64_t>& list, size_t i) { return list.empty() ? 1 : list[i]; }

// Returns the batch and the spatial dimensions in the order in which the output stores them,
// outermost first.
std::vector<Dim> DimsOf(const ir::TensorType& lhs, const ir::TensorType& rhs,
                        const ir::TensorType& result, const ir::ConvolutionAttributes& attributes) {
  const ir::ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  const ir::Dims lhs_strides = ir::RowMajorStrides(lhs.dims);
  const ir::Dims rhs_strides = ir::RowMajorStrides(rhs.dims);
  const ir::Dims out_strides = ir::RowMajorStrides(result.dims);
  std::vector<Dim> positions;
  const int64_t batches = result.dims[numbers.output_batch_dimension];
  positions.push_back({.extent = batches,
                       .size = batches,
                       .lhs_stride = lhs_strides[numbers.input_batch_dimension],
                       .out_stride = out_strides[numbers.output_batch_dimension]});
  for (size_t i = 0; i < numbers.input_spatial_dimensions.size(); ++i) {
    const int64_t in = numbers.input_spatial_dimensions[i];
    const int64_t k = numbers.kernel_spatial_dimensions[i];
    const int64_t out = numbers.output_spatial_dimensions[i];
    const auto& padding = attributes.padding.pairs;
    const bool reversed = !attributes.window_reversal.empty() && attributes.window_reversal[i];
    const int64_t step = AtOrOne(attributes.rhs_dilation, i);
    const int64_t first = reversed ? (rhs.dims[k] - 1) * step : 0;
    positions.push_back({.extent = result.dims[out],
                         .window = rhs.dims[k],
                         .stride = AtOrOne(attributes.window_strides, i),
                         .step = reversed ? -step : step,
                         .offset = first - (padding.empty() ? 0 : padding[i].first),
                         .dilation = AtOrOne(attributes.lhs_dilation, i),
                         .size = lhs.dims[in],
                         .lhs_stride = lhs_strides[in],
                         .out_stride = out_strides[out],
                         .rhs_stride = rhs_strides[k]});
  }
  // Dimensions with only one output position come first: their strides do not matter.
  std::stable_sort(positions.begin(), positions.end(), [](const Dim& a, const Dim& b) {
    if ((a.extent == 1) != (b.extent == 1)) return a.extent == 1;
    return a.out_stride > b.out_stride;
  });
  return positions;
}

// If dimensions, given as (size, stride) pairs, outermost first, can be seen as one dimension,
// returns the stride of that dimension (1 if its size is 1). Returns nullopt otherwise.
absl::optional<int64_t> CollapsedStride(const std::vector<std::pair<int64_t, int64_t>>& dims) {
  int64_t stride = 1, size = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i].first == 1) continue;
    if (size == 1) {
      stride = dims[i].second;
    } else if (dims[i].second != stride * size) {
      return absl::nullopt;
    }
    size *= dims[i].first;
  }
  return stride;
}

// Determines whether the kernel is stored as a matrix, (cells and features) by outputs, and sets
// rhs_row_stride and features_outermost. If both orders of cells and features fit, features are
// innermost.
void MatchKernelRows(ConvolutionShape& shape) {
  std::vector<std::pair<int64_t, int64_t>> cells;
  for (const Dim& dim : shape.dims) cells.emplace_back(dim.window, dim.rhs_stride);
  const std::pair<int64_t, int64_t> feature = {shape.features, shape.rhs_feature_stride};
  shape.rhs_row_stride = 0;
  for (const bool outermost : {false, true}) {
    std::vector<std::pair<int64_t, int64_t>> rows = cells;
    rows.insert(outermost ? rows.begin() : rows.end(), feature);
    const absl::optional<int64_t> stride = CollapsedStride(rows);
    if (!stride.has_value()) continue;
    shape.features_outermost = outermost ? 1 : 0;
    shape.rhs_row_stride = *stride;
    return;
  }
}

}  // namespace

absl::optional<kernels::ConvolutionStep> MatchConvolution(
    const ir::TensorType& lhs, const ir::TensorType& rhs, const ir::TensorType& result,
    const ir::ConvolutionAttributes& attributes) {
  const ir::ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  if (lhs.dtype != rhs.dtype || lhs.rank() > ConvolutionShape::kNumDims + 1) return absl::nullopt;
  if (lhs.num_elements() == 0 || rhs.num_elements() == 0 || result.num_elements() == 0) {
    return absl::nullopt;
  }
  const ir::Dims lhs_strides = ir::RowMajorStrides(lhs.dims);
  const ir::Dims rhs_strides = ir::RowMajorStrides(rhs.dims);
  const ir::Dims out_strides = ir::RowMajorStrides(result.dims);
  kernels::ConvolutionStep step{};
  step.input_dtype = lhs.dtype;
  step.output_dtype = result.dtype;
  ConvolutionShape& shape = step.shape;
  shape.groups = attributes.feature_group_count * attributes.batch_group_count;
  shape.features = rhs.dims[numbers.kernel_input_feature_dimension];
  shape.outputs = rhs.dims[numbers.kernel_output_feature_dimension] / shape.groups;

  const std::vector<Dim> dims = DimsOf(lhs, rhs, result, attributes);
  std::copy(dims.begin(), dims.end(), std::end(shape.dims) - dims.size());
  int64_t rows = 1;
  shape.first_row_dim = ConvolutionShape::kNumDims;
  while (shape.first_row_dim > 0) {
    const Dim& next = shape.dims[shape.first_row_dim - 1];
    if (next.extent != 1 && rows != 1 && next.out_stride != shape.row_stride() * rows) break;
    rows *= next.extent;
    --shape.first_row_dim;
  }

  shape.lhs_feature_stride = lhs_strides[numbers.input_feature_dimension];
  shape.lhs_group_stride =
      attributes.batch_group_count > 1
          ? result.dims[numbers.output_batch_dimension] * lhs_strides[numbers.input_batch_dimension]
          : shape.features * shape.lhs_feature_stride;
  shape.out_feature_stride = out_strides[numbers.output_feature_dimension];
  shape.out_group_stride = shape.outputs * shape.out_feature_stride;
  shape.rhs_output_stride = rhs_strides[numbers.kernel_output_feature_dimension];
  shape.rhs_group_stride = shape.outputs * shape.rhs_output_stride;
  shape.rhs_feature_stride = rhs_strides[numbers.kernel_input_feature_dimension];
  MatchKernelRows(shape);

  const int64_t columns = shape.num_window_elements() * shape.features;
  if (shape.outputs < kMinOutputs || columns < kMinColumns) return absl::nullopt;
  return step;
}

bool ReadsContiguously(const ConvolutionShape& shape) {
  if (shape.lhs_feature_stride == 1 && shape.features_outermost == 0 && shape.features > 1) {
    return true;
  }
  const Dim& inner = shape.dims[ConvolutionShape::kNumDims - 1];
  return inner.lhs_stride == 1;
}

double NumMultiplications(const ir::TensorType& rhs, const ir::TensorType& result,
                          const ir::ConvolutionDimensionNumbers& numbers) {
  const int64_t outputs = rhs.dims[numbers.kernel_output_feature_dimension];
  if (outputs == 0) return 0;
  return static_cast<double>(result.num_elements()) *
         static_cast<double>(rhs.num_elements() / outputs);
}

}  // namespace acceld::compiler
