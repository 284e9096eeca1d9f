#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::config {

// Bytes: "4096", "512KiB", "64MiB", "2GiB", "1TiB" (a trailing B alone or lower case is fine).
// INVALID_ARGUMENT quotes what is not a size: signs, fractions, other units, past 2^63.
absl::StatusOr<int64_t> ParseSizeBytes(absl::string_view text);

// As ParseSizeBytes reads it, in the largest unit that gives a whole number.
std::string SizeText(int64_t bytes);

}  // namespace acceld::config
