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

// The process's log, which is written to standard error. A message is built with absl::StrCat from
// its parts:
//   LogInfo("compiled ", name, " in ", ms, " ms");
// An event, which programs that read the log shall find, consists of a fixed text and fields:
//   LogEvent(LogLevel::kInfo, "session opened", {{"session", id}, {"client", name}});
// Any thread may log.
namespace acceld {

// Parses "debug", "info", "warning" or "error".
absl::StatusOr<LogLevel> ParseLogLevel(absl::string_view text);
// Discards messages below this level.
void SetLogLevel(LogLevel level);
// Parses "text" or "json".
absl::StatusOr<LogFormat> ParseLogFormat(absl::string_view text);
void SetLogFormat(LogFormat format);
// Redirects the process's standard error and standard output to the end of a file. When the file
// has grown to `max_bytes`, it is renamed to PATH.old, which replaces an older one of that name,
// and a new file is begun. Returns the system's error, with the path. Call once, before other
// threads log.
absl::Status SetLogFile(const std::string& path, int64_t max_bytes);

// Whether messages of this level are written.
bool LogEnabled(LogLevel level);
void Log(LogLevel level, absl::string_view message);
void LogEvent(LogLevel level, absl::string_view event, std::initializer_list<LogField> fields);

// Returns the most recent warnings and errors, the newest first. Events come without their fields:
// those say who called and what for, and the list is also for users who may learn that there is
// trouble, but not whose it is.
std::vector<LogEntry> RecentWarnings();

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
