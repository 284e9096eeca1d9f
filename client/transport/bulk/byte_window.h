#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "common/threads/mutex.h"

namespace acceld::client {

// Bounds the bytes that are under way. What does not fit waits and starts in order of arrival, on
// the thread that makes room. One thing may be larger than the limit; then it is alone.
//
// Any thread may call. Nothing blocks, but for what the started functions do; they run without a
// lock, one at a time, and may call back.
class ByteWindow {
 public:
  explicit ByteWindow(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Whether the bytes are under way from now on; false when there is no room.
  bool TryEnter(int64_t bytes);
  // Runs `start` when the bytes are under way: now or later.
  void Enter(int64_t bytes, std::function<void()> start);
  // Each entry is followed by one Leave with the same number.
  void Leave(int64_t bytes);

 private:
  bool HasRoom(int64_t bytes) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return under_way_ == 0 || bytes <= limit_bytes_ - under_way_;
  }
  void StartWaiting();

  const int64_t limit_bytes_;
  Mutex mutex_;
  int64_t under_way_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<std::pair<int64_t, std::function<void()>>> waiting_ ABSL_GUARDED_BY(mutex_);
  // Somebody is starting what waits; a started function that fails at once leaves the window from
  // within, and a thousand of them must not stand on one stack.
  bool starting_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::client
