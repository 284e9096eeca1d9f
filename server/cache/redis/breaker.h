#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "common/threads/mutex.h"

namespace acceld::cache::redis {

// A circuit breaker: keeps callers from a server that has failed. After some failures in a row it
// opens and rejects calls. After a pause it admits one trial call; each failed trial doubles the
// pause, up to a limit, and a success closes the breaker. Thread-safe.
class Breaker {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    int failures = 3;  // in a row
    std::chrono::milliseconds first_pause{500}, longest_pause{30'000};
  };

  explicit Breaker(const Options& options) : options_(options), pause_(options.first_pause) {}

  // Returns whether the caller may try. If so, the caller must report the result by Succeeded or
  // Failed.
  bool Allows(Clock::time_point now) {
    MutexLock lock(mutex_);
    if (!is_open_) return true;
    if (is_trying_ || now < next_try_) return false;
    return is_trying_ = true;
  }
  // Reports a success: closes the breaker.
  void Succeeded() {
    MutexLock lock(mutex_);
    failures_ = 0;
    is_open_ = is_trying_ = false;
    pause_ = options_.first_pause;
  }
  // Reports a failure: may open the breaker, or lengthen the pause.
  void Failed(Clock::time_point now) {
    MutexLock lock(mutex_);
    if (!is_open_) {
      if (++failures_ < options_.failures) return;
      ++openings_;
      is_open_ = true;
    } else if (std::exchange(is_trying_, false)) {
      pause_ = std::min(2 * pause_, options_.longest_pause);
    } else {
      return;  // a call that was admitted before the breaker opened tells nothing new
    }
    next_try_ = now + pause_;
  }

  bool is_open() const {
    MutexLock lock(mutex_);
    return is_open_;
  }
  // How many times the breaker has opened.
  uint64_t openings() const {
    MutexLock lock(mutex_);
    return openings_;
  }

 private:
  const Options options_;
  mutable Mutex mutex_;
  int failures_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
  // Whether a trial call is in progress, while the breaker is open.
  bool is_trying_ ABSL_GUARDED_BY(mutex_) = false;
  std::chrono::milliseconds pause_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point next_try_ ABSL_GUARDED_BY(mutex_);
  uint64_t openings_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace acceld::cache::redis
