#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// Tracks one piece of work on a stream: the driver's events that are recorded at its begin and at
// its end, and some bytes of pinned memory that the host and the device share.
struct Fence {
  struct Shared {
    int32_t cancelled;  // not 0: kernels that poll this value stop
    int32_t chosen;     // the value from the device by which the host chooses a branch
    int32_t reserved[14];
  };

  CuEvent begin = nullptr, end = nullptr;
  Shared* shared = nullptr;
};

// Blocks until the work before `fence.end` has ended, and returns its error if it failed. If
// `cancelled`, which may be nullptr, is or becomes true meanwhile, tells kernels that poll to stop,
// by setting Fence::Shared::cancelled. Calls `poll`, if it is not empty, at short intervals while
// it waits.
absl::Status Await(Context& context, const Fence& fence, const std::atomic<bool>* cancelled,
                   const std::function<void()>& poll = nullptr);

// A pool of the fences of one device, which are reused because creating one takes longer than using
// it. A shared_ptr must own the pool; fences in use share ownership. Thread-safe.
class FencePool : public std::enable_shared_from_this<FencePool> {
 public:
  explicit FencePool(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~FencePool();
  FencePool(const FencePool&) = delete;
  FencePool& operator=(const FencePool&) = delete;

  // Returns a fence with zeros in `shared`, creating it if none is free. The fence returns to the
  // pool when its last reference is dropped; its work must have ended by then.
  absl::StatusOr<std::shared_ptr<const Fence>> Take();

 private:
  // Creates a fence and adds it to the pool.
  absl::Status Add() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<Context> context_;
  Mutex mutex_;
  std::vector<void*> pages_ ABSL_GUARDED_BY(mutex_);   // pinned memory for Fence::shared
  std::vector<Fence> fences_ ABSL_GUARDED_BY(mutex_);  // all, in use or not
  std::vector<Fence> free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cuda
