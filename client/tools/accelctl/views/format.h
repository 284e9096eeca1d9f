#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

// How accelctl formats values for people, in every command in the same way. Pure functions.
namespace acceld::tools {

// Formats a number of bytes: "512 B", "1.5 MiB".
std::string SizeText(uint64_t bytes);
// Formats a time, which may be an age: "0 s", "25.3 us", "6.7 ms", "5.2 s", "12m03s", "3h05m",
// "2d04h".
std::string TimeText(double seconds);
// Formats a number of things: "1 session", "2 sessions"; of irregular ones, "2 entries".
std::string CountText(uint64_t count, absl::string_view noun, absl::string_view plural = "");
// Escapes control characters, because names come from clients and must not steer the terminal.
std::string PrintableText(absl::string_view text);
// The same for a cell of a table: "-" for nothing.
std::string CellText(absl::string_view text);

}  // namespace acceld::tools
