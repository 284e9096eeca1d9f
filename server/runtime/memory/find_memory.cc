#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/runtime/device_executor.h"

// Allocation of memory for tasks, and what is done when there is not enough.
namespace acceld::runtime {
namespace {

// How long an owner waits further after an execution was ended for it, before another one is.
constexpr std::chrono::milliseconds kUntilTheNextEnds{2000};
// How long, and how often, to try again although nothing is in flight: released arrays may be
// destroyed later, by threads that nobody waits for.
constexpr std::chrono::milliseconds kSettling{20}, kSettlingRetry{2};

}  // namespace

const Meter* DeviceExecutor::OwnerOf(const Task& task) {
  return task.queue_->account_->host_meter().get();
}

absl::Status DeviceExecutor::FindMemory(Task* task, const Meter* owner, int64_t size_bytes,
                                        absl::FunctionRef<absl::Status()> allocate) {
  using Victims = DeviceMemory::Victims;
  MemoryWait own_wait;
  MemoryWait& wait = task != nullptr ? task->memory_wait_ : own_wait;
  while (true) {
    if (task != nullptr && task->control_.cancelled().load()) return ReasonFor(*task);
    if (task != nullptr && !MayTakeMemory(*task, size_bytes)) return AwaitMemoryLease(*task);
    const uint64_t seen = completions();
    absl::Status status = allocate();
    if (status.code() != absl::StatusCode::kResourceExhausted) {
      wait.settles_at = TimePoint::max();
      return status;
    }
    // The rest would take too long for a submitting thread; the dispatcher does it.
    if (task != nullptr && task->dispatched_inline_) return status;
    if (size_bytes > device_.memory().limit_bytes) return memory_.Explain(status);
    if (wait.settles_at == TimePoint::max()) {
      wait.settles_at = std::chrono::steady_clock::now() + kSettling;
    }
    if (task != nullptr && !TakeMemoryLease(*task)) return AwaitMemoryLease(*task);
    Wait next = MakeRoom(task, owner, size_bytes, Victims::kIdle, seen, wait);
    if (next == Wait::kHopeless) {
      next = MakeRoom(task, owner, size_bytes, Victims::kQueued, seen, wait);
    }
    if (next == Wait::kLater) return status;
    if (next == Wait::kHopeless && !EndForMemory(size_bytes, owner, wait)) {
      return memory_.Explain(status);
    }
  }
}

DeviceExecutor::Wait DeviceExecutor::MakeRoom(Task* task, const Meter* owner, int64_t size_bytes,
                                              DeviceMemory::Victims victims,
                                              uint64_t seen_completions, MemoryWait& wait) {
  const TimePoint now = std::chrono::steady_clock::now();
  switch (memory_.MakeRoom(size_bytes, victims, owner, wait.search)) {
    case DeviceMemory::Room::kFreed:
      return Wait::kCompleted;
    case DeviceMemory::Room::kInProgress:
      // The thread that is freeing memory may find nothing and then notifies nobody, so wait for a
      // limited time only.
      return AwaitCompletion(task, seen_completions, now + options_.slice) == Wait::kLater
                 ? Wait::kLater
                 : Wait::kCompleted;
    case DeviceMemory::Room::kContinue:
      return RetryLater(task);
    case DeviceMemory::Room::kNone:
      break;
  }
  if (wait.deadline == TimePoint::max()) {
    wait.deadline = now + MemoryPatience(size_bytes, owner);
  }
  // Queued victims are spilled before waiting for memory to become free by itself.
  return AwaitCompletion(
      task, seen_completions, wait.deadline,
      victims == DeviceMemory::Victims::kQueued ? wait.settles_at : TimePoint::min());
}

DeviceExecutor::Wait DeviceExecutor::RetryLater(Task* task) {
  if (task == nullptr) return Wait::kCompleted;
  task->wants_memory_ = true;
  task->seen_completions_ = UINT64_MAX;
  return Wait::kLater;
}

std::chrono::milliseconds DeviceExecutor::MemoryPatience(int64_t size_bytes,
                                                         const Meter* owner) const {
  if (options_.stall_timeout >= options_.memory_wait || options_.stall_timeout.count() == 0 ||
      !memory_.Shares().HasRightTo(owner, size_bytes)) {
    return options_.memory_wait;
  }
  return options_.stall_timeout;
}

bool DeviceExecutor::EndForMemory(int64_t size_bytes, const Meter* owner, MemoryWait& wait) {
  if (options_.stall_timeout.count() == 0) return false;
  const MemoryShares shares = memory_.Shares();
  if (!shares.HasRightTo(owner, size_bytes)) return false;
  const TimePoint now = std::chrono::steady_clock::now();
  // The last reference is released after the unlock.
  std::vector<std::shared_ptr<hal::Buffer>> arenas;
  MutexLock lock(mutex_);
  std::chrono::nanoseconds longest{0};
  Task* cause = nullptr;
  bool one_is_ending = false;
  for (const std::unique_ptr<ComputeStream>& stream : streams_) {
    if (stream->tasks.empty()) continue;
    Task& running = *stream->tasks.front();
    const MemoryAccount& account = *running.queue_->account_;
    if (account.host_meter().get() == owner || !account.has_share()) continue;
    int64_t arena_bytes = 0;
    if (std::shared_ptr<hal::Buffer> arena = stream->arena.lock()) {
      arena_bytes = arena->size_bytes();
      arenas.push_back(std::move(arena));
    }
    if (!shares.HasTooMuch(account.host_meter().get(), arena_bytes)) continue;
    if (running.control_.cancelled().load()) {
      one_is_ending = true;
    } else if (const auto took = TimeOnDevice(*stream, now); took > longest) {
      longest = took;
      cause = &running;
    }
  }
  if (cause != nullptr) {
    wait.last_end = now;
    deferred_work_.ended.emplace_back(
        cause->shared_from_this(),
        absl::ResourceExhaustedError(absl::StrCat(
            "its owner has more than its share of the device's memory, ", shares.share_bytes(),
            " bytes, and another, who has less than its own, has waited for ", size_bytes,
            " bytes for ", std::min(options_.stall_timeout, options_.memory_wait).count(),
            " ms (stall-timeout)")));
  } else if (!one_is_ending) {
    return false;
  } else if (wait.last_end == TimePoint()) {
    wait.last_end = now;  // ended on behalf of another need
  } else if (now - wait.last_end >= options_.memory_wait) {
    return false;  // it does not end, perhaps because it is inside a library call
  }
  wait.deadline = now + std::min(kUntilTheNextEnds, options_.memory_wait);
  if (dispatcher_waits_) work_.NotifyOne();
  return true;
}

absl::StatusOr<std::shared_ptr<hal::Buffer>> DeviceExecutor::Allocate(Task& task,
                                                                      int64_t size_bytes) {
  std::shared_ptr<hal::Buffer> buffer;
  ACCELD_RETURN_IF_ERROR(FindMemory(&task, OwnerOf(task), size_bytes, [&]() -> absl::Status {
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
  for (const Allocation& output : outputs) {
    if (output.donor == nullptr) size_bytes += output.size_bytes;
  }
  absl::Status status = FindMemory(&task, OwnerOf(task), size_bytes, [&] {
    return TryAllocateAll(task, arena_bytes, outputs, arena);
  });
  if (!status.ok()) RefundAll(task, outputs);
  return status;
}

void DeviceExecutor::RefundAll(Task& task, absl::InlinedVector<Allocation, 2>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    task.outputs[i]->account().Refund(std::exchange(outputs[i].charged_bytes, 0));
  }
}

absl::Status DeviceExecutor::ChargeAll(Task& task, absl::InlinedVector<Allocation, 2>& outputs) {
  TimePoint& deadline = task.memory_wait_.charge_deadline;
  while (true) {
    if (task.control_.cancelled().load()) return ReasonFor(task);
    const uint64_t seen = completions();
    absl::Status status;
    for (size_t i = 0; i < outputs.size() && status.ok(); ++i) {
      Allocation& output = outputs[i];
      MemoryAccount& account = task.outputs[i]->account();
      // The charge of the donor is transferred to the output.
      if (output.donor != nullptr && &output.donor->account() == &account) continue;
      status = account.Charge(output.size_bytes);
      if (status.ok()) output.charged_bytes = output.size_bytes;
    }
    if (status.ok()) {
      deadline = TimePoint::max();
      return status;
    }
    RefundAll(task, outputs);
    // Charges for arrays that only running work holds are refunded when it ends.
    if (task.dispatched_inline_) return status;
    if (deadline == TimePoint::max()) {
      deadline = std::chrono::steady_clock::now() + options_.memory_wait;
    }
    if (PollCompletion(task, seen, deadline) != Wait::kCompleted) return status;
  }
}

absl::StatusOr<std::shared_ptr<hal::Buffer>> DeviceExecutor::Arena(const Task& task,
                                                                   int64_t size_bytes) {
  if (task.bypass_ != nullptr) return device_.Allocate(size_bytes);
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
    if (outputs[i].donor != nullptr) continue;
    auto buffer = device_.Allocate(outputs[i].size_bytes);
    if (buffer.ok()) outputs[i].buffer = *std::move(buffer);
    status = buffer.status();
  }
  if (status.ok() && arena_bytes > 0) {
    auto buffer = Arena(task, arena_bytes);
    if (buffer.ok()) arena = *std::move(buffer);
    status = buffer.status();
  }
  // Allocate all or nothing, as a part would only prevent freeing memory.
  if (!status.ok()) {
    for (Allocation& output : outputs) output.buffer.reset();
  }
  return status;
}

uint64_t DeviceExecutor::completions() const {
  MutexLock lock(mutex_);
  return completions_;
}

DeviceExecutor::Wait DeviceExecutor::AwaitCompletion(Task* task, uint64_t seen_completions,
                                                     TimePoint deadline, TimePoint settles_at) {
  return task != nullptr ? PollCompletion(*task, seen_completions, deadline, settles_at)
                         : WaitForCompletion(seen_completions, deadline, settles_at);
}

bool DeviceExecutor::HoldsMemory(int own_in_flight) const {
  // An array that is being restored can be spilled again only when it has arrived.
  return ArraysMove() || num_suspended_ + num_awaiting_host_ > 0 ||
         static_cast<int>(current_->tasks.size()) + bypass_in_flight_ + uploads_in_flight_ +
                 downloads_in_flight_ >
             own_in_flight;
}

DeviceExecutor::Wait DeviceExecutor::PollCompletion(Task& task, uint64_t seen_completions,
                                                    TimePoint deadline, TimePoint settles_at) {
  MutexLock lock(mutex_);
  if (completions_ != seen_completions || task.control_.cancelled().load()) {
    return Wait::kCompleted;
  }
  const TimePoint now = std::chrono::steady_clock::now();
  // The task itself is counted as in flight.
  const bool holds = HoldsMemory(1);
  if (now >= deadline || (!holds && now >= settles_at)) return Wait::kHopeless;
  task.wants_memory_ = true;
  task.seen_completions_ = seen_completions;
  task.memory_wait_.retry_at = holds ? deadline : std::min(deadline, now + kSettlingRetry);
  return Wait::kLater;
}

DeviceExecutor::Wait DeviceExecutor::WaitForCompletion(uint64_t seen_completions,
                                                       TimePoint deadline, TimePoint settles_at) {
  MutexLock lock(mutex_);
  ++memory_waiters_;
  bool in_time = true;
  while (completions_ == seen_completions && in_time && HoldsMemory(0)) {
    in_time = memory_freed_.WaitUntil(mutex_, deadline);
  }
  const TimePoint now = std::chrono::steady_clock::now();
  const bool settles = completions_ == seen_completions && in_time && now < settles_at;
  if (settles) (void)memory_freed_.WaitUntil(mutex_, std::min(settles_at, now + kSettlingRetry));
  --memory_waiters_;
  return completions_ == seen_completions && !settles ? Wait::kHopeless : Wait::kCompleted;
}

}  // namespace acceld::runtime
