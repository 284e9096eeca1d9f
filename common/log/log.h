#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/log/log_history.h"
#include "common/log/log_line.h"
#include "common/status.h"

// The process's log, on standard error. Messages are built with absl::StrCat from their parts:
//   LogInfo("compiled ", name, " in ", ms, " ms");
// What is to be found again by machines is an event: a fixed text and fields.
//   LogEvent(LogLevel::kInfo, "session opened", {{"session", id}, {"client", name}});
// Any thread may log.
namespace acceld {

// Parses "debug", "info", "warning" or "error".
absl::StatusOr<LogLevel> ParseLogLevel(absl::string_view text);
void SetLogLevel(LogLevel level);
// Parses "text" or "json".
absl::StatusOr<LogFormat> ParseLogFormat(absl::string_view text);
void SetLogFormat(LogFormat format);
// From now on standard error and standard output are this file, at whose end the log goes on. When
// it has grown to `max_bytes`, it is renamed to PATH.old, in the place of one that is there, and a
// new one begins. The system's error, with the path. For one call, before other threads log.
absl::Status SetLogFile(const std::string& path, int64_t max_bytes);

bool LogEnabled(LogLevel level);
void Log(LogLevel level, absl::string_view message);
void LogEvent(LogLevel level, absl::string_view event, std::initializer_list<LogField> fields);

// The last warnings and errors, the newest first, for whoever may know that there is trouble but
// not whose: of events without their fields, which say who called and what for.
std::vector<LogEntry> RecentTrouble();

template <typename... Parts>
void LogDebug(const Parts&... parts) {
  if (LogEnabled(LogLevel::kDebug)) Log(LogLevel::kDebug, absl::StrCat(parts...));
}
template <typename... Parts>
void LogInfo(const Parts&... parts) {
  if (LogEnabled(LogLevel::kInfo)) Log(LogLevel::kInfo, absl::StrCat(parts...));
}
template <typename... Parts>
void LogWarning(const Parts&... parts) {
  if (LogEnabled(LogLevel::kWarning)) Log(LogLevel::kWarning, absl::StrCat(parts...));
}
template <typename... Parts>
void LogError(const Parts&... parts) {
  if (LogEnabled(LogLevel::kError)) Log(LogLevel::kError, absl::StrCat(parts...));
}

}  // namespace acceld
