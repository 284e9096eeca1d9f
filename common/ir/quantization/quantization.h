#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/ir/types/dtype.h"
#include "common/status.h"

namespace acceld::ir {

// How integers represent real numbers: a stored i represents (i - zero_point) * scale. A plain
// value; thread-compatible. Source: StableHLO specification, "Quantized types".
struct Quantization {
  DType storage = DType::kI8;
  int64_t storage_min = -128;
  int64_t storage_max = 127;
  DType expressed = DType::kF32;
  // nullopt: one scale and zero point for the whole tensor. Otherwise one for each index of this
  // dimension.
  absl::optional<int64_t> axis;
  std::vector<double> scales;
  std::vector<int64_t> zero_points;

  // Returns the text of the type: "!quant.uniform<i8:f32, 0.1:-30>".
  std::string ToString() const;

  friend bool operator==(const Quantization&, const Quantization&) = default;
};

// The range of the values of an integer dtype of at most 32 bits.
struct StorageRange {
  int64_t min;
  int64_t max;
};
StorageRange StorageRangeOf(DType storage);

// Returns an error if the storage is no integer type of at most 32 bits, the expressed type is not
// f16, bf16, f32 or f64, the bounds are outside of the storage type, a scale is not a positive
// finite number of the expressed type, a zero point is outside of the bounds, or the axis and the
// number of scales do not fit a tensor of these dimensions.
absl::Status ValidateQuantization(const Quantization& quantization, absl::Span<const int64_t> dims);

}  // namespace acceld::ir
