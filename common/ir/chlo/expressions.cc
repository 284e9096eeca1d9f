#include "common/ir/chlo/expressions.h"

#include <string>
#include <utility>

namespace acceld::ir {

ValueId Expressions::Constant(const Literal& scalar) {
  if (type_.IsStatic()) return builder_.Constant(*Literal::FromBytes(type_, scalar.DenseBytes()));
  return Op(OpKind::kDynamicBroadcastInDim, {builder_.Constant(scalar), Shape()}, type_,
            DynamicBroadcastInDimAttributes{});
}

ValueId Expressions::Constant(const Literal& vector, int64_t dimension) {
  const ValueId constant = builder_.Constant(vector);
  if (type_.IsStatic()) {
    return Op(OpKind::kBroadcastInDim, {constant}, type_, BroadcastInDimAttributes{{dimension}});
  }
  DynamicBroadcastInDimAttributes attributes;
  attributes.broadcast_dimensions = {dimension};
  return Op(OpKind::kDynamicBroadcastInDim, {constant, Shape()}, type_, std::move(attributes));
}

ValueId Expressions::Compare(ComparisonDirection direction, ValueId a, ValueId b) {
  ComparisonType compared = ComparisonType::kFloat;
  if (IsSigned(type_.dtype)) compared = ComparisonType::kSigned;
  if (IsUnsigned(type_.dtype) || type_.dtype == DType::kI1) compared = ComparisonType::kUnsigned;
  return Op(OpKind::kCompare, {a, b}, PredicateType(), CompareAttributes{direction, compared});
}

ValueId Expressions::Iota(int64_t dimension) {
  if (type_.IsStatic()) return Op(OpKind::kIota, {}, type_, IotaAttributes{dimension});
  return Op(OpKind::kDynamicIota, {Shape()}, type_, IotaAttributes{dimension});
}

std::vector<ValueId> Expressions::Sizes() {
  const TensorType one{DType::kI32, {1}};
  std::vector<ValueId> sizes;
  for (int64_t d = 0; d < type_.rank(); ++d) {
    const ValueId size =
        Op(OpKind::kGetDimensionSize, {like_}, {DType::kI32, {}}, DimensionAttributes{d});
    sizes.push_back(Op(OpKind::kReshape, {size}, one));
  }
  return sizes;
}

// The sizes of the dimensions of `like`, as tensor<rank x i32>.
ValueId Expressions::Shape() {
  return Op(OpKind::kConcatenate, Sizes(), {DType::kI32, {type_.rank()}}, DimensionAttributes{0});
}

}  // namespace acceld::ir
