#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "common/threads/mutex.h"
#include "server/hal/device.h"
#include "server/runtime/memory/memory_shares.h"
#include "server/runtime/task.h"

namespace acceld::runtime {

// The exclusive right to free memory on a device that is short of it.
//
// If two tasks both spilled arrays whenever they needed memory, each would take from the other what
// that has just brought to the device, forever. So one task at a time, the holder of the lease,
// frees memory, keeps its inputs on the device while it waits for the rest, and gets what becomes
// free; other tasks wait as far as memory is short. An owner with a right to memory (MemoryShares)
// takes precedence over one without, and may take what is free. Priority classes do not count, as a
// stream of urgent tasks would keep others out. The lease is exclusive as long as there is
// progress: when no array has been moved for a while, the holder is waiting for somebody's
// execution, and other tasks may try to free memory, too.
//
// `arrays_move`, where it is an argument, says whether arrays are being copied to or from the
// device at present. Thread-safe; nothing blocks.
class MemoryLease {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // A need for memory: whose it is, and who holds how much now.
  struct Need {
    const Task& task;
    const Meter* owner = nullptr;
    int64_t size_bytes = 0;
    const MemoryShares& shares;
  };

  explicit MemoryLease(const hal::Device& device) : device_(device) {}

  // Returns whether a task holds the lease.
  bool is_held() const { return is_held_.load(std::memory_order_acquire); }
  // Returns whether the task may take so much of the free memory, although the holder of the lease
  // waits for it.
  bool MayTake(const Need& need, bool arrays_move) const;
  // Returns whether the task may free memory now; `size_bytes` is what it still needs. If so, it
  // holds the lease until it has its memory or fails.
  bool Acquire(const Need& need, std::shared_ptr<Task> task, bool arrays_move);
  // Ends the lease if the task holds it. Returns whether it did.
  bool Release(const Task& task);
  // Keeps these buffers on the device for the task as long as it holds the lease.
  void Keep(const Task& task, absl::Span<const std::shared_ptr<hal::Buffer>> were_there,
            absl::Span<const std::shared_ptr<hal::Buffer>> brought);
  // Returns until when other tasks have to wait, if there is no progress before.
  TimePoint BindsUntil(bool arrays_move) const;
  // Notes that an array has been moved.
  void NoteProgress();

 private:
  struct State {
    std::shared_ptr<Task> task;  // nullptr: nobody holds the lease
    const Meter* owner = nullptr;
    int64_t missing_bytes = 0;
    // When an allocation last came closer to its size, or an array was last moved.
    TimePoint progress_at;
    std::vector<std::shared_ptr<hal::Buffer>> kept;
  };

  TimePoint BindsUntilLocked(bool arrays_move) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const hal::Device& device_;
  std::atomic<bool> is_held_{false};
  mutable Mutex mutex_;
  State state_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::runtime
