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

// How long a stream waits for its next chunk, so that one that is never continued does not stay.
// Of one reactor, which must not end between Await and Stop but by `on_late`.
class ChunkDeadline {
 public:
  // `limit` of zero: for ever. `on_late` is called on the timers' thread, at most once.
  ChunkDeadline(TimerQueue& timers, std::chrono::milliseconds limit,
                std::function<void(const absl::Status&)> on_late)
      : timers_(timers), limit_(limit), on_late_(std::move(on_late)) {}

  // From now on; `start_read` starts the read that Stop follows.
  void Await(absl::FunctionRef<void()> start_read) {
    MutexLock lock(mutex_);
    if (limit_.count() > 0) {
      timer_ = timers_.At(std::chrono::steady_clock::now() + limit_, [this] { BeLate(); });
    }
    start_read();
  }

  // False: it is too late, and the call is on_late's to end.
  bool Stop() {
    MutexLock lock(mutex_);
    return timer_ == 0 || timers_.Cancel(timer_);
  }

 private:
  void BeLate() {
    // Not before the read has started.
    {
      MutexLock lock(mutex_);
    }
    on_late_(absl::DeadlineExceededError(
        absl::StrCat("the next chunk has not come within ", limit_.count(), " ms")));
  }

  TimerQueue& timers_;
  const std::chrono::milliseconds limit_;
  const std::function<void(const absl::Status&)> on_late_;
  Mutex mutex_;
  uint64_t timer_ ABSL_GUARDED_BY(mutex_) = 0;  // of the last Await; 0: there is none
};

}  // namespace acceld::rpc
