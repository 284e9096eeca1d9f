#include "common/ir/quantization/quantization.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/ir/types/float_formats.h"
#include "common/ir/types/type.h"

namespace acceld::ir {
namespace {

// MLIR spells unsigned storage without the i.
std::string StorageName(DType dtype) {
  return absl::StrCat(IsUnsigned(dtype) ? "u" : "i", BitsOf(dtype));
}

template <typename... Parts>
absl::Status Refuse(const Quantization& quantization, const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(quantization.ToString(), ": ", parts...));
}

}  // namespace

StorageRange StorageRangeOf(DType storage) {
  const int bits = BitsOf(storage);
  if (IsUnsigned(storage)) return {0, (int64_t{1} << bits) - 1};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

std::string Quantization::ToString() const {
  constexpr size_t kMaxPrinted = 8;
  std::string text = absl::StrCat("!quant.uniform<", StorageName(storage));
  const StorageRange range = StorageRangeOf(storage);
  if (storage_min != range.min || storage_max != range.max) {
    absl::StrAppend(&text, "<", storage_min, ":", storage_max, ">");
  }
  absl::StrAppend(&text, ":", DTypeName(expressed));
  if (axis.has_value()) absl::StrAppend(&text, ":", *axis);
  text += axis.has_value() ? ", {" : ", ";
  for (size_t i = 0; i < scales.size() && i < zero_points.size(); ++i) {
    if (i == kMaxPrinted) {
      text += ", ...";
      break;
    }
    absl::StrAppendFormat(&text, "%s%.17g", i == 0 ? "" : ", ", scales[i]);
    if (zero_points[i] != 0) absl::StrAppend(&text, ":", zero_points[i]);
  }
  return text + (axis.has_value() ? "}>" : ">");
}

absl::Status ValidateQuantization(const Quantization& quantization,
                                  absl::Span<const int64_t> dims) {
  const DType storage = quantization.storage;
  const DType expressed = quantization.expressed;
  if (!IsInteger(storage) || BitsOf(storage) > 32) {
    return absl::InvalidArgumentError(
        absl::StrCat("quantized values are stored in integers of at "
                     "most 32 bits, not in ",
                     DTypeName(storage)));
  }
  if (!IsFloat(expressed) || BitsOf(expressed) < 16) {
    return absl::InvalidArgumentError(absl::StrCat(
        "quantized values stand for f16, bf16, f32 or f64, not for ", DTypeName(expressed)));
  }
  const StorageRange range = StorageRangeOf(storage);
  const int64_t min = quantization.storage_min;
  const int64_t max = quantization.storage_max;
  if (min < range.min || max > range.max || min >= max) {
    return Refuse(quantization, "the bounds ", min, " and ", max, " are no range within [",
                  range.min, ", ", range.max, "]");
  }
  if (quantization.scales.size() != quantization.zero_points.size()) {
    return Refuse(quantization, quantization.scales.size(), " scales and ",
                  quantization.zero_points.size(), " zero points");
  }
  for (const double scale : quantization.scales) {
    const double held = RoundToFormat(expressed, scale);
    if (!(held > 0) || !std::isfinite(held)) {
      return Refuse(quantization, "the scale ", scale, " is no positive finite ",
                    DTypeName(expressed));
    }
  }
  for (const int64_t zero_point : quantization.zero_points) {
    if (zero_point < min || zero_point > max) {
      return Refuse(quantization, "the zero point ", zero_point, " is outside [", min, ", ", max,
                    "]");
    }
  }
  int64_t expected = 1;
  if (quantization.axis.has_value()) {
    const int64_t axis = *quantization.axis;
    const auto rank = static_cast<int64_t>(dims.size());
    if (axis < 0 || axis >= rank) {
      return Refuse(quantization, "the axis ", axis, " is outside [0, ", rank, ")");
    }
    expected = dims[axis];
    if (expected == kDynamicDim) {
      return Refuse(quantization, "the size of dimension ", axis, " must be known");
    }
  }
  if (static_cast<int64_t>(quantization.scales.size()) != expected) {
    return Refuse(quantization, quantization.scales.size(), " scales where ", expected,
                  " are needed");
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir
