#include "common/ir/import/take_first.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/chlo/expressions.h"

namespace acceld::ir {
namespace {

using Values = absl::StatusOr<std::vector<ValueId>>;

// `limit` is a tensor<1xi32>.
Values TakeBefore(FunctionBuilder& builder, std::vector<ValueId> values, int64_t dimension,
                  ValueId limit, absl::Span<const Type> result_types, Location location) {
  if (result_types.size() != values.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(values.size(), " results, the signature says ", result_types.size()));
  }
  const TensorType indices{DType::kI32, {builder.TypeOf(values[0]).tensor().rank()}};
  std::vector<ValueId> sizes = Expressions(builder, values[0], DType::kI32, location).Sizes();
  sizes[dimension] = limit;
  ACCELD_ASSIGN_OR_RETURN(
      const ValueId limits,
      builder.AddOne(OpKind::kConcatenate, std::move(sizes), DimensionAttributes{0}, {}, location));
  const ValueId starts = builder.Constant(Literal::Zeros(indices));
  const ValueId strides = builder.Constant(Literal::Filled(indices, 1));
  for (size_t i = 0; i < values.size(); ++i) {
    ACCELD_ASSIGN_OR_RETURN(
        values[i], builder.AddOne(OpKind::kRealDynamicSlice, {values[i], starts, limits, strides},
                                  NoAttributes{}, {&result_types[i], 1}, location));
  }
  return values;
}

}  // namespace

Values TakeFirst(FunctionBuilder& builder, std::vector<ValueId> values, int64_t dimension,
                 int64_t count, absl::Span<const Type> result_types, Location location) {
  const TensorType type = builder.TypeOf(values[0]).tensor();
  if (!type.IsStatic()) {
    const Literal limit = Literal::Filled({DType::kI32, {1}}, static_cast<double>(count));
    return TakeBefore(builder, std::move(values), dimension, builder.Constant(limit), result_types,
                      location);
  }
  SliceAttributes slice;
  slice.start_indices.assign(type.rank(), 0);
  slice.strides.assign(type.rank(), 1);
  slice.limit_indices.assign(type.dims.begin(), type.dims.end());
  slice.limit_indices[dimension] = count;
  for (ValueId& value : values) {
    ACCELD_ASSIGN_OR_RETURN(value, builder.AddOne(OpKind::kSlice, {value}, slice, {}, location));
  }
  return values;
}

Values TakeFirst(FunctionBuilder& builder, std::vector<ValueId> values, int64_t dimension,
                 ValueId count, absl::Span<const Type> result_types, Location location) {
  const TensorType& type = builder.TypeOf(count).tensor();
  if (!builder.TypeOf(count).IsTensor() || type.rank() != 0 || !IsInteger(type.dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a count must be one integer, not ", type.ToString()));
  }
  Expressions scalar(builder, count, DType::kI32, location);
  const Type one = TensorType{DType::kI32, {1}};
  ACCELD_ASSIGN_OR_RETURN(const ValueId limit,
                          builder.AddOne(OpKind::kReshape, {scalar.Convert(count)}, NoAttributes{},
                                         {&one, 1}, location));
  return TakeBefore(builder, std::move(values), dimension, limit, result_types, location);
}

}  // namespace acceld::ir
