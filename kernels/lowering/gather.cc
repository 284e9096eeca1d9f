#include <algorithm>

#include "kernels/lowering/indexing.h"

namespace acceld::kernels {
namespace {

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

// Source: StableHLO specification, "gather". The result index consists of batch dimensions, which
// select an index vector of start_indices, and offset dimensions, which are an index in the slice
// that starts there.
absl::StatusOr<Element> GenerateGather(ElementEmitter& e, const ir::Op& op,
                                       const ElementIndex& index) {
  const auto& attributes = op.As<ir::GatherAttributes>();
  const ir::GatherDimensionNumbers& numbers = attributes.dimension_numbers;
  const ir::TensorType& operand = e.TypeOf(op.operands[0]);
  const ir::TensorType& starts = e.TypeOf(op.operands[1]);
  KernelBuilder& b = e.builder();
  const std::vector<Var> result = e.DimsOf(index);

  std::vector<Var> batch, offset;
  for (size_t d = 0; d < result.size(); ++d) {
    (Contains(numbers.offset_dims, static_cast<int64_t>(d)) ? offset : batch).push_back(result[d]);
  }
  // The index in start_indices of one component of the index vector: the batch indices, with the
  // component's number inserted at the index vector's dimension.
  const auto start_index = [&](int64_t component) {
    std::vector<Var> dims = batch;
    if (numbers.index_vector_dim < starts.rank()) {
      dims.insert(dims.begin() + numbers.index_vector_dim, b.Index(component));
    }
    return ElementIndex::FromDims(dims, starts.dims);
  };

  std::vector<Var> dims(operand.dims.size(), b.Index(0));
  for (size_t k = 0; k < numbers.start_index_map.size(); ++k) {
    const int64_t d = numbers.start_index_map[k];
    ACCELD_ASSIGN_OR_RETURN(
        dims[d], e.EvaluateClampedIndex(op.operands[1], start_index(static_cast<int64_t>(k)),
                                        operand.dims[d] - attributes.slice_sizes[d]));
  }
  for (size_t k = 0; k < numbers.operand_batching_dims.size(); ++k) {
    int64_t position = numbers.start_indices_batching_dims[k];
    if (position > numbers.index_vector_dim) --position;
    dims[numbers.operand_batching_dims[k]] = batch[position];
  }
  size_t next_offset = 0;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (Contains(numbers.collapsed_slice_dims, d) || Contains(numbers.operand_batching_dims, d)) {
      continue;
    }
    dims[d] = b.Apply(ScalarOp::kAdd, {dims[d], offset[next_offset++]});
  }
  return e.EvaluateOperand(op, 0, ElementIndex::FromDims(dims, operand.dims));
}

}  // namespace acceld::kernels
