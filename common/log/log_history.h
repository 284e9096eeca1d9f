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

// A log message, together with its repetitions that followed it directly.
struct LogEntry {
  std::chrono::system_clock::time_point time;  // of the last repetition
  LogLevel level = LogLevel::kWarning;
  std::string text;
  uint64_t count = 1;
};

// Keeps the most recent messages that were added, each cut to kMaxTextBytes. Thread-safe; no call
// does I/O.
class LogHistory {
 public:
  static constexpr size_t kMaxEntries = 50;
  static constexpr size_t kMaxTextBytes = 500;

  // Adds a message. One that equals the previous one in level and text is counted as its
  // repetition.
  void Add(std::chrono::system_clock::time_point time, LogLevel level, absl::string_view text);
  // Returns the messages, the newest first.
  std::vector<LogEntry> Read() const;

 private:
  mutable Mutex mutex_;
  std::deque<LogEntry> entries_ ABSL_GUARDED_BY(mutex_);  // The newest first.
};

}  // namespace acceld
