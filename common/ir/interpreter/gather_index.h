#pragma once

#include <vector>

#include "common/ir/interpreter/tensor.h"

namespace acceld::ir::interpreter {

// The dimension numbers that gather and scatter share, under one set of names.
struct IndexVectorNumbers {
  int64_t index_vector_dim;
  const std::vector<int64_t>& index_map;              // start_index_map
  const std::vector<int64_t>& operand_batching_dims;  // input_batching_dims
  const std::vector<int64_t>& indices_batching_dims;
  const std::vector<int64_t>& window_dims;     // offset_dims, update_window_dims
  const std::vector<int64_t>& collapsed_dims;  // collapsed_slice_dims, inserted_window_dims
  int64_t operand_rank;
};

// Computes where the windows of a gather or scatter start in the operand, and how positions inside
// the windows map to the operand. An "outer index" is an index of gather's result or of scatter's
// updates. In the StableHLO specification Start is full_start_index + full_batching_index, and
// WindowOffset is full_offset_index (full_window_index). The arguments of the constructor must
// outlive this object.
class IndexVectors {
 public:
  IndexVectors(const Literal& indices, const IndexVectorNumbers& numbers);

  // Returns the start of the window, which is not clamped.
  Dims Start(const Dims& outer_index) const;
  // Returns the position inside the window.
  Dims WindowOffset(const Dims& outer_index) const;

 private:
  TensorView indices_;
  IndexVectorNumbers numbers_;
  Dims strides_;
  std::vector<int64_t> kept_dims_;  // the dimensions of the operand over which windows extend
};

}  // namespace acceld::ir::interpreter
