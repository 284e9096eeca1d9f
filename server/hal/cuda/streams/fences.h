#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// What one piece of work on a stream needs to be followed: when it began and ended, and some bytes
// of pinned memory that both sides see.
struct Fence {
  struct Shared {
    int32_t cancelled;  // not 0: kernels that poll it stop
    int32_t chosen;     // what the device says which way to go
    int32_t reserved[14];
  };

  CuEvent begin = nullptr, end = nullptr;
  Shared* shared = nullptr;
};

// Blocks until the work before `fence.end` has ended, with its error if it failed. Once
// `cancelled`, which may be nullptr, is true, kernels of that work that poll are told to stop.
absl::Status Await(Context& context, const Fence& fence, const std::atomic<bool>* cancelled);

// Fences that go round: creating one takes longer than using it. Thread-safe.
class Fences : public std::enable_shared_from_this<Fences> {
 public:
  explicit Fences(std::shared_ptr<Context> context) : context_(std::move(context)) {}
  ~Fences();
  Fences(const Fences&) = delete;
  Fences& operator=(const Fences&) = delete;

  // With `shared` all zeros. It goes back with its last reference, when its work must have ended.
  absl::StatusOr<std::shared_ptr<const Fence>> Take();

 private:
  absl::Status Add() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<Context> context_;
  Mutex mutex_;
  std::vector<void*> pages_ ABSL_GUARDED_BY(mutex_);   // pinned
  std::vector<Fence> fences_ ABSL_GUARDED_BY(mutex_);  // all
  std::vector<Fence> free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cuda
