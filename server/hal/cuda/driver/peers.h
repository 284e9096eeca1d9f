#pragma once

#include <memory>
#include <vector>

#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// The contexts of the devices that were opened together, for copies from one device to another.
// Thread-safe.
class Peers {
 public:
  // Adds a device.
  void Add(std::shared_ptr<Context> context) {
    MutexLock lock(mutex_);
    contexts_.push_back(std::move(context));
  }

  // Enqueues a copy on `stream`, a stream of `target`: from `from`, memory of any added device,
  // which may be `target` itself, to `to`, memory of `target`. If the devices cannot access each
  // other's memory, the driver copies through the host. The context of `target` must be current on
  // the calling thread. Returns INTERNAL if `from` is memory of another device, and the driver's
  // errors.
  absl::Status Copy(Context& target, CuPointer to, CuPointer from, int64_t size_bytes,
                    CuStream stream) const;

 private:
  // Returns the context of the device that has the memory at `address`.
  absl::StatusOr<std::shared_ptr<Context>> OwnerOf(Context& caller, CuPointer address) const;

  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Context>> contexts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cuda
