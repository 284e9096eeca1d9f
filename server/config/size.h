#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::config {

// Parses a number of bytes: "4096", "512KiB", "64MiB", "2GiB", "1TiB". Lower case and a single B as
// the unit are accepted. INVALID_ARGUMENT, quoting the text, for anything else: signs, fractions,
// other units, sizes of 2^63 bytes or more.
absl::StatusOr<int64_t> ParseSizeBytes(absl::string_view text);

// Formats a number of bytes in the largest unit that gives a whole number, as ParseSizeBytes reads
// it.
std::string SizeText(int64_t bytes);

}  // namespace acceld::config
