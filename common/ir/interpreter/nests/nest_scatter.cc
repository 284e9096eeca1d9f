#include "common/ir/interpreter/gather_index.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/nests/body.h"
#include "common/ir/interpreter/tensor.h"

namespace acceld::ir::interpreter {

// StableHLO specification, "scatter": operands are n inputs, the indices, n updates. Updates are
// combined in row-major order; single elements that are outside the inputs are left out.
EvalResult EvalScatter(EvalContext& c) {
  const size_t n = c.operands.size() / 2;
  const auto& numbers = c.As<ScatterAttributes>().scatter_dimension_numbers;
  const Dims& input_dims = c.operand(0).type().dims;
  const Dims& update_dims = c.operand(n + 1).type().dims;
  const Dims strides = RowMajorStrides(input_dims);
  const IndexVectors starts(c.operand(n),
                            {.index_vector_dim = numbers.index_vector_dim,
                             .index_map = numbers.scatter_dims_to_operand_dims,
                             .operand_batching_dims = numbers.input_batching_dims,
                             .indices_batching_dims = numbers.scatter_indices_batching_dims,
                             .window_dims = numbers.update_window_dims,
                             .collapsed_dims = numbers.inserted_window_dims,
                             .operand_rank = static_cast<int64_t>(input_dims.size())});

  std::vector<TensorBuilder> results;
  std::vector<TensorView> updates;
  for (size_t k = 0; k < n; ++k) {
    results.emplace_back(c.result(k), c.operand(k));
    updates.emplace_back(c.operand(n + 1 + k));
  }
  const int64_t count = NumElements(update_dims);
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(count));
  Body body(c, c.op.regions[0], /*accumulate_wide=*/false);
  std::vector<Scalar> arguments(2 * n);
  Dims update_index(update_dims.size(), 0);
  for (int64_t i = 0; i < count; ++i, NextIndex(update_dims, update_index)) {
    Dims index = starts.WindowOffset(update_index);
    const Dims start = starts.Start(update_index);
    for (size_t d = 0; d < index.size(); ++d) index[d] += start[d];
    if (!InBounds(input_dims, index)) continue;
    const int64_t target = LinearIndex(strides, index);
    for (size_t k = 0; k < n; ++k) {
      arguments[k] = results[k].At(target);
      arguments[n + k] = updates[k].At(i);
    }
    ACCELD_ASSIGN_OR_RETURN(const absl::Span<const Scalar> combined, body.Run(arguments));
    for (size_t k = 0; k < n; ++k) results[k].Set(target, combined[k]);
  }

  std::vector<Value> values;
  for (TensorBuilder& result : results) values.push_back(result.Finish());
  return values;
}

}  // namespace acceld::ir::interpreter
