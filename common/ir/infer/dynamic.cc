#include "common/ir/infer/rules.h"

// Rules of the ops that take shapes as values. The values are known only in specialization. Until
// then the result type is the declared one, which is checked as far as possible.
namespace acceld::ir {
namespace {

// Checks that an operand has one integer for each dimension of a tensor of rank `rank`.
absl::Status CheckShapeOperand(absl::string_view what, const TensorType& type, int64_t rank) {
  if (type.rank() == 1 && IsInteger(type.dtype) && MayEqual(type.dims[0], rank)) {
    return absl::OkStatus();
  }
  return Refuse(what, " must be ", rank, " integers, not ", type.ToString());
}

absl::StatusOr<TensorType> DeclaredOfRank(const InferContext& context, int64_t rank) {
  ACCELD_ASSIGN_OR_RETURN(TensorType declared, DeclaredTensor(context));
  if (declared.rank() != rank) {
    return Refuse("the result ", declared.ToString(), " must have rank ", rank);
  }
  declared.dtype = context.operand(0).dtype;
  return declared;
}

absl::StatusOr<int64_t> CheckDimension(const InferContext& context) {
  const int64_t dimension = context.As<DimensionAttributes>().dimension;
  const int64_t rank = context.operand(0).rank();
  if (dimension < 0 || dimension >= rank) {
    return Refuse("dimension ", dimension, " is outside [0, ", rank, ")");
  }
  return dimension;
}

}  // namespace

InferResult InferDynamicBroadcastInDim(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  ACCELD_ASSIGN_OR_RETURN(TensorType declared, DeclaredTensor(context));
  ACCELD_RETURN_IF_ERROR(
      CheckShapeOperand("output_dimensions", context.operand(1), declared.rank()));
  const auto& attributes = context.As<DynamicBroadcastInDimAttributes>();
  const auto& dims = attributes.broadcast_dimensions;
  ACCELD_RETURN_IF_ERROR(CheckSize("broadcast_dimensions", dims.size(), operand.rank()));
  ACCELD_RETURN_IF_ERROR(CheckDimList("broadcast_dimensions", dims, declared.rank()));
  ACCELD_RETURN_IF_ERROR(CheckDimList("known_expanding_dimensions",
                                      attributes.known_expanding_dimensions, operand.rank()));
  ACCELD_RETURN_IF_ERROR(CheckDimList("known_nonexpanding_dimensions",
                                      attributes.known_nonexpanding_dimensions, operand.rank()));
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

InferResult InferDynamicGather(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  ACCELD_RETURN_IF_ERROR(CheckShapeOperand("slice_sizes", context.operand(2), operand.rank()));
  if (!IsInteger(context.operand(1).dtype)) {
    return Refuse("the indices must be integers, not ", context.operand(1).ToString());
  }
  ACCELD_ASSIGN_OR_RETURN(TensorType declared, DeclaredTensor(context));
  declared.dtype = operand.dtype;
  return std::vector<Type>{std::move(declared)};
}

InferResult InferDynamicIota(const InferContext& context) {
  ACCELD_RETURN_IF_ERROR(DeclaredTensor(context).status());
  ACCELD_ASSIGN_OR_RETURN(std::vector<Type> types, InferIota(context));
  ACCELD_RETURN_IF_ERROR(
      CheckShapeOperand("output_shape", context.operand(0), types[0].tensor().rank()));
  return types;
}

InferResult InferDynamicPad(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  const TensorType& value = context.operand(1);
  if (value.rank() != 0 || value.dtype != operand.dtype) {
    return Refuse("the padding value must be tensor<", DTypeName(operand.dtype), ">, not ",
                  value.ToString());
  }
  ACCELD_RETURN_IF_ERROR(CheckShapeOperand("edge_padding_low", context.operand(2), operand.rank()));
  ACCELD_RETURN_IF_ERROR(
      CheckShapeOperand("edge_padding_high", context.operand(3), operand.rank()));
  ACCELD_RETURN_IF_ERROR(CheckShapeOperand("interior_padding", context.operand(4), operand.rank()));
  ACCELD_ASSIGN_OR_RETURN(TensorType result, DeclaredOfRank(context, operand.rank()));
  return std::vector<Type>{std::move(result)};
}

// Operands: the inputs, as many initial values, then the attributes of reduce_window in its order.
InferResult InferDynamicReduceWindow(const InferContext& context) {
  constexpr size_t kShapeOperands = 5;
  InferContext reduction = context;
  reduction.operands.remove_suffix(kShapeOperands);
  Dims dims;
  ACCELD_ASSIGN_OR_RETURN(const std::vector<DType> dtypes, CheckReductionOperands(reduction, dims));
  ACCELD_RETURN_IF_ERROR(CheckReducer(context.regions[0], dtypes));
  const auto rank = static_cast<int64_t>(dims.size());
  const auto first = static_cast<int>(reduction.operands.size());
  const char* const names[] = {"window_dimensions", "window_strides", "base_dilations",
                               "window_dilations"};
  for (int i = 0; i < 4; ++i) {
    ACCELD_RETURN_IF_ERROR(CheckShapeOperand(names[i], context.operand(first + i), rank));
  }
  const TensorType& padding = context.operand(first + 4);
  if (!IsInteger(padding.dtype) || !MayEqual(padding.dims, Dims{rank, 2})) {
    return Refuse("padding must be ", rank, " pairs of integers, not ", padding.ToString());
  }
  ACCELD_RETURN_IF_ERROR(CheckSize("the list of results", context.declared.size(),
                                   static_cast<int64_t>(dtypes.size())));
  std::vector<Type> results;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    const Type& declared = context.declared[i];
    if (!declared.IsTensor() || declared.tensor().rank() != rank) {
      return Refuse("the result ", declared.ToString(), " must have rank ", rank);
    }
    results.push_back(TensorType{dtypes[i], declared.tensor().dims});
  }
  return results;
}

InferResult InferDynamicReshape(const InferContext& context) {
  ACCELD_ASSIGN_OR_RETURN(std::vector<Type> types, InferReshape(context));
  ACCELD_RETURN_IF_ERROR(
      CheckShapeOperand("output_shape", context.operand(1), types[0].tensor().rank()));
  return types;
}

InferResult InferDynamicRngBitGenerator(const InferContext& context) {
  InferContext generator = context;
  generator.operands.remove_suffix(1);
  ACCELD_ASSIGN_OR_RETURN(std::vector<Type> types, InferRngBitGenerator(generator));
  ACCELD_RETURN_IF_ERROR(
      CheckShapeOperand("output_shape", context.operand(1), types[1].tensor().rank()));
  return types;
}

InferResult InferGetDimensionSize(const InferContext& context) {
  ACCELD_RETURN_IF_ERROR(CheckDimension(context).status());
  return std::vector<Type>{TensorType{DType::kI32, {}}};
}

InferResult InferRealDynamicSlice(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  const char* const names[] = {"start_indices", "limit_indices", "strides"};
  for (int i = 0; i < 3; ++i) {
    ACCELD_RETURN_IF_ERROR(CheckShapeOperand(names[i], context.operand(i + 1), operand.rank()));
  }
  ACCELD_ASSIGN_OR_RETURN(TensorType result, DeclaredOfRank(context, operand.rank()));
  return std::vector<Type>{std::move(result)};
}

// The size of the dimension is known only from the value. The old size is its upper bound.
InferResult InferSetDimensionSize(const InferContext& context) {
  ACCELD_ASSIGN_OR_RETURN(const int64_t dimension, CheckDimension(context));
  const TensorType& size = context.operand(1);
  if (size.rank() != 0 || !IsInteger(size.dtype)) {
    return Refuse("the size must be one integer, not ", size.ToString());
  }
  TensorType result = context.operand(0);
  result.dims[dimension] = kDynamicDim;
  return std::vector<Type>{std::move(result)};
}

}  // namespace acceld::ir
