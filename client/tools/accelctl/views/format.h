#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

// How accelctl writes values for people.
namespace acceld::tools {

// "512 B", "1.5 MiB".
std::string SizeText(uint64_t bytes);
// "59s", "12m03s", "3h05m", "2d04h".
std::string DurationText(double seconds);
// The text without what would steer a terminal, cut to `max_bytes`: names come from clients.
std::string PrintableText(absl::string_view text, size_t max_bytes = 64);

}  // namespace acceld::tools
