#include "client/tracing/ops/random/parameters.h"

#include <memory>

#include "absl/strings/str_cat.h"

namespace acceld::client::random {
namespace {

using ir::DType;

std::optional<FloatFormat> FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return FloatFormat{52, 0x3FF0000000000000p0, 0x1p-1022, 0x1p-53, 0x1p-52};
    case DType::kF32:
      return FloatFormat{23, 0x3F800000p0, 0x1p-126, 0x1p-24, 0x1p-23};
    case DType::kF16:
      return FloatFormat{10, 0x3C00p0, 0x1p-14, 0x1p-11, 0x1p-10};
    case DType::kBF16:
      return FloatFormat{7, 0x3F80p0, 0x1p-126, 0x1p-8, 0x1p-7};
    default:
      return std::nullopt;
  }
}

}  // namespace

bool IsKey(Tracer& tracer, absl::string_view operation, const Tensor& key) {
  if (key.type() == ir::TensorType{DType::kUI32, {2}}) return true;
  tracer.Fail(operation, absl::StrCat("the key is ", key.type().ToString(),
                                      "; expected tensor<2xui32>, as Key and Split give it"));
  return false;
}

std::optional<FloatFormat> NeedFloat(absl::string_view operation, DType dtype) {
  const std::optional<FloatFormat> format = FormatOf(dtype);
  if (!format.has_value()) {
    Tracer::Current()->Fail(operation, absl::StrCat("the element type is ", ir::DTypeName(dtype),
                                                    "; expected f64, f32, f16 or bf16"));
  }
  return format;
}

std::optional<Tensor> Parameter(absl::string_view operation, const Operand& key,
                                const Operand& parameter) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(key, parameter);
  if (tracer == nullptr || !IsKey(*tracer, operation, key)) return std::nullopt;
  const Tensor value = tracer->InTrace(parameter);
  if (!NeedFloat(operation, value.dtype()).has_value()) return std::nullopt;
  return value;
}

}  // namespace acceld::client::random
