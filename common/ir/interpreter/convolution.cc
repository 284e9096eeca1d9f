#include <algorithm>

#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/products.h"
#include "common/ir/interpreter/tensor.h"

namespace acceld::ir::interpreter {
namespace {

// One spatial dimension: maps cell `k` of the window at output position `o` to an input element.
struct Spatial {
  int64_t window, stride, low, lhs_dilation, rhs_dilation, size;
  bool reversed;
  int64_t input_stride, kernel_stride;

  // -1 for the zeros of padding and dilation.
  int64_t InputAt(int64_t o, int64_t k) const {
    const int64_t cell = o * stride + k * rhs_dilation - low;
    if (cell < 0 || cell % lhs_dilation != 0 || cell / lhs_dilation >= size) return -1;
    return cell / lhs_dilation;
  }
  int64_t KernelAt(int64_t k) const { return reversed ? window - 1 - k : k; }
};

int64_t AtOrOne(const std::vector<int64_t>& list, size_t i) { return list.empty() ? 1 : list[i]; }

std::vector<Spatial> SpatialDims(const ConvolutionAttributes& attributes, const Dims& input,
                                 const Dims& kernel) {
  const ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  const Dims input_strides = RowMajorStrides(input);
  const Dims kernel_strides = RowMajorStrides(kernel);
  std::vector<Spatial> dims;
  for (size_t i = 0; i < numbers.input_spatial_dimensions.size(); ++i) {
    const int64_t in = numbers.input_spatial_dimensions[i];
    const int64_t k = numbers.kernel_spatial_dimensions[i];
    const auto& pairs = attributes.padding.pairs;
    dims.push_back(
        {.window = kernel[k],
         .stride = AtOrOne(attributes.window_strides, i),
         .low = pairs.empty() ? 0 : pairs[i].first,
         .lhs_dilation = AtOrOne(attributes.lhs_dilation, i),
         .rhs_dilation = AtOrOne(attributes.rhs_dilation, i),
         .size = input[in],
         .reversed = !attributes.window_reversal.empty() && attributes.window_reversal[i],
         .input_stride = input_strides[in],
         .kernel_stride = kernel_strides[k]});
  }
  return dims;
}

}  // namespace

// StableHLO specification, "convolution". Products are summed in row-major order of the window,
// within one of its cells in order of the input features. Cells of padding and dilation are zeros,
// which are multiplied like other elements.
EvalResult EvalConvolution(EvalContext& c) {
  const auto& attributes = c.As<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& numbers = attributes.dimension_numbers;
  const TensorView lhs(c.operand(0));
  const TensorView rhs(c.operand(1));
  const Dims& input = lhs.type().dims;
  const Dims& kernel = rhs.type().dims;
  const Dims& out = c.result().dims;
  const Dims input_strides = RowMajorStrides(input);
  const Dims kernel_strides = RowMajorStrides(kernel);
  const std::vector<Spatial> spatial = SpatialDims(attributes, input, kernel);
  const Arithmetic arithmetic = ArithmeticOf(lhs.type().dtype, rhs.type().dtype, c.result().dtype);

  Dims window;
  for (const Spatial& dim : spatial) window.push_back(dim.window);
  const int64_t cells = NumElements(window);
  const int64_t features = kernel[numbers.kernel_input_feature_dimension];
  const int64_t groups = attributes.feature_group_count * attributes.batch_group_count;
  const int64_t group_outputs =
      std::max<int64_t>(1, kernel[numbers.kernel_output_feature_dimension] / groups);
  const int64_t group_batches =
      attributes.batch_group_count > 1 ? out[numbers.output_batch_dimension] : 0;
  const int64_t group_features = attributes.feature_group_count > 1 ? features : 0;
  const int64_t feature_stride = input_strides[numbers.input_feature_dimension];
  const int64_t kernel_feature_stride = kernel_strides[numbers.kernel_input_feature_dimension];

  TensorBuilder result(c.result());
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(c.result().num_elements()));
  Dims index(out.size(), 0);
  for (int64_t i = 0, count = NumElements(out); i < count; ++i, NextIndex(out, index)) {
    ACCELD_RETURN_IF_ERROR(c.machine.Charge(cells));
    ACCELD_RETURN_IF_ERROR(c.machine.Charge(cells * features));
    const int64_t feature = index[numbers.output_feature_dimension];
    const int64_t group = feature / group_outputs;
    const int64_t batch = index[numbers.output_batch_dimension] + group * group_batches;
    const int64_t input_base = batch * input_strides[numbers.input_batch_dimension] +
                               group * group_features * feature_stride;
    const int64_t kernel_base = feature * kernel_strides[numbers.kernel_output_feature_dimension];
    Scalar sum;
    Dims at(window.size(), 0);
    for (int64_t cell = 0; cell < cells; ++cell, NextIndex(window, at)) {
      int64_t input_cell = input_base, kernel_cell = kernel_base;
      bool inside = true;
      for (size_t d = 0; d < spatial.size(); ++d) {
        const int64_t element =
            spatial[d].InputAt(index[numbers.output_spatial_dimensions[d]], at[d]);
        inside &= element >= 0;
        input_cell += element * spatial[d].input_stride;
        kernel_cell += spatial[d].KernelAt(at[d]) * spatial[d].kernel_stride;
      }
      for (int64_t f = 0; f < features; ++f) {
        const Scalar x =
            inside ? FactorAt(lhs, input_cell + f * feature_stride, arithmetic) : Scalar();
        sum = MultiplyAdd(arithmetic, sum, x,
                          FactorAt(rhs, kernel_cell + f * kernel_feature_stride, arithmetic));
      }
    }
    result.Set(i, FinishedSum(lhs.type().dtype, rhs.type().dtype, c.result().dtype, sum));
  }
  return OneResult(result.Finish());
}

}  // namespace acceld::ir::interpreter
