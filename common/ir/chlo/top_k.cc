#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attribute_read.h"
#include "common/ir/chlo/expansions.h"
#include "common/ir/chlo/expressions.h"

namespace acceld::ir {
namespace {

// Whether the first key stands before the second.
Region Descending(FunctionBuilder& builder, DType dtype) {
  const TensorType key{dtype, {}}, index{DType::kI32, {}};
  const std::vector<ValueId> p = builder.BeginRegion({key, key, index, index});
  const CompareAttributes compare{ComparisonDirection::kGt,
                                  IsFloat(dtype)      ? ComparisonType::kTotalOrder
                                  : IsUnsigned(dtype) ? ComparisonType::kUnsigned
                                                      : ComparisonType::kSigned};
  const Type predicate = TensorType{DType::kI1, {}};
  return builder.EndRegion(
      builder.AddUnchecked(OpKind::kCompare, {p[0], p[1]}, compare, {}, {&predicate, 1}));
}

// The elements along the last dimension, largest first, and their indices.
Expansion SortDescending(FunctionBuilder& builder, ValueId x, Location location) {
  const TensorType type = builder.TypeOf(x).tensor();
  const int64_t last = type.rank() - 1;
  const ValueId iota = Expressions(builder, x, DType::kI32, location).Iota(last);
  std::vector<Region> regions;
  regions.push_back(Descending(builder, type.dtype));
  return builder.Add(OpKind::kSort, {x, iota}, SortAttributes{last, true}, std::move(regions), {},
                     location);
}

// What stands before `limit`, a tensor<1xi32>, along the last dimension.
Expansion TakeDynamic(FunctionBuilder& builder, const ImportedOp& op, ValueId limit) {
  const ValueId x = op.operands[0];
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, SortDescending(builder, x, op.location));
  const TensorType indices{DType::kI32, {builder.TypeOf(x).tensor().rank()}};
  std::vector<ValueId> sizes = Expressions(builder, x, DType::kI32, op.location).Sizes();
  sizes.back() = limit;
  ACCELD_ASSIGN_OR_RETURN(const ValueId limits,
                          builder.AddOne(OpKind::kConcatenate, std::move(sizes),
                                         DimensionAttributes{0}, {}, op.location));
  const ValueId starts = builder.Constant(Literal::Zeros(indices));
  const ValueId strides = builder.Constant(Literal::Filled(indices, 1));
  if (op.result_types.size() != results.size()) {
    return absl::InvalidArgumentError(absl::StrCat("op '", op.name, "' has two results"));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(
        results[i], builder.AddOne(OpKind::kRealDynamicSlice, {results[i], starts, limits, strides},
                                   NoAttributes{}, {&op.result_types[i], 1}, op.location));
  }
  return results;
}

absl::Status CheckOperand(const TensorType& type) {
  return IsComplex(type.dtype) || type.rank() == 0 ? absl::UnimplementedError("")
                                                   : absl::OkStatus();
}

}  // namespace

Expansion ExpandTopK(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 1));
  const ValueId x = op.operands[0];
  const TensorType type = builder.TypeOf(x).tensor();
  ACCELD_RETURN_IF_ERROR(CheckOperand(type));
  const auto entry = op.attributes.find("k");
  if (entry == op.attributes.end()) {
    return absl::InvalidArgumentError(absl::StrCat(op.name, " needs the attribute k"));
  }
  int64_t k = 0;
  ACCELD_RETURN_IF_ERROR(Annotate(ReadField(entry->second, k), absl::StrCat(op.name, ", k")));
  const int64_t last = type.rank() - 1;
  const int64_t most =
      type.dims[last] == kDynamicDim ? std::numeric_limits<int32_t>::max() : type.dims[last];
  if (k < 0 || k > most) {
    return absl::InvalidArgumentError(absl::StrCat(
        op.name, " of the ", k, " largest along the last dimension of ", type.ToString()));
  }
  if (!type.IsStatic()) {
    const auto limit = static_cast<double>(k);
    return TakeDynamic(builder, op, builder.Constant(Literal::Filled({DType::kI32, {1}}, limit)));
  }
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, SortDescending(builder, x, op.location));
  SliceAttributes slice;
  slice.start_indices.assign(type.rank(), 0);
  slice.strides.assign(type.rank(), 1);
  slice.limit_indices.assign(type.dims.begin(), type.dims.end());
  slice.limit_indices[last] = k;
  for (ValueId& result : results) {
    ACCELD_ASSIGN_OR_RETURN(result,
                            builder.AddOne(OpKind::kSlice, {result}, slice, {}, op.location));
  }
  return results;
}

Expansion ExpandDynamicTopK(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 2));
  ACCELD_RETURN_IF_ERROR(CheckOperand(builder.TypeOf(op.operands[0]).tensor()));
  const TensorType& k = builder.TypeOf(op.operands[1]).tensor();
  if (k.rank() != 0 || !IsInteger(k.dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat("op '", op.name, "': k must be one integer, not ", k.ToString()));
  }
  Expressions scalar(builder, op.operands[1], DType::kI32, op.location);
  const Type one = TensorType{DType::kI32, {1}};
  ACCELD_ASSIGN_OR_RETURN(const ValueId limit,
                          builder.AddOne(OpKind::kReshape, {scalar.Convert(op.operands[1])},
                                         NoAttributes{}, {&one, 1}, op.location));
  return TakeDynamic(builder, op, limit);
}

}  // namespace acceld::ir
