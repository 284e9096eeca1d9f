#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "server/runtime/device_executor.h"

// Memory for a task whose turn it is, and what is done when there is not enough.
namespace acceld::runtime {
namespace {

// Who had to wait until an execution of another was ended may need the memory of one more.
constexpr std::chrono::milliseconds kUntilTheNextEnds{2000};

}  // namespace

absl::Status DeviceExecutor::FindMemory(Task* task, int64_t size_bytes,
                                        absl::FunctionRef<absl::Status()> allocate) {
  using Victims = DeviceMemory::Victims;
  const TimePoint begin = std::chrono::steady_clock::now();
  const Meter* const owner = task != nullptr ? task->queue_->account_->host_meter().get() : nullptr;
  while (true) {
    if (task != nullptr && task->control_.cancelled().load()) return ReasonFor(*task);
    const uint64_t seen = completions();
    absl::Status status = allocate();
    if (status.code() != absl::StatusCode::kResourceExhausted) return status;
    // A submitting thread leaves the rest to the dispatcher.
    if (task != nullptr && task->here_) return status;
    if (size_bytes > device_.memory().limit_bytes) return memory_.Explain(status);
    if (memory_.MakeRoom(size_bytes, Victims::kIdle, owner)) continue;
    switch (WaitForCompletion(task, seen, begin + MemoryPatience(size_bytes, owner))) {
      case Wait::kCompleted:
        continue;
      case Wait::kLater:
        return status;
      case Wait::kHopeless:
        if (memory_.MakeRoom(size_bytes, Victims::kQueued, owner)) continue;
        if (task != nullptr && EndForMemory(*task, size_bytes, owner)) return status;
        return memory_.Explain(status);
    }
  }
}

std::chrono::milliseconds DeviceExecutor::MemoryPatience(int64_t size_bytes,
                                                         const Meter* owner) const {
  if (owner == nullptr || options_.stall_timeout >= options_.memory_wait ||
      options_.stall_timeout.count() == 0) {
    return options_.memory_wait;
  }
  const bool has_a_right =
      memory_.residents()->BytesByOwner()[owner] + size_bytes <= memory_.share_bytes();
  return has_a_right ? options_.stall_timeout : options_.memory_wait;
}

bool DeviceExecutor::EndForMemory(Task& task, int64_t size_bytes, const Meter* owner) {
  if (options_.stall_timeout.count() == 0) return false;
  const int64_t share_bytes = memory_.share_bytes();
  absl::flat_hash_map<const Meter*, int64_t> held = memory_.residents()->BytesByOwner();
  if (held[owner] + size_bytes > share_bytes) return false;
  const TimePoint now = std::chrono::steady_clock::now();
  std::vector<std::shared_ptr<hal::Buffer>> arenas;  // The last reference goes without the lock.
  MutexLock lock(mutex_);
  std::chrono::nanoseconds longest{0};
  Task* cause = nullptr;
  bool one_is_ending = false;
  for (const std::unique_ptr<ComputeStream>& stream : streams_) {
    if (stream->tasks.empty()) continue;
    Task& running = *stream->tasks.front();
    const MemoryAccount& account = *running.queue_->account_;
    if (account.host_meter().get() == owner || !account.has_share()) continue;
    int64_t held_bytes = held[account.host_meter().get()];
    if (std::shared_ptr<hal::Buffer> arena = stream->arena.lock()) {
      held_bytes += arena->size_bytes();
      arenas.push_back(std::move(arena));
    }
    if (held_bytes <= share_bytes) continue;
    if (running.control_.cancelled().load()) {
      one_is_ending = true;
    } else if (const auto took = TimeOnDevice(*stream, now); took > longest) {
      longest = took;
      cause = &running;
    }
  }
  if (cause == nullptr && !one_is_ending) return false;
  if (cause != nullptr) {
    chores_.ended.emplace_back(
        cause->shared_from_this(),
        absl::ResourceExhaustedError(absl::StrCat(
            "its owner has more than its share of the device's memory, ", share_bytes,
            " bytes, and another, who has less than its own, has waited for ", size_bytes,
            " bytes for ", std::min(options_.stall_timeout, options_.memory_wait).count(),
            " ms (stall-timeout)")));
  }
  task.memory_deadline_ = now + std::min(kUntilTheNextEnds, options_.memory_wait);
  task.wants_memory_ = true;
  return true;
}

absl::StatusOr<std::shared_ptr<hal::Buffer>> DeviceExecutor::Allocate(Task& task,
                                                                      int64_t size_bytes) {
  std::shared_ptr<hal::Buffer> buffer;
  ACCELD_RETURN_IF_ERROR(FindMemory(&task, size_bytes, [&]() -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(buffer, device_.Allocate(size_bytes));
    return absl::OkStatus();
  }));
  return buffer;
}

absl::Status DeviceExecutor::AllocateAll(Task& task, int64_t arena_bytes,
                                         absl::InlinedVector<Allocation, 2>& outputs,
                                         std::shared_ptr<hal::Buffer>& arena) {
  ACCELD_RETURN_IF_ERROR(ChargeAll(task, outputs));
  int64_t size_bytes = arena_bytes;
  for (const Allocation& output : outputs) size_bytes += output.charged_bytes;
  absl::Status status = FindMemory(
      &task, size_bytes, [&] { return TryAllocateAll(task, arena_bytes, outputs, arena); });
  if (status.ok()) return status;
  for (size_t i = 0; i < outputs.size(); ++i) {
    task.outputs[i]->account().Refund(outputs[i].charged_bytes);
  }
  outputs.clear();
  return status;
}

absl::Status DeviceExecutor::ChargeAll(Task& task, absl::InlinedVector<Allocation, 2>& outputs) {
  const TimePoint deadline = std::chrono::steady_clock::now() + options_.memory_wait;
  while (true) {
    if (task.control_.cancelled().load()) return ReasonFor(task);
    const uint64_t seen = completions();
    absl::Status status;
    for (const auto& output : task.outputs) {
      const int64_t size_bytes = output->type()->size_bytes();
      status = output->account().Charge(size_bytes);
      if (!status.ok()) break;
      outputs.push_back({nullptr, size_bytes});
    }
    if (status.ok()) return status;
    for (size_t i = 0; i < outputs.size(); ++i) {
      task.outputs[i]->account().Refund(outputs[i].charged_bytes);
    }
    outputs.clear();
    // Arrays that running work alone holds are refunded when it ends.
    if (task.here_ || WaitForCompletion(&task, seen, deadline) != Wait::kCompleted) return status;
  }
}

absl::StatusOr<std::shared_ptr<hal::Buffer>> DeviceExecutor::Arena(const Task& task,
                                                                   int64_t size_bytes) {
  if (task.express_ != nullptr) return device_.Allocate(size_bytes);
  std::shared_ptr<hal::Buffer> arena = task.stream_->arena.lock();
  if (arena != nullptr && arena->size_bytes() >= size_bytes) return arena;
  arena.reset();
  ACCELD_ASSIGN_OR_RETURN(arena, device_.Allocate(size_bytes));
  task.stream_->arena = arena;
  return arena;
}

absl::Status DeviceExecutor::TryAllocateAll(const Task& task, int64_t arena_bytes,
                                            absl::InlinedVector<Allocation, 2>& outputs,
                                            std::shared_ptr<hal::Buffer>& arena) {
  absl::Status status;
  for (size_t i = 0; status.ok() && i < outputs.size(); ++i) {
    auto buffer = device_.Allocate(outputs[i].charged_bytes);
    if (buffer.ok()) outputs[i].buffer = *std::move(buffer);
    status = buffer.status();
  }
  if (status.ok() && arena_bytes > 0) {
    auto buffer = Arena(task, arena_bytes);
    if (buffer.ok()) arena = *std::move(buffer);
    status = buffer.status();
  }
  // All or nothing: a part would stand in the way of making room.
  if (!status.ok()) {
    for (Allocation& output : outputs) output.buffer.reset();
  }
  return status;
}

uint64_t DeviceExecutor::completions() const {
  MutexLock lock(mutex_);
  return completions_;
}

DeviceExecutor::Wait DeviceExecutor::WaitForCompletion(Task* task, uint64_t seen_completions,
                                                       TimePoint deadline) {
  if (task != nullptr) {
    // Others want the dispatcher.
    task->memory_deadline_ = std::min(task->memory_deadline_, deadline);
    deadline = std::min(task->memory_deadline_, std::chrono::steady_clock::now() + options_.slice);
  }
  MutexLock lock(mutex_);
  const auto has_ended = [&] {
    return completions_ != seen_completions ||
           (task != nullptr && task->control_.cancelled().load());
  };
  // The task that needs the memory is counted as in flight too.
  const auto others_in_flight = [&] {
    return static_cast<int>(current_->tasks.size()) + express_in_flight_ + uploads_in_flight_ +
               downloads_in_flight_ >
           (task != nullptr ? 1 : 0);
  };
  ++memory_waiters_;
  bool in_time = true;
  while (!has_ended() && in_time &&
         (others_in_flight() || (task == nullptr && num_suspended_ > 0))) {
    in_time = memory_freed_.WaitUntil(mutex_, deadline);
  }
  --memory_waiters_;
  if (has_ended()) return Wait::kCompleted;
  if (task == nullptr || std::chrono::steady_clock::now() >= task->memory_deadline_ ||
      (!others_in_flight() && num_suspended_ == 0)) {
    return Wait::kHopeless;
  }
  task->wants_memory_ = true;
  return Wait::kLater;
}

}  // namespace acceld::runtime
