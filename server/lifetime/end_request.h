#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/threads/mutex.h"

namespace acceld::lifetime {

// How a part of the daemon makes it end: by the signal that the main thread waits for, and a reason
// for the log. Any thread.
class EndRequest {
 public:
  // Sends SIGTERM to this process. Only the first call does.
  void Ask(absl::string_view reason);
  // Empty: nobody has asked.
  std::string reason() const;

 private:
  mutable Mutex mutex_;
  std::string reason_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::lifetime
