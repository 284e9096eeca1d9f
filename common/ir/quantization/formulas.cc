#include "common/ir/quantization/formulas.h"

#include <algorithm>
#include <vector>

#include "common/ir/chlo/expressions.h"
#include "common/ir/types/element.h"

namespace acceld::ir {
namespace {

// Broadcasts a parameter of a quantization, or one for each index of its axis, to the shape.
template <typename T>
ValueId Spread(Expressions& e, const Quantization& quantization, const std::vector<T>& values) {
  if (!quantization.axis.has_value()) return e.Constant(static_cast<double>(values[0]));
  const TensorType type{e.dtype(), {static_cast<int64_t>(values.size())}};
  std::string bytes(type.size_bytes(), '\0');
  const int64_t element_bytes = StorageBytesOf(type.dtype);
  for (size_t i = 0; i < values.size(); ++i) {
    StoreConverted(type.dtype, bytes.data() + i * element_bytes, static_cast<double>(values[i]));
  }
  return e.Constant(*Literal::FromBytes(type, std::move(bytes)), *quantization.axis);
}

bool HasZeroPoints(const Quantization& quantization) {
  return std::any_of(quantization.zero_points.begin(), quantization.zero_points.end(),
                     [](int64_t zero_point) { return zero_point != 0; });
}

}  // namespace

ValueId Dequantize(FunctionBuilder& builder, ValueId stored, const Quantization& quantization,
                   Location location) {
  // Wide enough for the difference of any two stored values.
  const DType wide = BitsOf(quantization.storage) < 32 ? DType::kI32 : DType::kI64;
  Expressions integers(builder, stored, wide, location);
  ValueId steps = integers.Convert(stored);
  if (HasZeroPoints(quantization)) {
    steps = integers.Sub(steps, Spread(integers, quantization, quantization.zero_points));
  }
  Expressions reals = integers.With(quantization.expressed);
  return reals.Mul(reals.Convert(steps), Spread(reals, quantization, quantization.scales));
}

ValueId Quantize(FunctionBuilder& builder, ValueId real, const Quantization& quantization,
                 Location location) {
  Expressions reals(builder, real, quantization.expressed, location);
  ValueId steps = reals.Div(real, Spread(reals, quantization, quantization.scales));
  if (HasZeroPoints(quantization)) {
    steps = reals.Add(steps, Spread(reals, quantization, quantization.zero_points));
  }
  steps = reals.Clamp(static_cast<double>(quantization.storage_min), steps,
                      static_cast<double>(quantization.storage_max));
  return reals.With(quantization.storage).Convert(reals.Unary(OpKind::kRoundNearestEven, steps));
}

}  // namespace acceld::ir
