#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/runtime/memory/memory_broker.h"

// What is done when a device has no memory for a need.
namespace acceld::runtime {
namespace {

// How long an owner waits further after an execution was ended for it, before another one is.
constexpr std::chrono::milliseconds kUntilTheNextEnds{2000};
// How long, and how often, to try again although nothing is in flight: released arrays may be
// destroyed later, by threads that nobody waits for.
constexpr std::chrono::milliseconds kSettling{20}, kSettlingRetry{2};

}  // namespace

absl::Status MemoryBroker::FindMemory(Task* task, const Meter* owner, int64_t size_bytes,
                                      absl::FunctionRef<absl::Status()> allocate) {
  using Victims = DeviceMemory::Victims;
  MemoryWait own_wait;
  MemoryWait& wait = task != nullptr ? task->memory_wait_ : own_wait;
  while (true) {
    if (task != nullptr && task->is_cancelled()) return work_.ReasonFor(*task);
    if (task != nullptr && !MayTake(*task, size_bytes)) return AwaitLease(*task);
    const uint64_t seen = completions();
    absl::Status status = allocate();
    if (status.code() != absl::StatusCode::kResourceExhausted) {
      wait.settles_at = TimePoint::max();
      return status;
    }
    // The rest would take too long for a submitting thread; the dispatch thread does it.
    if (task != nullptr && task->dispatched_inline_) return status;
    if (size_bytes > device_.memory().limit_bytes) return memory_.Explain(status);
    if (wait.settles_at == TimePoint::max()) {
      wait.settles_at = std::chrono::steady_clock::now() + kSettling;
    }
    if (task != nullptr && !AcquireLease(*task)) return AwaitLease(*task);
    Next next = MakeRoom(task, owner, size_bytes, Victims::kIdle, seen, wait);
    if (next == Next::kHopeless) {
      next = MakeRoom(task, owner, size_bytes, Victims::kQueued, seen, wait);
    }
    if (next == Next::kLater) return status;
    if (next == Next::kHopeless && !EndOneOfOthers(size_bytes, owner, wait)) {
      return memory_.Explain(status);
    }
  }
}

MemoryBroker::Next MemoryBroker::MakeRoom(Task* task, const Meter* owner, int64_t size_bytes,
                                          DeviceMemory::Victims victims, uint64_t seen_completions,
                                          MemoryWait& wait) {
  const TimePoint now = std::chrono::steady_clock::now();
  switch (memory_.MakeRoom(size_bytes, victims, owner, wait.search)) {
    case DeviceMemory::Room::kFreed:
      return Next::kTryAgain;
    case DeviceMemory::Room::kInProgress:
      // The thread that is freeing memory may find nothing and then notifies nobody, so wait for a
      // limited time only.
      return AwaitCompletion(task, seen_completions, now + options_.slice, TimePoint::min()) ==
                     Next::kLater
                 ? Next::kLater
                 : Next::kTryAgain;
    case DeviceMemory::Room::kContinue:
      return TryAgainAfterOthers(task);
    case DeviceMemory::Room::kNone:
      break;
  }
  if (wait.deadline == TimePoint::max()) wait.deadline = now + Patience(size_bytes, owner);
  // Arrays of queued tasks are spilled before the short wait for released arrays to be destroyed.
  return AwaitCompletion(
      task, seen_completions, wait.deadline,
      victims == DeviceMemory::Victims::kQueued ? wait.settles_at : TimePoint::min());
}

MemoryBroker::Next MemoryBroker::TryAgainAfterOthers(Task* task) {
  if (task == nullptr) return Next::kTryAgain;
  task->wants_memory_ = true;
  task->seen_completions_ = UINT64_MAX;
  return Next::kLater;
}

std::chrono::milliseconds MemoryBroker::Patience(int64_t size_bytes, const Meter* owner) const {
  if (options_.stall_timeout >= options_.memory_wait || options_.stall_timeout.count() == 0 ||
      !memory_.Shares().HasRightTo(owner, size_bytes)) {
    return options_.memory_wait;
  }
  return options_.stall_timeout;
}

bool MemoryBroker::EndOneOfOthers(int64_t size_bytes, const Meter* owner, MemoryWait& wait) {
  if (options_.stall_timeout.count() == 0) return false;
  const MemoryShares shares = memory_.Shares();
  if (!shares.HasRightTo(owner, size_bytes)) return false;
  const TimePoint now = std::chrono::steady_clock::now();
  const auto has_too_much = [&](const MemoryAccount& account, int64_t arena_bytes) {
    const Meter* const other = account.host_meter().get();
    return other != owner && account.has_share() && shares.HasTooMuch(other, arena_bytes);
  };
  const WorkInFlight::EndResult result = work_.EndLongest(
      has_too_much,
      absl::ResourceExhaustedError(absl::StrCat(
          "its owner has more than its share of the device's memory, ", shares.share_bytes(),
          " bytes, and another, who has less than its own, has waited for ", size_bytes,
          " bytes for ", std::min(options_.stall_timeout, options_.memory_wait).count(),
          " ms (stall-timeout)")));
  switch (result) {
    case WorkInFlight::EndResult::kNone:
      return false;
    case WorkInFlight::EndResult::kEnds:
      wait.last_end = now;
      break;
    case WorkInFlight::EndResult::kIsEnding:
      if (wait.last_end == TimePoint()) {
        wait.last_end = now;  // ended on behalf of another need
      } else if (now - wait.last_end >= options_.memory_wait) {
        return false;  // it does not end, perhaps because it is inside a library call
      }
      break;
  }
  wait.deadline = now + std::min(kUntilTheNextEnds, options_.memory_wait);
  return true;
}

MemoryBroker::Next MemoryBroker::AwaitCompletion(Task* task, uint64_t seen_completions,
                                                 TimePoint deadline, TimePoint settles_at) {
  return task != nullptr ? PollCompletion(*task, seen_completions, deadline, settles_at)
                         : WaitForCompletion(seen_completions, deadline, settles_at);
}

bool MemoryBroker::HoldsMemory(int own_in_flight) const {
  // An array that is being restored can be spilled again only when it has arrived.
  return ArraysMove() || downloads_in_flight_.load() > 0 || work_.HoldsMemory(own_in_flight);
}

MemoryBroker::Next MemoryBroker::PollCompletion(Task& task, uint64_t seen_completions,
                                                TimePoint deadline, TimePoint settles_at) {
  // Asked first: whatever ends after the question changes completions().
  const bool holds = HoldsMemory(1);  // the task itself is counted as in flight
  const TimePoint now = std::chrono::steady_clock::now();
  const MutexLock lock(mutex_);
  if (completions() != seen_completions || task.is_cancelled()) return Next::kTryAgain;
  if (now >= deadline || (!holds && now >= settles_at)) return Next::kHopeless;
  task.wants_memory_ = true;
  task.seen_completions_ = seen_completions;
  task.memory_wait_.retry_at = holds ? deadline : std::min(deadline, now + kSettlingRetry);
  return Next::kLater;
}

MemoryBroker::Next MemoryBroker::WaitForCompletion(uint64_t seen_completions, TimePoint deadline,
                                                   TimePoint settles_at) {
  num_waiters_.fetch_add(1);
  bool in_time = true, has_ended = false;
  while (in_time && !has_ended && HoldsMemory(0)) {
    const MutexLock lock(mutex_);
    has_ended = completions() != seen_completions;
    if (!has_ended) in_time = completed_.WaitUntil(mutex_, deadline);
  }
  const TimePoint now = std::chrono::steady_clock::now();
  bool settles = false;
  {
    const MutexLock lock(mutex_);
    has_ended = completions() != seen_completions;
    settles = !has_ended && in_time && now < settles_at;
    if (settles) (void)completed_.WaitUntil(mutex_, std::min(settles_at, now + kSettlingRetry));
    has_ended = completions() != seen_completions;
  }
  num_waiters_.fetch_sub(1);
  return has_ended || settles ? Next::kTryAgain : Next::kHopeless;
}

}  // namespace acceld::runtime
