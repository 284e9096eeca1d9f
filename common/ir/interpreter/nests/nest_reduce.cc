#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/nests/body.h"
#include "common/ir/interpreter/tensor.h"

// reduce and reduce_window. Inputs are operands [0, n), their initial values operands [n, 2n).
// f16 and bf16 are accumulated in f32 and rounded once, as JAX does.
namespace acceld::ir::interpreter {
namespace {

struct Inputs {
  std::vector<TensorView> views;
  std::vector<Scalar> initial;
};

Inputs InputsOf(const EvalContext& c) {
  const size_t n = c.operands.size() / 2;
  Inputs inputs;
  for (size_t k = 0; k < n; ++k) {
    inputs.views.emplace_back(c.operand(k));
    inputs.initial.push_back(TensorView(c.operand(n + k)).At(0));
  }
  return inputs;
}

std::vector<TensorBuilder> ResultsOf(const EvalContext& c) {
  std::vector<TensorBuilder> results;
  for (size_t k = 0; k < c.op.results.size(); ++k) results.emplace_back(c.result(k));
  return results;
}

std::vector<Value> FinishAll(std::vector<TensorBuilder>& results) {
  std::vector<Value> values;
  for (TensorBuilder& result : results) values.push_back(result.Finish());
  return values;
}

// Returns an attribute list, or, if it is empty, its default for every dimension.
std::vector<int64_t> OrDefault(const std::vector<int64_t>& list, size_t rank, int64_t value) {
  return list.empty() ? std::vector<int64_t>(rank, value) : list;
}

}  // namespace

// StableHLO specification, "reduce"; elements are combined in row-major order.
EvalResult EvalReduce(EvalContext& c) {
  const Inputs inputs = InputsOf(c);
  const size_t n = inputs.views.size();
  const Dims& dims = inputs.views[0].type().dims;
  const std::vector<int64_t>& reduced = c.As<DimensionsAttributes>().dimensions;

  // Strides of the result along the operand's dimensions; 0 along those that are reduced.
  Dims strides(dims.size(), 0);
  const Dims result_strides = RowMajorStrides(c.result().dims);
  for (size_t d = 0, kept = 0; d < dims.size(); ++d) {
    if (PositionIn(reduced, static_cast<int64_t>(d)) < 0) strides[d] = result_strides[kept++];
  }

  const int64_t result_count = c.result().num_elements();
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(result_count));
  std::vector<Scalar> accumulators;
  accumulators.reserve(result_count * n);
  for (int64_t i = 0; i < result_count; ++i) {
    accumulators.insert(accumulators.end(), inputs.initial.begin(), inputs.initial.end());
  }

  Body body(c, c.op.regions[0], /*accumulate_wide=*/true);
  std::vector<Scalar> arguments(2 * n);
  Dims index(dims.size(), 0);
  for (int64_t i = 0, count = NumElements(dims); i < count; ++i, NextIndex(dims, index)) {
    const auto accumulator = accumulators.begin() + LinearIndex(strides, index) * n;
    std::copy_n(accumulator, n, arguments.begin());
    for (size_t k = 0; k < n; ++k) arguments[n + k] = inputs.views[k].At(i);
    ACCELD_ASSIGN_OR_RETURN(const absl::Span<const Scalar> combined, body.Run(arguments));
    std::copy(combined.begin(), combined.end(), accumulator);
  }

  std::vector<TensorBuilder> results = ResultsOf(c);
  for (int64_t i = 0; i < result_count; ++i) {
    for (size_t k = 0; k < n; ++k) results[k].Set(i, accumulators[i * n + k]);
  }
  return FinishAll(results);
}

// StableHLO specification, "reduce_window": each window of the padded and dilated input is reduced,
// beginning with the initial value. In the specification, cells of padding and dilation have the
// initial value as their element. XLA leaves these cells out, and so does this code. The results
// are the same if combining two initial values gives the initial value; elsewhere users expect
// XLA's results. (An example is the sum of logarithms of complex numbers in JAX, which cannot
// combine minus infinity with itself.)
EvalResult EvalReduceWindow(EvalContext& c) {
  const Inputs inputs = InputsOf(c);
  const size_t n = inputs.views.size();
  const auto& attributes = c.As<WindowAttributes>();
  const Dims& dims = inputs.views[0].type().dims;
  const size_t rank = dims.size();
  const std::vector<int64_t> strides = OrDefault(attributes.window_strides, rank, 1);
  const std::vector<int64_t> base_dilations = OrDefault(attributes.base_dilations, rank, 1);
  const std::vector<int64_t> window_dilations = OrDefault(attributes.window_dilations, rank, 1);
  const auto& padding = attributes.padding.pairs;
  const Dims window(attributes.window_dimensions.begin(), attributes.window_dimensions.end());
  const int64_t window_count = NumElements(window);
  const Dims input_strides = RowMajorStrides(dims);

  // Returns the element of the input under a cell of a window, or -1 for padding and dilation.
  const auto input_at = [&](const Dims& result_index, const Dims& window_index) -> int64_t {
    int64_t linear = 0;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t low = padding.empty() ? 0 : padding[d].first;
      const int64_t cell =
          result_index[d] * strides[d] + window_index[d] * window_dilations[d] - low;
      if (cell < 0 || cell % base_dilations[d] != 0) return -1;
      const int64_t element = cell / base_dilations[d];
      if (element >= dims[d]) return -1;
      linear += element * input_strides[d];
    }
    return linear;
  };

  Body body(c, c.op.regions[0], /*accumulate_wide=*/true);
  std::vector<TensorBuilder> results = ResultsOf(c);
  const Dims& result_dims = c.result().dims;
  std::vector<Scalar> arguments(2 * n);
  Dims result_index(rank, 0);
  for (int64_t i = 0, count = NumElements(result_dims); i < count;
       ++i, NextIndex(result_dims, result_index)) {
    std::copy(inputs.initial.begin(), inputs.initial.end(), arguments.begin());
    Dims window_index(rank, 0);
    for (int64_t w = 0; w < window_count; ++w, NextIndex(window, window_index)) {
      const int64_t input = input_at(result_index, window_index);
      if (input < 0) continue;
      for (size_t k = 0; k < n; ++k) arguments[n + k] = inputs.views[k].At(input);
      ACCELD_ASSIGN_OR_RETURN(const absl::Span<const Scalar> combined, body.Run(arguments));
      std::copy(combined.begin(), combined.end(), arguments.begin());
    }
    for (size_t k = 0; k < n; ++k) results[k].Set(i, arguments[k]);
  }
  return FinishAll(results);
}

}  // namespace acceld::ir::interpreter
