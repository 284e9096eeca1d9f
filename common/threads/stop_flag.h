#pragma once

#include <atomic>

#include "common/status.h"

namespace acceld {

// Tells work under way on other threads that nobody wants its result any more. The work looks
// between its steps, and ends with what Check says. Thread-safe; never taken back.
class StopFlag {
 public:
  void Stop() { stopped_.store(true, std::memory_order_relaxed); }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // CANCELLED once it is stopped.
  absl::Status Check() const {
    if (!stopped()) return absl::OkStatus();
    return absl::CancelledError("nobody waits for the result any more");
  }

 private:
  std::atomic<bool> stopped_{false};
};

// The same where there may be no flag: nullptr is never stopped.
inline absl::Status CheckStop(const StopFlag* flag) {
  return flag == nullptr ? absl::OkStatus() : flag->Check();
}

}  // namespace acceld
