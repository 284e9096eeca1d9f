#include <algorithm>

#include "common/ir/infer/rules.h"
#include "common/ir/verify/limits.h"

// Rules of the ops that move elements or make them from indices, except gather (gather_scatter.cc).
namespace acceld::ir {

InferResult InferBitcastConvert(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  ACCELD_ASSIGN_OR_RETURN(const TensorType declared, DeclaredTensor(context));
  if (IsComplex(operand.dtype) != IsComplex(declared.dtype)) {
    return Refuse("between real and complex: ", operand.ToString(), " to ", declared.ToString());
  }
  const int from_bits = BitsOf(operand.dtype);
  const int to_bits = BitsOf(declared.dtype);
  // Elements of six bits cannot be split from or combined to other elements.
  const bool has_six = from_bits != to_bits && (from_bits == 6 || to_bits == 6);
  if (has_six || std::max(from_bits, to_bits) % std::min(from_bits, to_bits) != 0) {
    return Refuse(from_bits, " bits are no whole number of ", to_bits, "-bit elements");
  }
  Dims dims = operand.dims;
  if (from_bits > to_bits) {
    dims.push_back(from_bits / to_bits);
  } else if (from_bits < to_bits) {
    const int64_t ratio = to_bits / from_bits;
    if (dims.empty() || !MayEqual(dims.back(), ratio)) {
      return Refuse("the last dimension of ", operand.ToString(), " must be ", ratio,
                    " to make elements of ", DTypeName(declared.dtype));
    }
    dims.pop_back();
  }
  if (!MayEqual(dims, declared.dims)) {
    return Refuse("the operand ", operand.ToString(), " gives shape ", DimsText(dims),
                  ", but the result is declared ", declared.ToString());
  }
  return std::vector<Type>{TensorType{declared.dtype, Refined(dims, declared.dims)}};
}

InferResult InferBroadcastInDim(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  ACCELD_ASSIGN_OR_RETURN(TensorType declared, DeclaredTensor(context));
  const auto& dims = context.As<BroadcastInDimAttributes>().broadcast_dimensions;
  ACCELD_RETURN_IF_ERROR(CheckSize("broadcast_dimensions", dims.size(), operand.rank()));
  ACCELD_RETURN_IF_ERROR(CheckDimList("broadcast_dimensions", dims, declared.rank()));
  for (size_t i = 0; i < dims.size(); ++i) {
    if (operand.dims[i] != 1 && !MayEqual(operand.dims[i], declared.dims[dims[i]])) {
      return Refuse("operand dimension ", i, " of size ", DimText(operand.dims[i]),
                    " does not broadcast to dimension ", dims[i], " of size ",
                    DimText(declared.dims[dims[i]]));
    }
  }
  declared.dtype = operand.dtype;
  return std::vector<Type>{std::move(declared)};
}

InferResult InferConcatenate(const InferContext& context) {
  const int64_t dimension = context.As<DimensionAttributes>().dimension;
  TensorType result = context.operand(0);
  if (dimension < 0 || dimension >= result.rank()) {
    return Refuse("dimension ", dimension, " is outside [0, ", result.rank(), ")");
  }
  for (size_t i = 1; i < context.operands.size(); ++i) {
    TensorType next = context.operand(i);
    if (next.dtype != result.dtype || next.rank() != result.rank()) {
      return Refuse("operands 0 and ", i, " do not fit: ", context.operand(0).ToString(), " and ",
                    next.ToString());
    }
    const int64_t size = next.dims[dimension];
    next.dims[dimension] = result.dims[dimension];
    if (!MayEqual(result.dims, next.dims)) {
      return Refuse("operands 0 and ", i, " differ outside dimension ", dimension, ": ",
                    context.operand(0).ToString(), " and ", context.operand(i).ToString());
    }
    const int64_t total = result.dims[dimension];
    result.dims = Refined(result.dims, next.dims);
    if (total == kDynamicDim || size == kDynamicDim) {
      result.dims[dimension] = kDynamicDim;
    } else if (total > limits::kMaxTensorBytes - size) {
      return Refuse("the sizes along dimension ", dimension, " add up to more than ",
                    limits::kMaxTensorBytes);
    } else {
      result.dims[dimension] = total + size;
    }
  }
  return std::vector<Type>{std::move(result)};
}

InferResult InferDynamicSlice(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  ACCELD_RETURN_IF_ERROR(CheckStartIndices(context, 1, operand.rank()));
  const auto& sizes = context.As<DynamicSliceAttributes>().slice_sizes;
  ACCELD_RETURN_IF_ERROR(CheckSize("slice_sizes", sizes.size(), operand.rank()));
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (sizes[i] < 0 || (operand.dims[i] != kDynamicDim && sizes[i] > operand.dims[i])) {
      return Refuse("slice size ", sizes[i], " at dimension ", i, " of size ",
                    DimText(operand.dims[i]));
    }
  }
  return std::vector<Type>{TensorType{operand.dtype, Dims(sizes.begin(), sizes.end())}};
}

InferResult InferIota(const InferContext& context) {
  ACCELD_ASSIGN_OR_RETURN(TensorType declared, DeclaredTensor(context));
  if (declared.dtype == DType::kI1) return Refuse("the result must be numeric, not i1");
  const int64_t dimension = context.As<IotaAttributes>().iota_dimension;
  if (dimension < 0 || dimension >= declared.rank()) {
    return Refuse("iota_dimension ", dimension, " is outside [0, ", declared.rank(), ")");
  }
  return std::vector<Type>{std::move(declared)};
}

InferResult InferPad(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  const TensorType& value = context.operand(1);
  const auto& attributes = context.As<PadAttributes>();
  if (value.rank() != 0 || value.dtype != operand.dtype) {
    return Refuse("the padding value must be tensor<", DTypeName(operand.dtype), ">, not ",
                  value.ToString());
  }
  const int64_t rank = operand.rank();
  ACCELD_RETURN_IF_ERROR(CheckSize("edge_padding_low", attributes.edge_padding_low.size(), rank));
  ACCELD_RETURN_IF_ERROR(CheckSize("edge_padding_high", attributes.edge_padding_high.size(), rank));
  ACCELD_RETURN_IF_ERROR(CheckSize("interior_padding", attributes.interior_padding.size(), rank));
  TensorType result = operand;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t interior = attributes.interior_padding[i];
    if (interior < 0) return Refuse("interior padding ", interior, " at dimension ", i);
    if (operand.dims[i] == kDynamicDim) continue;
    ACCELD_ASSIGN_OR_RETURN(result.dims[i],
                            PaddedSize(operand.dims[i], attributes.edge_padding_low[i],
                                       attributes.edge_padding_high[i], interior, i));
    if (result.dims[i] < 0) {
      return Refuse("dimension ", i, " of size ", operand.dims[i], " would get size ",
                    result.dims[i]);
    }
  }
  return std::vector<Type>{std::move(result)};
}

InferResult InferReshape(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  ACCELD_ASSIGN_OR_RETURN(TensorType declared, DeclaredTensor(context));
  if (operand.IsStatic() && declared.IsStatic() &&
      operand.num_elements() != declared.num_elements()) {
    return Refuse("the operand ", operand.ToString(), " has ", operand.num_elements(),
                  " elements and the result ", declared.ToString(), " has ",
                  declared.num_elements());
  }
  declared.dtype = operand.dtype;
  return std::vector<Type>{std::move(declared)};
}

InferResult InferReverse(const InferContext& context) {
  ACCELD_RETURN_IF_ERROR(CheckDimList("dimensions", context.As<DimensionsAttributes>().dimensions,
                                      context.operand(0).rank()));
  return std::vector<Type>{context.operand(0)};
}

InferResult InferSlice(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  const auto& attributes = context.As<SliceAttributes>();
  const int64_t rank = operand.rank();
  ACCELD_RETURN_IF_ERROR(CheckSize("start_indices", attributes.start_indices.size(), rank));
  ACCELD_RETURN_IF_ERROR(CheckSize("limit_indices", attributes.limit_indices.size(), rank));
  ACCELD_RETURN_IF_ERROR(CheckSize("strides", attributes.strides.size(), rank));
  TensorType result = operand;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t start = attributes.start_indices[i];
    const int64_t limit = attributes.limit_indices[i];
    const int64_t stride = attributes.strides[i];
    if (stride < 1) return Refuse("stride ", stride, " at dimension ", i, " is not positive");
    if (start < 0 || limit < start || (operand.dims[i] != kDynamicDim && limit > operand.dims[i])) {
      return Refuse("[", start, ":", limit, "] at dimension ", i, " of size ",
                    DimText(operand.dims[i]));
    }
    result.dims[i] = (limit - start) / stride + ((limit - start) % stride != 0 ? 1 : 0);
  }
  return std::vector<Type>{std::move(result)};
}

InferResult InferTranspose(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  const auto& permutation = context.As<TransposeAttributes>().permutation;
  ACCELD_RETURN_IF_ERROR(CheckSize("permutation", permutation.size(), operand.rank()));
  ACCELD_RETURN_IF_ERROR(CheckDimList("permutation", permutation, operand.rank()));
  TensorType result = operand;
  for (int64_t i = 0; i < operand.rank(); ++i) result.dims[i] = operand.dims[permutation[i]];
  return std::vector<Type>{std::move(result)};
}

}  // namespace acceld::ir
