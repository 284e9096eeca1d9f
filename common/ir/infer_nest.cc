#include "common/ir/infer_rules.h"
#include "common/ir/limits.h"

// Rules of the ops that are loop nests of their own. Scatter: infer_gather_scatter.cc.
namespace acceld::ir {
namespace {

// The first half of the operands are inputs of one shape, the second half their scalar initial
// values. Gives the inputs' element types; `dims` gets their shape.
absl::StatusOr<std::vector<DType>> CheckReductionOperands(const InferContext& context, Dims& dims) {
  if (context.operands.size() % 2 != 0) {
    return Refuse(context.operands.size(), " operands are not inputs and as many initial values");
  }
  const size_t inputs = context.operands.size() / 2;
  std::vector<DType> dtypes;
  dims = context.operand(0).dims;
  for (size_t i = 0; i < inputs; ++i) {
    const TensorType& input = context.operand(i);
    const TensorType& init = context.operand(inputs + i);
    if (!MayEqual(dims, input.dims)) {
      return Refuse("inputs 0 and ", i, " differ in shape: ", context.operand(0).ToString(),
                    " and ", input.ToString());
    }
    if (init.rank() != 0 || init.dtype != input.dtype) {
      return Refuse("initial value ", i, " must be tensor<", DTypeName(input.dtype), ">, not ",
                    init.ToString());
    }
    dims = Refined(dims, input.dims);
    dtypes.push_back(input.dtype);
  }
  return dtypes;
}

std::vector<Type> TypesOfShape(absl::Span<const DType> dtypes, const Dims& dims) {
  std::vector<Type> types;
  for (DType dtype : dtypes) types.push_back(TensorType{dtype, dims});
  return types;
}

// One positive number per dimension; an empty list stands for all ones.
absl::Status CheckPositive(absl::string_view what, absl::Span<const int64_t> values, int64_t rank) {
  if (values.empty()) return absl::OkStatus();
  ACCELD_RETURN_IF_ERROR(CheckSize(what, values.size(), rank));
  for (int64_t i = 0; i < rank; ++i) {
    if (values[i] < 1) return Refuse(what, " has ", values[i], " at dimension ", i);
    if (values[i] > limits::kMaxTensorBytes) {
      return Refuse(what, " has ", values[i], " at dimension ", i, ", above the limit of ",
                    limits::kMaxTensorBytes);
    }
  }
  return absl::OkStatus();
}

int64_t AtOr(const std::vector<int64_t>& values, int64_t i, int64_t otherwise) {
  return values.empty() ? otherwise : values[i];
}

}  // namespace

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

InferResult InferReduceWindow(const InferContext& context) {
  Dims dims;
  ACCELD_ASSIGN_OR_RETURN(const std::vector<DType> dtypes, CheckReductionOperands(context, dims));
  const auto& window = context.As<WindowAttributes>();
  const auto rank = static_cast<int64_t>(dims.size());
  ACCELD_RETURN_IF_ERROR(CheckSize("window_dimensions", window.window_dimensions.size(), rank));
  ACCELD_RETURN_IF_ERROR(CheckPositive("window_dimensions", window.window_dimensions, rank));
  ACCELD_RETURN_IF_ERROR(CheckPositive("window_strides", window.window_strides, rank));
  ACCELD_RETURN_IF_ERROR(CheckPositive("base_dilations", window.base_dilations, rank));
  ACCELD_RETURN_IF_ERROR(CheckPositive("window_dilations", window.window_dilations, rank));
  if (!window.padding.pairs.empty()) {
    ACCELD_RETURN_IF_ERROR(CheckSize("padding", window.padding.pairs.size(), rank));
  }
  ACCELD_RETURN_IF_ERROR(CheckReducer(context.regions[0], dtypes));
  for (int64_t i = 0; i < rank; ++i) {
    if (dims[i] == kDynamicDim) continue;
    const auto [low, high] =
        window.padding.pairs.empty() ? std::pair<int64_t, int64_t>() : window.padding.pairs[i];
    ACCELD_ASSIGN_OR_RETURN(
        const int64_t padded,
        PaddedSize(dims[i], low, high, AtOr(window.base_dilations, i, 1) - 1, i));
    ACCELD_ASSIGN_OR_RETURN(
        const int64_t extent,
        PaddedSize(window.window_dimensions[i], 0, 0, AtOr(window.window_dilations, i, 1) - 1, i));
    const int64_t stride = AtOr(window.window_strides, i, 1);
    dims[i] = padded <= 0 || extent > padded ? 0 : (padded - extent) / stride + 1;
  }
  return TypesOfShape(dtypes, dims);
}

InferResult InferSort(const InferContext& context) {
  const auto rank = context.operand(0).rank();
  const int64_t dimension = context.As<SortAttributes>().dimension;
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

}  // namespace acceld::ir
