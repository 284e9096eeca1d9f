#include "common/log/log_line.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/time/time.h"
#include "common/json_text.h"
#include "common/utf8.h"

namespace acceld {
namespace {

bool IsWord(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::string_view("_-.:/@+[](),").find(c) != absl::string_view::npos;
  });
}

// JSON has no numbers for infinities and NaN.
bool IsJsonNumber(const LogField& field) {
  double value = 0;
  return field.is_number && absl::SimpleAtod(field.value, &value) && std::isfinite(value);
}

}  // namespace

absl::string_view LogLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

std::string TextOfEvent(absl::string_view message, absl::Span<const LogField> fields) {
  std::string text(message);
  for (const LogField& field : fields) {
    absl::StrAppend(&text, " ", field.key, "=");
    if (field.is_number || IsWord(field.value)) {
      absl::StrAppend(&text, field.value);
    } else {
      absl::StrAppend(
          &text, "\"",
          IsUtf8(field.value) ? absl::Utf8SafeCEscape(field.value) : absl::CEscape(field.value),
          "\"");
    }
  }
  return text;
}

std::string JsonLine(std::chrono::system_clock::time_point time, LogLevel level, uint64_t thread,
                     absl::string_view message, absl::Span<const LogField> fields) {
  std::string line = absl::StrCat(
      "{\"time\":\"",
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(time), absl::UTCTimeZone()),
      "\",\"level\":\"", LogLevelName(level), "\",\"thread\":", thread, ",\"message\":");
  AppendJsonString(message, line);
  for (const LogField& field : fields) {
    absl::StrAppend(&line, ",\"", field.key, "\":");
    if (IsJsonNumber(field)) {
      absl::StrAppend(&line, field.value);
    } else {
      AppendJsonString(field.value, line);
    }
  }
  line.push_back('}');
  return line;
}

}  // namespace acceld
