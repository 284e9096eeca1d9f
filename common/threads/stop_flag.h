#pragma once

#include <atomic>

#include "common/status.h"

namespace acceld {

// Tells work that runs on other threads that its result is no longer needed. The work checks the
// flag between its steps and ends with the status of Check. A flag that is stopped stays so.
// Thread-safe.
class StopFlag {
 public:
  void Stop() { stopped_.store(true, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // Returns CANCELLED once the flag is stopped.
  absl::Status Check() const {
    if (!stopped()) return absl::OkStatus();
    return absl::CancelledError("nobody waits for the result any more");
  }

 private:
  std::atomic<bool> stopped_{false};
};

// As StopFlag::Check, where there may be no flag: nullptr counts as one that is never stopped.
inline absl::Status CheckStop(const StopFlag* flag) {
  return flag == nullptr ? absl::OkStatus() : flag->Check();
}

}  // namespace acceld
