#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/attributes/attribute_read.h"
#include "common/ir/chlo/expansions.h"
#include "common/ir/chlo/expressions.h"
#include "common/ir/import/take_first.h"

namespace acceld::ir {
namespace {

// Makes a comparator that says whether the first key precedes the second.
Region Descending(FunctionBuilder& builder, DType dtype) {
  const TensorType key{dtype, {}}, index{DType::kI32, {}};
  const std::vector<ValueId> p = builder.BeginRegion({key, key, index, index});
  const CompareAttributes compare{ComparisonDirection::kGt,
                                  IsFloat(dtype)    ? ComparisonType::kTotalOrder
                                  : IsSigned(dtype) ? ComparisonType::kSigned
                                                    : ComparisonType::kUnsigned};
  const Type predicate = TensorType{DType::kI1, {}};
  return builder.EndRegion(
      builder.AddUnchecked(OpKind::kCompare, {p[0], p[1]}, compare, {}, {&predicate, 1}));
}

// Returns the elements along the last dimension, largest first, and their indices.
Expansion SortDescending(FunctionBuilder& builder, ValueId x, Location location) {
  const TensorType type = builder.TypeOf(x).tensor();
  const int64_t last = type.rank() - 1;
  const ValueId iota = Expressions(builder, x, DType::kI32, location).Iota(last);
  std::vector<Region> regions;
  regions.push_back(Descending(builder, type.dtype));
  return builder.Add(OpKind::kSort, {x, iota}, SortAttributes{last, true}, std::move(regions), {},
                     location);
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
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, SortDescending(builder, x, op.location));
  return TakeFirst(builder, std::move(results), last, k, op.result_types, op.location);
}

Expansion ExpandDynamicTopK(FunctionBuilder& builder, const ImportedOp& op) {
  ACCELD_RETURN_IF_ERROR(CheckTensorOperands(builder, op, 2));
  const ValueId x = op.operands[0];
  const TensorType type = builder.TypeOf(x).tensor();
  ACCELD_RETURN_IF_ERROR(CheckOperand(type));
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> results, SortDescending(builder, x, op.location));
  return TakeFirst(builder, std::move(results), type.rank() - 1, op.operands[1], op.result_types,
                   op.location);
}

}  // namespace acceld::ir
