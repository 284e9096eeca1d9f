#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/threads/mutex.h"

namespace acceld::lifetime {

// Lets a part of the daemon end it: sends the signal for which the main thread waits, and records a
// reason for the log. Thread-safe.
class EndRequest {
 public:
  // Sends SIGTERM to this process. Only the first call has an effect.
  void Ask(absl::string_view reason);
  // Returns the reason; empty if Ask was not called.
  std::string reason() const;

 private:
  mutable Mutex mutex_;
  std::string reason_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::lifetime
