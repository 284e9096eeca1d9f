#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/threads/mutex.h"

namespace acceld {

// Runs callbacks at given times of the steady clock, on one thread of its own, in the order of
// their times (equal times: in the order of the calls of At). A callback that takes long delays the
// others, so it must not block; it may call At and Cancel.
//
// Thread-safe. At and Cancel wait neither for the thread nor for callbacks. The destructor waits
// for a running callback and drops the remaining timers; it must not be called by a callback.
class TimerQueue {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // At most `max_timers` timers may be pending at a time.
  TimerQueue(std::string name, size_t max_timers);
  ~TimerQueue();
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  // Sets a timer that runs `callback` once at `time`, or soon when that is past. Returns the
  // timer's id, or 0 when the queue is full, in which case the callback never runs.
  uint64_t At(TimePoint time, std::function<void()> callback);
  // Cancels a timer. True when its callback now never runs; false when the callback runs, has run,
  // or the timer was never set.
  bool Cancel(uint64_t id);

 private:
  using Key = std::pair<TimePoint, uint64_t>;

  void RunTimers();

  const size_t max_timers_;
  Mutex mutex_;
  CondVar changed_;
  std::map<Key, std::function<void()>> timers_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, TimePoint> times_ ABSL_GUARDED_BY(mutex_);  // by id
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace acceld
