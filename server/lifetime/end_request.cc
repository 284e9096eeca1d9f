#include "server/lifetime/end_request.h"

#include <signal.h>
#include <unistd.h>

namespace acceld::lifetime {

void EndRequest::Ask(absl::string_view reason) {
  {
    MutexLock lock(mutex_);
    if (!reason_.empty()) return;
    reason_ = std::string(reason);
  }
  kill(getpid(), SIGTERM);
}

std::string EndRequest::reason() const {
  MutexLock lock(mutex_);
  return reason_;
}

}  // namespace acceld::lifetime
