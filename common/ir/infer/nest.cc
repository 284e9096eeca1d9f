#include "common/ir/infer/rules.h"

// Rules of the ops with a loop nest of their own, except those in window.cc, sort.cc and
// gather_scatter.cc.
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

}  // namespace acceld::ir
