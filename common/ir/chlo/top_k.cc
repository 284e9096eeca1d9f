#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attribute_read.h"
#include "common/ir/chlo/expansions.h"

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

}  // namespace

Expansion ExpandTopK(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 1));
  const ValueId x = op.operands[0];
  const TensorType type = builder.TypeOf(x).tensor();
  if (!type.IsStatic() || IsComplex(type.dtype)) return absl::UnimplementedError("");
  const auto entry = op.attributes.find("k");
  if (entry == op.attributes.end()) {
    return absl::InvalidArgumentError(absl::StrCat(op.name, " needs the attribute k"));
  }
  int64_t k = 0;
  ACCELD_RETURN_IF_ERROR(Annotate(ReadField(entry->second, k), absl::StrCat(op.name, ", k")));
  const int64_t last = type.rank() - 1;
  if (type.rank() == 0 || k < 0 || k > type.dims[last]) {
    return absl::InvalidArgumentError(absl::StrCat(
        op.name, " of the ", k, " largest along the last dimension of ", type.ToString()));
  }
  const Type indices = TensorType{DType::kI32, type.dims};
  ACCELD_ASSIGN_OR_RETURN(
      const ValueId iota,
      builder.AddOne(OpKind::kIota, {}, IotaAttributes{last}, {&indices, 1}, op.location));
  std::vector<Region> regions;
  regions.push_back(Descending(builder, type.dtype));
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results,
                          builder.Add(OpKind::kSort, {x, iota}, SortAttributes{last, true},
                                      std::move(regions), {}, op.location));
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

}  // namespace acceld::ir
