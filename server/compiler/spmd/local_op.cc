#include "server/compiler/spmd/local_op.h"

namespace acceld::compiler::spmd {

using ir::OpKind;

ir::OpAttributes LocalAttributes(const ir::Function& function, const ir::Op& op,
                                 const std::vector<ir::TensorType>& operands,
                                 const std::vector<ir::TensorType>& results) {
  ir::OpAttributes attributes = op.attributes;
  if (op.kind == OpKind::kDynamicSlice) {
    const ir::Dims& dims = results[0].dims;
    std::get<ir::DynamicSliceAttributes>(attributes).slice_sizes.assign(dims.begin(), dims.end());
  } else if (op.kind == OpKind::kSlice) {
    auto& slice = std::get<ir::SliceAttributes>(attributes);
    for (size_t i = 0; i < results[0].dims.size(); ++i) {
      const bool is_whole =
          function.TensorOf(op.operands[0]).dims[i] == function.TensorOf(op.results[0]).dims[i];
      if (is_whole) slice.limit_indices[i] = operands[0].dims[i];
    }
  } else if (op.kind == OpKind::kGather) {
    auto& gather = std::get<ir::GatherAttributes>(attributes);
    for (size_t i = 0; i < gather.slice_sizes.size(); ++i) {
      const bool is_whole = gather.slice_sizes[i] == function.TensorOf(op.operands[0]).dims[i];
      if (is_whole) gather.slice_sizes[i] = operands[0].dims[i];
    }
  }
  return attributes;
}

}  // namespace acceld::compiler::spmd
