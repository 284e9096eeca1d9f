#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "common/threads/mutex.h"

namespace acceld::client {

// Limits the number of bytes that are in flight. Functions whose bytes do not fit are queued and
// started in order of arrival, on the thread that makes room. A single entry may exceed the limit
// if nothing else is in flight.
//
// Thread-safe. Nothing blocks, except what the started functions do. They run one at a time,
// without a lock, and may call this object.
class ByteWindow {
 public:
  explicit ByteWindow(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Enters if there is room. Returns whether it did.
  bool TryEnter(int64_t bytes);
  // Runs `start` when there is room: at once or later.
  void Enter(int64_t bytes, std::function<void()> start);
  // Removes the bytes of one earlier TryEnter or Enter.
  void Leave(int64_t bytes);

 private:
  bool HasRoom(int64_t bytes) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return in_flight_ == 0 || bytes <= limit_bytes_ - in_flight_;
  }
  void StartWaiting();

  const int64_t limit_bytes_;
  Mutex mutex_;
  int64_t in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<std::pair<int64_t, std::function<void()>>> waiting_ ABSL_GUARDED_BY(mutex_);
  // True while some thread starts queued functions. A started function that fails at once calls
  // Leave from inside, and must not start the next one recursively: thousands of them would
  // overflow the stack.
  bool starting_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::client
