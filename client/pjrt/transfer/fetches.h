#pragma once

#include <utility>

#include "client/array.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"

namespace acceld::pjrt {

// Holds a buffer's array for the fetches of it that are under way, so that they go on when the
// buffer is deleted or donated. The buffer owns it: when it is destroyed, they lapse. Thread-safe.
class Fetches {
 public:
  void Begin(const client::Array& array) {
    const MutexLock lock(mutex_);
    array_ = array;
    ++under_way_;
  }
  void End() {
    client::Array dropped;  // Without the lock.
    const MutexLock lock(mutex_);
    if (--under_way_ == 0) std::swap(dropped, array_);
  }

 private:
  Mutex mutex_;
  client::Array array_ ABSL_GUARDED_BY(mutex_);  // while there are any
  int under_way_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace acceld::pjrt
