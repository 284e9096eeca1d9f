#include <algorithm>

#include "common/ir/interpreter/gather_index.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/tensor.h"

namespace acceld::ir::interpreter {

// StableHLO specification, "gather". Starts are clamped so that slices fit.
EvalResult EvalGather(EvalContext& c) {
  const auto& attributes = c.As<GatherAttributes>();
  const auto& numbers = attributes.dimension_numbers;
  const TensorView operand(c.operand(0));
  const Dims& dims = operand.type().dims;
  const Dims strides = RowMajorStrides(dims);
  const IndexVectors starts(c.operand(1),
                            {.index_vector_dim = numbers.index_vector_dim,
                             .index_map = numbers.start_index_map,
                             .operand_batching_dims = numbers.operand_batching_dims,
                             .indices_batching_dims = numbers.start_indices_batching_dims,
                             .window_dims = numbers.offset_dims,
                             .collapsed_dims = numbers.collapsed_slice_dims,
                             .operand_rank = static_cast<int64_t>(dims.size())});

  const TensorType& type = c.result();
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(type.num_elements()));
  TensorBuilder result(type);
  Dims index(type.dims.size(), 0);
  for (int64_t i = 0, count = type.num_elements(); i < count; ++i, NextIndex(type.dims, index)) {
    Dims source = starts.WindowOffset(index);
    const Dims start = starts.Start(index);
    for (size_t d = 0; d < source.size(); ++d) {
      source[d] += std::clamp<int64_t>(start[d], 0, dims[d] - attributes.slice_sizes[d]);
    }
    std::copy_n(operand.BytesAt(LinearIndex(strides, source)), StorageBytesOf(type.dtype),
                result.BytesAt(i));
  }
  return OneResult(result.Finish());
}

}  // namespace acceld::ir::interpreter
