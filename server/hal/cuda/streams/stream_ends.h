#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/driver.h"

namespace acceld::hal::cuda {

// Tells those who keep something for each stream of a device that a stream is about to end.
// Thread-safe.
class StreamEnds {
 public:
  // Until Remove, which waits for a call that is under way. `listener` must not add or remove.
  uint64_t Add(std::function<void(CuStream)> listener) {
    MutexLock lock(mutex_);
    listeners_.emplace(++last_id_, std::move(listener));
    return last_id_;
  }
  void Remove(uint64_t id) {
    MutexLock lock(mutex_);
    listeners_.erase(id);
  }

  // For a stream on which nothing runs any more.
  void Announce(CuStream stream) {
    MutexLock lock(mutex_);
    for (const auto& [id, listener] : listeners_) listener(stream);
  }

 private:
  Mutex mutex_;
  absl::flat_hash_map<uint64_t, std::function<void(CuStream)>> listeners_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace acceld::hal::cuda
