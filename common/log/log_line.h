#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// The format of log lines. These functions have no state and do no I/O; log.h writes the log.
namespace acceld {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kText, kJson };

// A field of an event. Keys are literals of lower-case letters and underscores; values may be any
// bytes.
struct LogField {
  LogField(absl::string_view key, absl::string_view text) : key(key), value(text) {}
  LogField(absl::string_view key, const char* text) : key(key), value(text) {}
  LogField(absl::string_view key, const std::string& text) : key(key), value(text) {}
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  LogField(absl::string_view key, Number number)
      : key(key), value(absl::StrCat(number)), is_number(true) {}

  absl::string_view key;
  std::string value;
  bool is_number = false;
};

// Returns an event in text form, the message followed by its fields:
//   session opened session=3 client="train digits"
// A value is put in quotes and escaped unless it is a number or a plain word.
std::string TextOfEvent(absl::string_view message, absl::Span<const LogField> fields);

// Returns an event in JSON form: one object on one line, without the line's end. Always valid
// UTF-8.
//   {"time":"2026-11-22T05:28:44.123Z","level":"info","thread":7,"message":"session opened",
//    "session":3,"client":"train digits"}
std::string JsonLine(std::chrono::system_clock::time_point time, LogLevel level, uint64_t thread,
                     absl::string_view message, absl::Span<const LogField> fields);

// Returns "debug", "info", "warning" or "error".
absl::string_view LogLevelName(LogLevel level);

}  // namespace acceld
