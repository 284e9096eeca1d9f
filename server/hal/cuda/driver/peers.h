#pragma once

#include <memory>
#include <vector>

#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// The devices of a process that were opened together, and may copy from each other. Thread-safe.
class Peers {
 public:
  void Add(std::shared_ptr<Context> context) {
    MutexLock lock(mutex_);
    contexts_.push_back(std::move(context));
  }

  // Enqueues a copy on a stream of `target`, from memory of any of the devices, which may be
  // `target` itself. Where one device cannot reach the other's memory, the driver goes by the host.
  absl::Status Copy(Context& target, CuPointer to, CuPointer from, int64_t size_bytes,
                    CuStream stream) const;

 private:
  absl::StatusOr<std::shared_ptr<Context>> OwnerOf(Context& caller, CuPointer address) const;

  mutable Mutex mutex_;
  std::vector<std::shared_ptr<Context>> contexts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cuda
