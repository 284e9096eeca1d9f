#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/driver.h"

namespace acceld::hal::cuda {

// Notifies the objects that keep data for each stream of a device when a stream is about to be
// destroyed. Thread-safe.
class StreamListeners {
 public:
  // Adds a listener that is called with each stream that is about to be destroyed, and returns an
  // id for Remove. `listener` must not call Add or Remove.
  uint64_t Add(std::function<void(CuStream)> listener) {
    MutexLock lock(mutex_);
    listeners_.emplace(++last_id_, std::move(listener));
    return last_id_;
  }
  // Removes a listener. Blocks until a call of it that is in progress has returned.
  void Remove(uint64_t id) {
    MutexLock lock(mutex_);
    listeners_.erase(id);
  }

  // Calls all listeners with `stream`, on which no work may be running any more.
  void NotifyDestroy(CuStream stream) {
    MutexLock lock(mutex_);
    for (const auto& [id, listener] : listeners_) listener(stream);
  }

 private:
  Mutex mutex_;
  absl::flat_hash_map<uint64_t, std::function<void(CuStream)>> listeners_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace acceld::hal::cuda
