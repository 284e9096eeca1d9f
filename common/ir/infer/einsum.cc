#include "common/ir/einsum.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/infer/rules.h"

// Rules of einsum, unary_einsum and torch_index_select.
namespace acceld::ir {

InferResult InferEinsum(const InferContext& context) {
  std::vector<int64_t> ranks;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const TensorType& operand = context.operand(static_cast<int>(i));
    if (operand.dtype != context.operand(0).dtype) {
      return Refuse("operands of ", context.operand(0).ToString(), " and ", operand.ToString());
    }
    ranks.push_back(operand.rank());
  }
  ACCELD_ASSIGN_OR_RETURN(const EinsumLabels einsum,
                          ReadEinsum(context.As<EinsumAttributes>().einsum_config, ranks));
  absl::flat_hash_map<int, int64_t> sizes;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const Dims& dims = context.operand(static_cast<int>(i)).dims;
    for (size_t d = 0; d < dims.size(); ++d) {
      int64_t& size = sizes.try_emplace(einsum.operands[i][d], kDynamicDim).first->second;
      if (!MayEqual(size, dims[d])) {
        return Refuse("dimension ", d, " of operand ", i, " has size ", dims[d],
                      " and another one of its label ", size);
      }
      size = Refined(size, dims[d]);
    }
  }
  TensorType result{context.operand(0).dtype, {}};
  for (int label : einsum.result) result.dims.push_back(sizes[label]);
  return std::vector<Type>{std::move(result)};
}

InferResult InferTorchIndexSelect(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  const TensorType& index = context.operand(1);
  const auto& [dim, batch_dims] = context.As<TorchIndexSelectAttributes>();
  if (!IsInteger(index.dtype)) return Refuse("indices of ", index.ToString());
  if (dim < 0 || dim >= operand.rank()) {
    return Refuse("dim ", dim, " is outside [0, ", operand.rank(), ")");
  }
  if (operand.dims[dim] == 0) {
    return Refuse("dimension ", dim, " of ", operand.ToString(), " has nothing to select");
  }
  if (batch_dims < 0 || batch_dims > std::min(dim, index.rank())) {
    return Refuse("batch_dims ", batch_dims, " is outside [0, ", std::min(dim, index.rank()), "]");
  }
  TensorType result{operand.dtype, {operand.dims.begin(), operand.dims.begin() + dim}};
  for (int64_t d = 0; d < index.rank(); ++d) {
    if (d >= batch_dims) {
      result.dims.push_back(index.dims[d]);
      continue;
    }
    if (!MayEqual(operand.dims[d], index.dims[d])) {
      return Refuse("dimension ", d, " has size ", operand.dims[d], " in the operand and ",
                    index.dims[d], " in the index");
    }
    result.dims[d] = Refined(operand.dims[d], index.dims[d]);
  }
  result.dims.insert(result.dims.end(), operand.dims.begin() + dim + 1, operand.dims.end());
  return std::vector<Type>{std::move(result)};
}

}  // namespace acceld::ir
