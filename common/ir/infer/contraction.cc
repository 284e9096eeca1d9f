#include "common/ir/infer/rules.h"

// Rules of the ops that multiply and sum.
namespace acceld::ir {
namespace {

// Checks two lists of dimensions, of which each pair must have the same size.
absl::Status CheckPairs(absl::string_view verb, const TensorType& lhs, const TensorType& rhs,
                        absl::Span<const int64_t> lhs_dims, absl::Span<const int64_t> rhs_dims) {
  if (lhs_dims.size() != rhs_dims.size()) {
    return Refuse("lhs ", verb, " ", lhs_dims.size(), " dimensions and rhs ", rhs_dims.size());
  }
  for (size_t i = 0; i < lhs_dims.size(); ++i) {
    const int64_t lhs_size = lhs.dims[lhs_dims[i]];
    const int64_t rhs_size = rhs.dims[rhs_dims[i]];
    if (!MayEqual(lhs_size, rhs_size)) {
      return Refuse("lhs ", verb, " ", lhs_size, " and rhs ", verb, " ", rhs_size, " at dimension ",
                    lhs_dims[i],
                    lhs_dims[i] == rhs_dims[i] ? "" : absl::StrCat(" and ", rhs_dims[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSide(absl::string_view side, absl::Span<const int64_t> batching,
                       absl::Span<const int64_t> contracting, int64_t rank) {
  std::vector<int64_t> all(batching.begin(), batching.end());
  all.insert(all.end(), contracting.begin(), contracting.end());
  return CheckDimList(absl::StrCat(side, " batching and contracting dimensions"), all, rank);
}

absl::Status CheckAlgorithm(const DotAlgorithm& algorithm) {
  if (algorithm.lhs_component_count < 1 || algorithm.rhs_component_count < 1 ||
      algorithm.num_primitive_operations < 1) {
    return Refuse("the counts of the algorithm must be positive: ", algorithm.lhs_component_count,
                  ", ", algorithm.rhs_component_count, ", ", algorithm.num_primitive_operations);
  }
  return absl::OkStatus();
}

}  // namespace

InferResult InferDotGeneral(const InferContext& context) {
  const TensorType& lhs = context.operand(0);
  const TensorType& rhs = context.operand(1);
  const auto& attributes = context.As<DotGeneralAttributes>();
  const DotDimensionNumbers& numbers = attributes.dot_dimension_numbers;
  ACCELD_RETURN_IF_ERROR(CheckSide("lhs", numbers.lhs_batching_dimensions,
                                   numbers.lhs_contracting_dimensions, lhs.rank()));
  ACCELD_RETURN_IF_ERROR(CheckSide("rhs", numbers.rhs_batching_dimensions,
                                   numbers.rhs_contracting_dimensions, rhs.rank()));
  ACCELD_RETURN_IF_ERROR(CheckPairs("batches", lhs, rhs, numbers.lhs_batching_dimensions,
                                    numbers.rhs_batching_dimensions));
  ACCELD_RETURN_IF_ERROR(CheckPairs("contracts", lhs, rhs, numbers.lhs_contracting_dimensions,
                                    numbers.rhs_contracting_dimensions));
  if (!attributes.precision_config.empty()) {
    ACCELD_RETURN_IF_ERROR(CheckSize("precision_config", attributes.precision_config.size(), 2));
  }
  if (attributes.algorithm.has_value()) {
    ACCELD_RETURN_IF_ERROR(CheckAlgorithm(*attributes.algorithm));
  }

  TensorType result;
  if (context.declared.empty()) {
    if (lhs.dtype != rhs.dtype) {
      return Refuse("operands of ", DTypeName(lhs.dtype), " and ", DTypeName(rhs.dtype),
                    " need a declared result type");
    }
    result.dtype = lhs.dtype;
  } else {
    ACCELD_ASSIGN_OR_RETURN(const TensorType declared, DeclaredTensor(context));
    result.dtype = declared.dtype;
  }
  for (size_t i = 0; i < numbers.lhs_batching_dimensions.size(); ++i) {
    result.dims.push_back(Refined(lhs.dims[numbers.lhs_batching_dimensions[i]],
                                  rhs.dims[numbers.rhs_batching_dimensions[i]]));
  }
  for (int64_t i = 0; i < lhs.rank(); ++i) {
    if (!Contains(numbers.lhs_batching_dimensions, i) &&
        !Contains(numbers.lhs_contracting_dimensions, i)) {
      result.dims.push_back(lhs.dims[i]);
    }
  }
  for (int64_t i = 0; i < rhs.rank(); ++i) {
    if (!Contains(numbers.rhs_batching_dimensions, i) &&
        !Contains(numbers.rhs_contracting_dimensions, i)) {
      result.dims.push_back(rhs.dims[i]);
    }
  }
  return std::vector<Type>{std::move(result)};
}

}  // namespace acceld::ir
