#pragma once

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"
#include "server/hal/cuda/streams/fence_pool.h"

namespace acceld::hal::cuda {

// Maps the events of work that has not ended to the fences of the work, so that one stream can wait
// for another on the device, without the host. Shared by the devices that are opened together.
// Thread-safe.
class PendingEvents {
 public:
  // Adds an event with the fence of its work; `fence->end` must have been recorded. Remove must be
  // called before the event becomes ready.
  void Add(const Event& event, std::shared_ptr<const Fence> fence) {
    MutexLock lock(mutex_);
    fences_[event.id()] = std::move(fence);
  }
  void Remove(const Event& event) {
    MutexLock lock(mutex_);
    fences_.erase(event.id());
  }
  // Returns the fence of an event, or nullptr if the event is ready or does not belong to a stream
  // of these devices.
  std::shared_ptr<const Fence> Find(const Event& event) const {
    MutexLock lock(mutex_);
    const auto it = fences_.find(event.id());
    return it == fences_.end() ? nullptr : it->second;
  }

 private:
  mutable Mutex mutex_;
  absl::flat_hash_map<const void*, std::shared_ptr<const Fence>> fences_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cuda
