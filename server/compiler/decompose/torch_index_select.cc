#include <utility>

#include "common/ir/emitter.h"
#include "server/compiler/decompose/decomposition.h"

namespace acceld::compiler {

// A gather of slices of one element along `dim`.
DecompositionResult DecomposeTorchIndexSelect(Decomposition& d) {
  const auto& [dim, batch_dims] = d.As<ir::TorchIndexSelectAttributes>();
  const ir::Dims& dims = d.OperandType(0).dims;
  const int64_t index_rank = d.OperandType(1).rank();
  ir::GatherAttributes gather;
  ir::GatherDimensionNumbers& numbers = gather.dimension_numbers;
  gather.slice_sizes.assign(dims.begin(), dims.end());
  gather.slice_sizes[dim] = 1;
  for (int64_t i = 0; i < batch_dims; ++i) {
    numbers.operand_batching_dims.push_back(i);
    numbers.start_indices_batching_dims.push_back(i);
    gather.slice_sizes[i] = 1;
  }
  for (int64_t i = batch_dims; i < static_cast<int64_t>(dims.size()); ++i) {
    if (i < dim) numbers.offset_dims.push_back(i);
    if (i > dim) numbers.offset_dims.push_back(i - 1 + index_rank - batch_dims);
  }
  numbers.collapsed_slice_dims = {dim};
  numbers.start_index_map = {dim};
  numbers.index_vector_dim = index_rank;
  ir::Emitter e = d.Emit();
  return e.Results({e.Op(ir::OpKind::kGather, {d.operand(0), d.operand(1)}, std::move(gather))});
}

}  // namespace acceld::compiler
