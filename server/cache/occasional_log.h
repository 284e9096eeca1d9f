#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/log/log.h"
#include "common/status.h"

namespace acceld::cache {

// Logs warnings about a problem that may recur with every operation, at most one a minute.
// Thread-safe.
class OccasionalLog {
 public:
  // Logs `status` as a warning, unless there was one within the last minute.
  void Warn(absl::string_view where, const absl::Status& status) {
    const int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
    int64_t last = last_ns_.load(std::memory_order_relaxed);
    if (now - last >= kIntervalNs && last_ns_.compare_exchange_strong(last, now)) {
      LogWarning(where, ": ", status.ToString());
    }
  }

 private:
  static constexpr int64_t kIntervalNs = int64_t{60} * 1'000'000'000;
  std::atomic<int64_t> last_ns_{-kIntervalNs};  // steady clock
};

}  // namespace acceld::cache
