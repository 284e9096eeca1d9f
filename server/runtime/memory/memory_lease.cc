#include <algorithm>
#include <utility>
#include <vector>

#include "server/runtime/device_executor.h"

// The memory turn: the exclusive right to free memory on a device that is short of it.
//
// If two tasks both spilled arrays whenever they needed memory, each would take from the other what
// that has just brought to the device, forever. So one task at a time frees memory, keeps its
// inputs on the device while it waits for the rest, and gets what becomes free; other tasks wait as
// far as memory is short. An owner with a right to memory (MemoryShares) takes precedence over one
// without, and may take what is free. Priority classes do not count, as a stream of urgent tasks
// would keep others out. The turn is exclusive as long as there is progress: when no array has been
// moved for a while, the holder is waiting for somebody's execution, and other tasks may try to
// free memory, too.
namespace acceld::runtime {
namespace {

constexpr std::chrono::milliseconds kWithoutProgress{100};
// If the holder of the turn has no right to more memory, other tasks may take up to this part
// (1/64) of the device's memory, so that nobody waits for another's gigabytes in order to compute a
// number.
constexpr int64_t kSmallParts = 64;

}  // namespace

int64_t DeviceExecutor::MissingBytes(const Task& task) const {
  int64_t bytes = 0;
  for (const auto& output : task.outputs) bytes += output->type()->size_bytes();
  const auto* execution = std::get_if<Execution>(&task.work_);
  if (execution == nullptr) return bytes;
  for (const auto& input : execution->inputs) {
    if (input->device() != index_ || input->view().buffer == nullptr) {
      bytes += input->type()->size_bytes();
    }
  }
  const std::shared_ptr<hal::Buffer> arena =
      task.stream_ == nullptr ? nullptr : task.stream_->arena.lock();
  const int64_t arena_bytes = execution->executable->executable->arena_bytes;
  return arena != nullptr && arena->size_bytes() >= arena_bytes ? bytes : bytes + arena_bytes;
}

bool DeviceExecutor::ArraysMove() const { return memory_.is_spilling() || restores_in_flight_ > 0; }

DeviceExecutor::TimePoint DeviceExecutor::MemoryLeaseBindsUntil() const {
  if (memory_lease_.task == nullptr) return TimePoint::min();
  // The turn lasts however long one copy takes, as an array may have gigabytes.
  const TimePoint since =
      ArraysMove() ? std::chrono::steady_clock::now() : memory_lease_.progress_at;
  return since + kWithoutProgress;
}

void DeviceExecutor::EndMove() {
  memory_lease_.progress_at = std::chrono::steady_clock::now();
  RetryMemoryWaiters();
}

bool DeviceExecutor::MayTakeMemory(const Task& task, int64_t size_bytes) {
  if (!memory_is_awaited_.load(std::memory_order_acquire)) return true;
  const MemoryShares shares = memory_.Shares();
  MutexLock lock(mutex_);
  if (memory_lease_.task.get() == &task ||
      std::chrono::steady_clock::now() >= MemoryLeaseBindsUntil()) {
    return true;
  }
  const hal::MemoryStats memory = device_.memory();
  const int64_t free_bytes = memory.limit_bytes - memory.used_bytes;
  if (size_bytes == 0 || size_bytes <= free_bytes - memory_lease_.missing_bytes) return true;
  if (shares.HasRightTo(OwnerOf(task), size_bytes)) return true;
  return size_bytes <= memory.limit_bytes / kSmallParts &&
         !shares.HasRightTo(OwnerOf(*memory_lease_.task), memory_lease_.missing_bytes);
}

bool DeviceExecutor::TakeMemoryLease(Task& task) {
  const MemoryShares shares = memory_.Shares();
  const int64_t missing_bytes = MissingBytes(task);
  const TimePoint now = std::chrono::steady_clock::now();
  // Declared before the lock, to be freed after the unlock.
  std::vector<std::shared_ptr<hal::Buffer>> dropped;
  MutexLock lock(mutex_);
  MemoryLease& turn = memory_lease_;
  if (turn.task.get() == &task) {
    if (ArraysMove() || missing_bytes < turn.missing_bytes) turn.progress_at = now;
    turn.missing_bytes = missing_bytes;
    return true;
  }
  if (now < MemoryLeaseBindsUntil() &&
      (!shares.HasRightTo(OwnerOf(task), missing_bytes) ||
       shares.HasRightTo(OwnerOf(*turn.task), turn.missing_bytes))) {
    return false;
  }
  // A task that another thread is failing releases what it keeps by itself.
  if (turn.task != nullptr && turn.task->state_ != Task::State::kDone) {
    dropped.swap(turn.task->kept_);
  }
  turn = {task.shared_from_this(), missing_bytes, now};
  memory_is_awaited_.store(true, std::memory_order_release);
  return true;
}

void DeviceExecutor::EndMemoryLease(Task& task) {
  task.kept_.clear();
  if (!memory_is_awaited_.load(std::memory_order_acquire)) return;
  std::shared_ptr<Task> ended;
  MutexLock lock(mutex_);
  if (memory_lease_.task.get() != &task) return;
  ended = std::exchange(memory_lease_, {}).task;
  memory_is_awaited_.store(false, std::memory_order_release);
  RetryMemoryWaiters();
}

void DeviceExecutor::Keep(Task& task, absl::Span<const std::shared_ptr<hal::Buffer>> were_there,
                          absl::Span<const std::shared_ptr<hal::Buffer>> brought) {
  std::vector<std::shared_ptr<hal::Buffer>> kept(were_there.begin(), were_there.end());
  kept.insert(kept.end(), brought.begin(), brought.end());
  MutexLock lock(mutex_);
  if (memory_lease_.task.get() == &task) task.kept_.swap(kept);
}

absl::Status DeviceExecutor::AwaitMemoryLease(Task& task) {
  task.wants_memory_ = task.awaits_memory_lease_ = !task.dispatched_inline_;
  return absl::ResourceExhaustedError("others wait for the device's memory");
}

void DeviceExecutor::RetryMemoryWaiters() {
  ++completions_;
  if (memory_waiters_ > 0) memory_freed_.NotifyAll();
  ReleaseHeld();
  if (dispatcher_waits_ && DispatcherIsWanted()) work_.NotifyOne();
}

}  // namespace acceld::runtime
