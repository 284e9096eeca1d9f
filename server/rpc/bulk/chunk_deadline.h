#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "common/threads/timer_queue.h"

namespace acceld::rpc {

// The deadline for the next chunk of a client's stream, so that a stream that the client never
// continues ends. Belongs to one reactor, which between Await and Stop may end only by
// `on_timeout`.
class ChunkDeadline {
 public:
  // A `limit` of zero means no deadline. `on_timeout` is called with DEADLINE_EXCEEDED, at most
  // once, on the thread of `timers`; it has to end the call.
  ChunkDeadline(TimerQueue& timers, std::chrono::milliseconds limit,
                std::function<void(const absl::Status&)> on_timeout)
      : timers_(timers), limit_(limit), on_timeout_(std::move(on_timeout)) {}

  // Starts the time and calls `start_read`, which starts a read; Stop is to be called when the read
  // is done.
  void Await(absl::FunctionRef<void()> start_read) {
    MutexLock lock(mutex_);
    if (limit_.count() > 0) {
      timer_ = timers_.At(std::chrono::steady_clock::now() + limit_, [this] { OnTimeout(); });
    }
    start_read();
  }

  // Stops the time. False: it has run out, and only `on_timeout` may end the call.
  bool Stop() {
    MutexLock lock(mutex_);
    return timer_ == 0 || timers_.Cancel(timer_);
  }

 private:
  void OnTimeout() {
    // Await holds the lock until the read has started; `on_timeout` must not come before that.
    {
      MutexLock lock(mutex_);
    }
    on_timeout_(absl::DeadlineExceededError(
        absl::StrCat("the next chunk has not come within ", limit_.count(), " ms")));
  }

  TimerQueue& timers_;
  const std::chrono::milliseconds limit_;
  const std::function<void(const absl::Status&)> on_timeout_;
  Mutex mutex_;
  uint64_t timer_ ABSL_GUARDED_BY(mutex_) = 0;  // set by the last Await; 0: no deadline
};

}  // namespace acceld::rpc
