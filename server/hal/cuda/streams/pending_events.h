#pragma once

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"
#include "server/hal/cuda/streams/fences.h"

namespace acceld::hal::cuda {

// The fences behind events of streams, so that one stream waits for another without the host.
// Shared by the devices of a process. Thread-safe.
class PendingEvents {
 public:
  // `fence.end` is recorded; until Remove, which comes before the event is ready.
  void Add(const Event& event, std::shared_ptr<const Fence> fence) {
    MutexLock lock(mutex_);
    fences_[event.id()] = std::move(fence);
  }
  void Remove(const Event& event) {
    MutexLock lock(mutex_);
    fences_.erase(event.id());
  }
  // nullptr for an event that is ready or not of a stream.
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
