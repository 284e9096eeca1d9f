#include "common/ir/infer_rules.h"

// Rules of the ops that are loop nests of their own. Windows: infer_window.cc. Scatter:
// infer_gather_scatter.cc.
namespace acceld::ir {
InferResult InferDynamicUpdateSlice(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  const TensorType& update = context.operand(1);
  ACCELD_RETURN_IF_ERROR(CheckStartIndices(context, 2, operand.rank()));
  if (update.dtype != operand.dtype || update.rank() != operand.rank()) {
    return Refuse("the update ", update.ToString(), " does not fit the operand ",
                  operand.ToString());
  }
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (!MayEqual(update.dims[i], operand.dims[i]) && update.dims[i] > operand.dims[i]) {
      return Refuse("the update has size ", update.dims[i], " at dimension ", i,
                    ", the operand only ", operand.dims[i]);
    }
  }
  return std::vector<Type>{operand};
}

InferResult InferReduce(const InferContext& context) {
  Dims dims;
  ACCELD_ASSIGN_OR_RETURN(const std::vector<DType> dtypes, CheckReductionOperands(context, dims));
  const auto& reduced = context.As<DimensionsAttributes>().dimensions;
  ACCELD_RETURN_IF_ERROR(CheckDimList("dimensions", reduced, dims.size()));
  ACCELD_RETURN_IF_ERROR(CheckReducer(context.regions[0], dtypes));
  Dims kept;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!Contains(reduced, i)) kept.push_back(dims[i]);
  }
  return TypesOfShape(dtypes, kept);
}

namespace {

InferResult SortedTypes(const InferContext& context, int64_t dimension) {
  const auto rank = context.operand(0).rank();
  if (dimension < -rank || dimension >= rank) {
    return Refuse("dimension ", dimension, " is outside [", -rank, ", ", rank, ")");
  }
  Dims dims = context.operand(0).dims;
  std::vector<DType> dtypes;
  std::vector<DType> parameters;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const TensorType& input = context.operand(i);
    if (!MayEqual(dims, input.dims)) {
      return Refuse("inputs 0 and ", i, " differ in shape: ", context.operand(0).ToString(),
                    " and ", input.ToString());
    }
    dims = Refined(dims, input.dims);
    dtypes.push_back(input.dtype);
    parameters.insert(parameters.end(), 2, input.dtype);
  }
  ACCELD_RETURN_IF_ERROR(CheckScalarRegion(context.regions[0], parameters, {DType::kI1}));
  return TypesOfShape(dtypes, dims);
}

}  // namespace

InferResult InferSort(const InferContext& context) {
  return SortedTypes(context, context.As<SortAttributes>().dimension);
}

InferResult InferPartialSort(const InferContext& context) {
  const auto& attributes = context.As<PartialSortAttributes>();
  if (attributes.dimension < 0) return Refuse("dimension ", attributes.dimension, " is negative");
  ACCELD_ASSIGN_OR_RETURN(std::vector<Type> types, SortedTypes(context, attributes.dimension));
  for (Type& type : types) {
    TensorType tensor = type.tensor();
    int64_t& size = tensor.dims[attributes.dimension];
    if (attributes.limit < 0 || attributes.limit > size) {
      return Refuse("limit ", attributes.limit, " is outside [0, ", DimText(size), "]");
    }
    size = attributes.limit;
    type = std::move(tensor);
  }
  return types;
}

}  // namespace acceld::ir
