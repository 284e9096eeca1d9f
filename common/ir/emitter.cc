#include "common/ir/emitter.h"

#include <string>

#include "common/ir/types/element.h"

namespace acceld::ir {

ValueId Emitter::Op(OpKind kind, std::vector<ValueId> operands, OpAttributes attributes,
                    const TensorType* declared) {
  if (!status_.ok()) return 0;
  std::vector<Type> types;
  if (declared != nullptr) types.emplace_back(*declared);
  const absl::StatusOr<ValueId> result =
      builder_.AddOne(kind, std::move(operands), std::move(attributes), types, location_);
  status_ = result.status();
  return result.ok() ? *result : 0;
}

ValueId Emitter::Compare(ComparisonDirection direction, ValueId a, ValueId b) {
  if (!status_.ok()) return 0;
  const DType dtype = TypeOf(a).dtype;
  const auto type = IsFloat(dtype) || IsComplex(dtype)         ? ComparisonType::kFloat
                    : IsUnsigned(dtype) || dtype == DType::kI1 ? ComparisonType::kUnsigned
                                                               : ComparisonType::kSigned;
  return Op(OpKind::kCompare, {a, b}, CompareAttributes{direction, type});
}

ValueId Emitter::ShiftLeft(ValueId x, int64_t bits) {
  return Op(OpKind::kShiftLeft, {x, ConstantLike(x, bits)});
}

ValueId Emitter::ShiftRight(ValueId x, int64_t bits) {
  return Op(OpKind::kShiftRightLogical, {x, ConstantLike(x, bits)});
}

ValueId Emitter::Constant(const TensorType& type, double value) {
  if (!status_.ok()) return 0;
  return builder_.Constant(Literal::Filled(type, value));
}

ValueId Emitter::ConstantLike(ValueId like, uint64_t value) {
  if (!status_.ok()) return 0;
  const TensorType& type = TypeOf(like);
  std::string bytes(StorageBytesOf(type.dtype), '\0');
  WriteInt(type.dtype, bytes.data(), 0, static_cast<int64_t>(value));
  const auto literal = Literal::FromBytes(type, std::move(bytes));
  status_ = literal.status();
  return literal.ok() ? builder_.Constant(*literal) : 0;
}

ValueId Emitter::Iota(const TensorType& type, int64_t dimension) {
  return Op(OpKind::kIota, {}, IotaAttributes{dimension}, &type);
}

ValueId Emitter::LinearIndex(const Dims& dims) {
  const TensorType type{DType::kUI64, dims};
  if (dims.empty()) return Constant(type, 0);
  const Dims strides = RowMajorStrides(dims);
  ValueId sum = Iota(type, type.rank() - 1);
  for (int64_t d = 0; d + 1 < type.rank(); ++d) {
    if (dims[d] < 2) continue;
    const ValueId index = Iota(type, d);
    sum = Add(sum, Mul(index, ConstantLike(index, strides[d])));
  }
  return sum;
}

ValueId Emitter::Convert(ValueId x, DType dtype) {
  if (!status_.ok() || TypeOf(x).dtype == dtype) return x;
  const TensorType type{dtype, TypeOf(x).dims};
  return Op(OpKind::kConvert, {x}, NoAttributes{}, &type);
}

ValueId Emitter::Bitcast(ValueId x, DType dtype) {
  if (!status_.ok() || TypeOf(x).dtype == dtype) return x;
  const TensorType type{dtype, TypeOf(x).dims};
  return Op(OpKind::kBitcastConvert, {x}, NoAttributes{}, &type);
}

ValueId Emitter::BitcastToParts(ValueId x, DType dtype) {
  if (!status_.ok()) return 0;
  TensorType type{dtype, TypeOf(x).dims};
  type.dims.push_back(BitsOf(TypeOf(x).dtype) / BitsOf(dtype));
  return Op(OpKind::kBitcastConvert, {x}, NoAttributes{}, &type);
}

ValueId Emitter::Broadcast(ValueId x, const Dims& dims, std::vector<int64_t> dimensions) {
  if (!status_.ok()) return 0;
  const TensorType type{TypeOf(x).dtype, dims};
  return Op(OpKind::kBroadcastInDim, {x}, BroadcastInDimAttributes{std::move(dimensions)}, &type);
}

ValueId Emitter::Reshape(ValueId x, Dims dims) {
  if (!status_.ok() || TypeOf(x).dims == dims) return x;
  const TensorType type{TypeOf(x).dtype, std::move(dims)};
  return Op(OpKind::kReshape, {x}, NoAttributes{}, &type);
}

ValueId Emitter::Concatenate(std::vector<ValueId> xs, int64_t dimension) {
  return Op(OpKind::kConcatenate, std::move(xs), DimensionAttributes{dimension});
}

ValueId Emitter::SliceTo(ValueId x, const Dims& limits) {
  if (!status_.ok() || TypeOf(x).dims == limits) return x;
  SliceAttributes slice;
  slice.start_indices.assign(limits.size(), 0);
  slice.limit_indices.assign(limits.begin(), limits.end());
  slice.strides.assign(limits.size(), 1);
  return Op(OpKind::kSlice, {x}, std::move(slice));
}

ValueId Emitter::ElementOf(ValueId vector, int64_t i) {
  return Reshape(Op(OpKind::kSlice, {vector}, SliceAttributes{{i}, {i + 1}, {1}}), {});
}

ValueId Emitter::Sum(ValueId x, std::vector<int64_t> dimensions) {
  if (!status_.ok()) return 0;
  const DType dtype = TypeOf(x).dtype;
  const ValueId zero = Constant({dtype, {}}, 0);
  std::vector<Region> regions;
  regions.push_back(Reducer(OpKind::kAdd, dtype));
  return OpWithRegions(OpKind::kReduce, {x, zero}, DimensionsAttributes{std::move(dimensions)},
                       std::move(regions))
      .front();
}

Region Emitter::Reducer(OpKind kind, DType dtype) {
  const Type scalar = TensorType{dtype, {}};
  const std::vector<ValueId> p = builder_.BeginRegion({scalar, scalar});
  const ValueId combined = Op(kind, {p[0], p[1]});
  return builder_.EndRegion({combined});
}

Region Emitter::Comparator(ComparisonDirection direction, DType dtype) {
  const Type scalar = TensorType{dtype, {}};
  const std::vector<ValueId> p = builder_.BeginRegion({scalar, scalar});
  const ValueId is_so = Compare(direction, p[0], p[1]);
  return builder_.EndRegion({is_so});
}

Region Emitter::Replacement(DType dtype) {
  const Type scalar = TensorType{dtype, {}};
  const std::vector<ValueId> p = builder_.BeginRegion({scalar, scalar});
  return builder_.EndRegion({p[1]});
}

std::vector<ValueId> Emitter::OpWithRegions(OpKind kind, std::vector<ValueId> operands,
                                            OpAttributes attributes, std::vector<Region> regions,
                                            size_t num_results) {
  if (!status_.ok()) return std::vector<ValueId>(num_results);
  absl::StatusOr<std::vector<ValueId>> results = builder_.Add(
      kind, std::move(operands), std::move(attributes), std::move(regions), {}, location_);
  status_ = results.status();
  return results.ok() ? *std::move(results) : std::vector<ValueId>(num_results);
}

}  // namespace acceld::ir
