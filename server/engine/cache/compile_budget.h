#pragma once

#include <chrono>
#include <cstdint>

#include "common/threads/mutex.h"

namespace acceld::engine {

// Limits the time that may be spent on compiles: a token bucket that is refilled at the rate of
// `limit` per minute and holds at most `limit`. A compile may overdraw the bucket, as its duration
// is not known before; then no compile may begin until the bucket has been refilled. Thread-safe.
class CompileBudget {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Sets the limit; 0: none. Time spent before stays spent.
  void SetLimit(int64_t limit_ms) {
    MutexLock lock(mutex_);
    limit_ms_ = limit_ms;
  }
  // Returns whether a compile may begin now.
  bool IsOpen(TimePoint now) {
    MutexLock lock(mutex_);
    Refill(now);
    return limit_ms_ == 0 || spent_ms_ < static_cast<double>(limit_ms_);
  }
  // Takes the duration of a compile from the bucket.
  void Spend(std::chrono::nanoseconds time, TimePoint now) {
    MutexLock lock(mutex_);
    Refill(now);
    spent_ms_ += std::chrono::duration<double, std::milli>(time).count();
  }
  // Returns how much is missing from a full bucket, in milliseconds.
  int64_t SpentMs(TimePoint now) {
    MutexLock lock(mutex_);
    Refill(now);
    return static_cast<int64_t>(spent_ms_);
  }
  int64_t limit_ms() const {
    MutexLock lock(mutex_);
    return limit_ms_;
  }

 private:
  void Refill(TimePoint now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (now <= refilled_at_) return;
    const std::chrono::duration<double> since = now - refilled_at_;
    refilled_at_ = now;
    // Without a limit, the time spent decays by one minute per minute.
    const double per_second = limit_ms_ > 0 ? static_cast<double>(limit_ms_) / 60 : 1000;
    spent_ms_ = spent_ms_ > per_second * since.count() ? spent_ms_ - per_second * since.count() : 0;
  }

  mutable Mutex mutex_;
  int64_t limit_ms_ ABSL_GUARDED_BY(mutex_) = 0;
  double spent_ms_ ABSL_GUARDED_BY(mutex_) = 0;
  TimePoint refilled_at_ ABSL_GUARDED_BY(mutex_) = std::chrono::steady_clock::now();
};

}  // namespace acceld::engine
