#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "common/log/log.h"

namespace acceld {

// Limits how many log lines per second a kind of event may write. Lines above the limit are
// counted; before the next line that is allowed, a line with their number is logged. Thread-safe.
class RateLimit {
 public:
  // `event` names the kind of event and must be a string literal.
  RateLimit(const char* event, int64_t max_per_second)
      : event_(event), max_per_second_(max_per_second) {}

  // Whether the caller may log its line now; otherwise the line is counted as left out.
  bool Take() {
    const int64_t second = std::chrono::duration_cast<std::chrono::seconds>(
                               std::chrono::steady_clock::now().time_since_epoch())
                               .count();
    int64_t current = second_.load(std::memory_order_relaxed);
    if (current != second && second_.compare_exchange_strong(current, second)) taken_.store(0);
    if (taken_.fetch_add(1, std::memory_order_relaxed) >= max_per_second_) {
      suppressed_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    if (const int64_t count = suppressed_.exchange(0, std::memory_order_relaxed); count > 0) {
      LogEvent(LogLevel::kInfo, "lines left out", {{"event", event_}, {"count", count}});
    }
    return true;
  }

 private:
  const char* const event_;
  const int64_t max_per_second_;
  std::atomic<int64_t> second_{0}, taken_{0}, suppressed_{0};
};

}  // namespace acceld
