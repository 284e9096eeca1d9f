#include "common/ir/interpreter/gather_index.h"

namespace acceld::ir::interpreter {

IndexVectors::IndexVectors(const Literal& indices, const IndexVectorNumbers& numbers)
    : indices_(indices), numbers_(numbers), strides_(RowMajorStrides(indices.type().dims)) {
  for (int64_t d = 0; d < numbers.operand_rank; ++d) {
    if (PositionIn(numbers.collapsed_dims, d) < 0 &&
        PositionIn(numbers.operand_batching_dims, d) < 0) {
      kept_dims_.push_back(d);
    }
  }
}

Dims IndexVectors::Start(const Dims& outer_index) const {
  // The outer dimensions that are not window dimensions correspond, in order, to the dimensions of
  // the indices without index_vector_dim.
  Dims batch_index;
  for (size_t d = 0; d < outer_index.size(); ++d) {
    if (PositionIn(numbers_.window_dims, static_cast<int64_t>(d)) < 0) {
      batch_index.push_back(outer_index[d]);
    }
  }
  int64_t vector_start = 0;
  int64_t vector_stride = 0;  // stays 0 if index_vector_dim is the rank: vectors of one index
  for (size_t d = 0, batch = 0; d < strides_.size(); ++d) {
    if (static_cast<int64_t>(d) == numbers_.index_vector_dim) {
      vector_stride = strides_[d];
    } else {
      vector_start += strides_[d] * batch_index[batch++];
    }
  }

  Dims start(numbers_.operand_rank, 0);
  for (size_t i = 0; i < numbers_.index_map.size(); ++i) {
    start[numbers_.index_map[i]] =
        indices_.IndexAt(vector_start + vector_stride * static_cast<int64_t>(i));
  }
  for (size_t i = 0; i < numbers_.operand_batching_dims.size(); ++i) {
    const int64_t dim = numbers_.indices_batching_dims[i];
    start[numbers_.operand_batching_dims[i]] =
        batch_index[dim - (dim < numbers_.index_vector_dim ? 0 : 1)];
  }
  return start;
}

Dims IndexVectors::WindowOffset(const Dims& outer_index) const {
  Dims offset(numbers_.operand_rank, 0);
  for (size_t i = 0; i < kept_dims_.size(); ++i) {
    offset[kept_dims_[i]] = outer_index[numbers_.window_dims[i]];
  }
  return offset;
}

}  // namespace acceld::ir::interpreter
