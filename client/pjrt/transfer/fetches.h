#pragma once

#include <utility>

#include "client/array.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"

namespace acceld::pjrt {

// Holds a buffer's array on behalf of pending fetches, so that they continue if the buffer is
// deleted or donated. The buffer owns this object; when the buffer is destroyed, pending fetches no
// longer hold the array. Thread-safe.
class Fetches {
 public:
  // Begin is called when a fetch of `array` starts, End when it has ended.
  void Begin(const client::Array& array) {
    const MutexLock lock(mutex_);
    array_ = array;
    ++in_flight_;
  }
  void End() {
    client::Array dropped;  // Destroyed without the lock.
    const MutexLock lock(mutex_);
    if (--in_flight_ == 0) std::swap(dropped, array_);
  }

 private:
  Mutex mutex_;
  client::Array array_ ABSL_GUARDED_BY(mutex_);  // Held while fetches are pending.
  int in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace acceld::pjrt
