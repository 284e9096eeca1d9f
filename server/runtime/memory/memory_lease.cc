#include "server/runtime/memory/memory_lease.h"

#include <utility>

namespace acceld::runtime {
namespace {

constexpr std::chrono::milliseconds kWithoutProgress{100};
// If the holder of the lease has no right to more memory, other tasks may take up to this part
// (1/64) of the device's memory, so that nobody waits for another's gigabytes in order to compute a
// number.
constexpr int64_t kSmallParts = 64;

}  // namespace

MemoryLease::TimePoint MemoryLease::BindsUntilLocked(bool arrays_move) const {
  if (state_.task == nullptr) return TimePoint::min();
  // The lease lasts however long one copy takes, as an array may have gigabytes.
  const TimePoint since = arrays_move ? std::chrono::steady_clock::now() : state_.progress_at;
  return since + kWithoutProgress;
}

MemoryLease::TimePoint MemoryLease::BindsUntil(bool arrays_move) const {
  const MutexLock lock(mutex_);
  return BindsUntilLocked(arrays_move);
}

void MemoryLease::NoteProgress() {
  const MutexLock lock(mutex_);
  state_.progress_at = std::chrono::steady_clock::now();
}

bool MemoryLease::MayTake(const Need& need, bool arrays_move) const {
  const hal::MemoryStats memory = device_.memory();
  const int64_t free_bytes = memory.limit_bytes - memory.used_bytes;
  const MutexLock lock(mutex_);
  if (state_.task.get() == &need.task ||
      std::chrono::steady_clock::now() >= BindsUntilLocked(arrays_move)) {
    return true;
  }
  if (need.size_bytes == 0 || need.size_bytes <= free_bytes - state_.missing_bytes) return true;
  if (need.shares.HasRightTo(need.owner, need.size_bytes)) return true;
  return need.size_bytes <= memory.limit_bytes / kSmallParts &&
         !need.shares.HasRightTo(state_.owner, state_.missing_bytes);
}

bool MemoryLease::Acquire(const Need& need, std::shared_ptr<Task> task, bool arrays_move) {
  const TimePoint now = std::chrono::steady_clock::now();
  State previous;  // released after the unlock
  const MutexLock lock(mutex_);
  if (state_.task.get() == &need.task) {
    if (arrays_move || need.size_bytes < state_.missing_bytes) state_.progress_at = now;
    state_.missing_bytes = need.size_bytes;
    return true;
  }
  if (now < BindsUntilLocked(arrays_move) &&
      (!need.shares.HasRightTo(need.owner, need.size_bytes) ||
       need.shares.HasRightTo(state_.owner, state_.missing_bytes))) {
    return false;
  }
  previous = std::exchange(state_, State{.task = std::move(task),
                                         .owner = need.owner,
                                         .missing_bytes = need.size_bytes,
                                         .progress_at = now,
                                         .kept = {}});
  is_held_.store(true, std::memory_order_release);
  return true;
}

bool MemoryLease::Release(const Task& task) {
  if (!is_held()) return false;
  State ended;  // released after the unlock
  const MutexLock lock(mutex_);
  if (state_.task.get() != &task) return false;
  ended = std::exchange(state_, {});
  is_held_.store(false, std::memory_order_release);
  return true;
}

void MemoryLease::Keep(const Task& task, absl::Span<const std::shared_ptr<hal::Buffer>> were_there,
                       absl::Span<const std::shared_ptr<hal::Buffer>> brought) {
  std::vector<std::shared_ptr<hal::Buffer>> kept(were_there.begin(), were_there.end());
  kept.insert(kept.end(), brought.begin(), brought.end());
  const MutexLock lock(mutex_);
  if (state_.task.get() == &task) state_.kept.swap(kept);
}

}  // namespace acceld::runtime
