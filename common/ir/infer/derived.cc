#include "common/ir/infer/rules.h"

// Rules of the ops that are replaced by others: batch normalization, map and random numbers.
namespace acceld::ir {
namespace {

// Returns the type of one number for each feature of the operand, which operands [1, end) must
// have.
absl::StatusOr<TensorType> CheckFeatures(const InferContext& context, int end) {
  const TensorType& operand = context.operand(0);
  const int64_t feature = context.As<BatchNormAttributes>().feature_index;
  if (!IsFloat(operand.dtype)) return Refuse("the operand ", operand.ToString(), " is not float");
  if (feature < 0 || feature >= operand.rank()) {
    return Refuse("feature_index ", feature, " is outside [0, ", operand.rank(), ")");
  }
  TensorType features{operand.dtype, {operand.dims[feature]}};
  for (int i = 1; i < end; ++i) {
    const TensorType& type = context.operand(i);
    if (type.dtype != features.dtype || !MayEqual(type.dims, features.dims)) {
      return Refuse("operand ", i, " must be ", features.ToString(), ", not ", type.ToString());
    }
    features.dims = Refined(features.dims, type.dims);
  }
  return features;
}

}  // namespace

InferResult InferBatchNormGrad(const InferContext& context) {
  ACCELD_ASSIGN_OR_RETURN(const TensorType features, CheckFeatures(context, 4));
  const TensorType& operand = context.operand(0);
  const TensorType& gradient = context.operand(4);
  if (gradient.dtype != operand.dtype || !MayEqual(gradient.dims, operand.dims)) {
    return Refuse("the gradient ", gradient.ToString(), " does not fit the operand ",
                  operand.ToString());
  }
  return std::vector<Type>{operand, features, features};
}

InferResult InferBatchNormInference(const InferContext& context) {
  ACCELD_RETURN_IF_ERROR(CheckFeatures(context, 5).status());
  return std::vector<Type>{context.operand(0)};
}

InferResult InferBatchNormTraining(const InferContext& context) {
  ACCELD_ASSIGN_OR_RETURN(const TensorType features, CheckFeatures(context, 3));
  return std::vector<Type>{context.operand(0), features, features};
}

InferResult InferMap(const InferContext& context) {
  TensorType result = context.operand(0);
  std::vector<DType> dtypes;
  for (size_t i = 0; i < context.operands.size(); ++i) {
    const TensorType& operand = context.operand(i);
    if (!MayEqual(operand.dims, result.dims)) {
      return Refuse("operands 0 and ", i, " differ in shape: ", context.operand(0).ToString(),
                    " and ", operand.ToString());
    }
    result.dims = Refined(result.dims, operand.dims);
    dtypes.push_back(operand.dtype);
  }
  const auto& dimensions = context.As<DimensionsAttributes>().dimensions;
  ACCELD_RETURN_IF_ERROR(CheckSize("dimensions", dimensions.size(), result.rank()));
  for (int64_t i = 0; i < result.rank(); ++i) {
    if (dimensions[i] != i)
      return Refuse("dimensions must be all in order, not ", DimsText(dimensions));
  }
  const InferContext::RegionSignature& region = context.regions[0];
  if (region.results.size() != 1 || !region.results[0].IsTensor()) {
    return Refuse("the region must give one tensor");
  }
  result.dtype = region.results[0].tensor().dtype;
  ACCELD_RETURN_IF_ERROR(CheckScalarRegion(region, dtypes, {result.dtype}));
  return std::vector<Type>{std::move(result)};
}

InferResult InferRng(const InferContext& context) {
  const TensorType& a = context.operand(0);
  const TensorType& b = context.operand(1);
  const TensorType& shape = context.operand(2);
  if (a.rank() != 0 || !(a == b)) {
    return Refuse("the parameters must be scalars of one type, not ", a.ToString(), " and ",
                  b.ToString());
  }
  const bool is_normal = context.As<RngAttributes>().rng_distribution == RngDistribution::kNormal;
  if (IsComplex(a.dtype) || (is_normal && !IsFloat(a.dtype))) {
    return Refuse(is_normal ? "NORMAL" : "UNIFORM", " numbers of ", DTypeName(a.dtype));
  }
  ACCELD_ASSIGN_OR_RETURN(TensorType declared, DeclaredTensor(context));
  if (shape.rank() != 1 || !IsInteger(shape.dtype) || !MayEqual(shape.dims[0], declared.rank())) {
    return Refuse("the shape operand ", shape.ToString(), " does not give a shape of rank ",
                  declared.rank());
  }
  declared.dtype = a.dtype;
  return std::vector<Type>{std::move(declared)};
}

InferResult InferRngBitGenerator(const InferContext& context) {
  const TensorType& state = context.operand(0);
  const RngAlgorithm algorithm = context.As<RngBitGeneratorAttributes>().rng_algorithm;
  const int64_t size = state.rank() == 1 ? state.dims[0] : -1;
  const bool fits =
      state.dtype == DType::kUI64 &&
      (MayEqual(size, 2) || (MayEqual(size, 3) && algorithm != RngAlgorithm::kThreeFry));
  if (!fits) {
    return Refuse("the initial state must be tensor<2xui64>",
                  algorithm == RngAlgorithm::kThreeFry ? "" : " or tensor<3xui64>", ", not ",
                  state.ToString());
  }
  if (context.declared.size() != 2 || !context.declared[1].IsTensor()) {
    return Refuse("needs the type of its random numbers declared");
  }
  const TensorType& output = context.declared[1].tensor();
  if ((!IsInteger(output.dtype) && !IsFloat(output.dtype)) || BitsOf(output.dtype) == 6) {
    return Refuse("random bits as ", output.ToString());
  }
  return std::vector<Type>{state, output};
}

}  // namespace acceld::ir
