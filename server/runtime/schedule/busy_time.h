#pragma once

#include <algorithm>
#include <chrono>

namespace acceld::runtime {

// The time in which a device has had at least one execution. It is made of clock readings and of
// durations of runs that the executor has anyway, so that counting costs some additions.
//
// What is on the device: each compute stream while its first execution is neither suspended nor
// waits for its client, and each execution on an express stream. Streams may be on the device side
// by side; the time since the last count is then counted once, by the clock.
//
// The runs of one stream never overlap. While one stream alone is on the device, the durations that
// its runs report are added up instead. So neither the dispatch of an execution nor its wait for
// inputs counts, and it does not matter that the end of a run is noticed late.
//
// Not thread-safe.
class BusyTime {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // A stream, or an execution on an express stream, begins to be on the device.
  void Enter(TimePoint now) {
    if (num_on_device_++ > 0) return;
    counted_until_ = std::max(counted_until_, now);
    is_between_runs_ = true;
  }
  // A run of what is on the device has ended. `duration` is its time on the device; zero if that is
  // not known, or if the run was suspended, as its time until then has been counted.
  void EndRun(TimePoint now, std::chrono::nanoseconds duration) {
    if (num_on_device_ == 1 && is_between_runs_ && duration.count() > 0) {
      total_ += duration;
      counted_until_ = std::max(counted_until_, now);
    } else {
      CountUntil(now);
    }
    is_between_runs_ = num_on_device_ == 1;
  }
  // Counts the time since the last count, in which something was on the device, by the clock.
  void CountUntil(TimePoint now) {
    if (now <= counted_until_) return;
    total_ += now - counted_until_;
    counted_until_ = now;
    is_between_runs_ = false;
  }
  // What was on the device no longer is. The time since the last count is not counted for it: a
  // dispatch that failed was never on the device.
  void Leave() { --num_on_device_; }

  // Returns the time until now, which includes that of runs that have not ended. It never falls.
  std::chrono::nanoseconds Read(TimePoint now) {
    if (num_on_device_ > 0) CountUntil(now);
    return total_;
  }

 private:
  int num_on_device_ = 0;
  std::chrono::nanoseconds total_{0};
  // Up to when the time is counted, where that was by the clock; otherwise when the last run ended.
  TimePoint counted_until_;
  // Whether no part of the next run that ends can have been counted.
  bool is_between_runs_ = false;
};

}  // namespace acceld::runtime
