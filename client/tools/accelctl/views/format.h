#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

// How accelctl formats values for people.
namespace acceld::tools {

// Formats a number of bytes: "512 B", "1.5 MiB".
std::string SizeText(uint64_t bytes);
// Formats a duration: "59s", "12m03s", "3h05m", "2d04h".
std::string DurationText(double seconds);
// Escapes control characters, because names come from clients and must not steer the terminal, and
// cuts the text to `max_bytes`.
std::string PrintableText(absl::string_view text, size_t max_bytes = 64);

}  // namespace acceld::tools
