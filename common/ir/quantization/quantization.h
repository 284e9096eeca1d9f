#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/ir/types/dtype.h"
#include "common/status.h"

namespace acceld::ir {

// How the integers of a tensor stand for reals: a stored i is (i - zero_point) * scale. A plain
// value; thread-compatible. Source: StableHLO specification, "Quantized types".
struct Quantization {
  DType storage = DType::kI8;
  int64_t storage_min = -128;
  int64_t storage_max = 127;
  DType expressed = DType::kF32;
  // Absent: one scale and zero point for the whole tensor. Otherwise one for each index of this
  // dimension.
  absl::optional<int64_t> axis;
  std::vector<double> scales;
  std::vector<int64_t> zero_points;

  // "!quant.uniform<i8:f32, 0.1:-30>".
  std::string ToString() const;

  friend bool operator==(const Quantization&, const Quantization&) = default;
};

// The values that an integer dtype of at most 32 bits can hold.
struct StorageRange {
  int64_t min;
  int64_t max;
};
StorageRange StorageRangeOf(DType storage);

// Refuses storage that is no integer of at most 32 bits, an expressed type that is no f16, bf16,
// f32 or f64, bounds outside of the storage type, scales that the expressed type does not hold as
// positive finite numbers, zero points outside of the bounds, and an axis or counts that do not fit
// a tensor of these dimensions.
absl::Status ValidateQuantization(const Quantization& quantization, absl::Span<const int64_t> dims);

}  // namespace acceld::ir
