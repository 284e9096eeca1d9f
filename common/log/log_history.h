#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/log/log_line.h"
#include "common/threads/mutex.h"

namespace acceld {

// A message of the log, with the ones like it that came one after the other.
struct LogEntry {
  std::chrono::system_clock::time_point time;  // of the last one
  LogLevel level = LogLevel::kWarning;
  std::string text;
  uint64_t count = 1;
};

// The last few messages that were added, each cut to a length. Any thread may add and read; nothing
// waits for I/O.
class LogHistory {
 public:
  static constexpr size_t kMaxEntries = 50;
  static constexpr size_t kMaxTextBytes = 500;

  // The same level and text again count on what was added last.
  void Add(std::chrono::system_clock::time_point time, LogLevel level, absl::string_view text);
  // The newest first.
  std::vector<LogEntry> Read() const;

 private:
  mutable Mutex mutex_;
  std::deque<LogEntry> entries_ ABSL_GUARDED_BY(mutex_);  // The newest first.
};

}  // namespace acceld
