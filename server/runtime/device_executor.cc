#include "server/runtime/device_executor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/threads/start_thread.h"
#include "common/threads/thread_priority.h"
#include "server/runtime/device_stream.h"
#include "server/runtime/gang/gang.h"
#include "server/runtime/task_host_calls.h"

// From the submission of tasks to their launch. Their end is in complete.cc and cancel.cc.
namespace acceld::runtime {
namespace {

constexpr uint64_t kFailuresPerYield = 64;

InlineLimits InlineLimitsOf(const DeviceExecutor::Options& options) {
  return {.very_short_run = options.very_short_run,
          .very_short_bytes = options.very_short_bytes,
          .awaited_run = options.awaited_run,
          .awaited_bytes = options.awaited_bytes};
}

Scheduler::Options SchedulerOptionsOf(const DeviceExecutor::Options& options,
                                      const hal::Device& device) {
  return {.max_in_flight = options.max_in_flight,
          .upload_bytes = options.upload_bytes,
          .inline_limits = InlineLimitsOf(options),
          .slice = options.slice,
          .min_slice = options.min_slice,
          .pause_grace = options.pause_grace,
          .max_suspended = options.max_suspended,
          .stall_timeout = options.stall_timeout,
          .concurrent_runs = device.concurrent_streams(),
          .num_bypass_streams = Dispatcher::kBypassStreams};
}

Dispatcher::Options DispatcherOptionsOf(const DeviceExecutor::Options& options) {
  return {.trace = options.trace,
          .memory = {.memory_wait = options.memory_wait,
                     .slice = options.slice,
                     .stall_timeout = options.stall_timeout,
                     .memory = options.memory}};
}

// Tells the gang of an execution, if it is in one, what it has to know before its members begin.
void JoinGang(const Execution& execution) {
  if (execution.gang == nullptr) return;
  if (execution.host != nullptr) execution.gang->NoteHostCalls();
  for (const auto& input : execution.inputs) {
    // Also an input that fails after the launch: the other members must not get values that were
    // computed from it.
    input->OnFinal([gang = execution.gang](const absl::Status& status) {
      if (!status.ok()) gang->Fail(status);
    });
  }
}

}  // namespace

bool Task::RemoveBlocker(bool by_submission) {
  const int blockers = blockers_.fetch_sub(1, std::memory_order_acq_rel);
  // The last blocker of a member is its gang, which this call may remove.
  if (blockers == 2 && gang() != nullptr) gang()->NoteReady(by_submission);
  return blockers == 1;
}

void Task::Unblock(bool by_submission) {
  if (!RemoveBlocker(by_submission)) return;
  const std::shared_ptr<Array::Waiter> self = shared_from_this();
  executor_->MakeRunnable({&self, 1});
}

void Task::MakeRunnable(absl::Span<const std::shared_ptr<Array::Waiter>> ready) {
  executor_->MakeRunnable(ready);
}

DeviceExecutor::DeviceExecutor(hal::Device& device, int index, const Options& options)
    : device_(device),
      index_(index),
      options_(options),
      inline_limits_(InlineLimitsOf(options)),
      scheduler_(SchedulerOptionsOf(options, device), *this, NewStream()),
      dispatcher_(device, index, *this, instruments_, DispatcherOptionsOf(options)),
      dispatch_thread_(
          StartThread(absl::StrCat("dispatch-", index), [this] { RunDispatchThread(); })) {}

DeviceExecutor::~DeviceExecutor() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    work_.NotifyAll();
  }
  dispatch_thread_.join();
  WaitUntilIdle(TimePoint::max());
}

std::unique_ptr<ComputeStream> DeviceExecutor::NewStream() const {
  return NewDeviceStream(device_, static_cast<size_t>(options_.max_in_flight), options_.run_ahead);
}

std::shared_ptr<TaskQueue> DeviceExecutor::OpenQueue(std::shared_ptr<MemoryAccount> account,
                                                     Priority priority,
                                                     std::shared_ptr<DeviceShare> share) {
  return std::make_shared<TaskQueue>(std::move(account), priority, std::move(share));
}

void DeviceExecutor::Submit(std::shared_ptr<TaskQueue> queue, std::shared_ptr<Task> task,
                            bool executable_ready) {
  Execution* const execution = task->execution();
  const int inputs = execution != nullptr ? static_cast<int>(execution->inputs.size()) : 0;
  task->executor_ = this;
  if (execution != nullptr) JoinGang(*execution);
  // One blocker for the submission itself, so that nobody makes the task runnable before it is in
  // one of its queue's lists.
  task->blockers_.store(1 + inputs + (executable_ready ? 0 : 1) + (task->gang() != nullptr ? 1 : 0),
                        std::memory_order_relaxed);
  for (int i = 0; i < inputs; ++i) {
    Array& input = *execution->inputs[i];
    input.CountReader(1);
    if (input.device() != index_) {
      // The stream must not wait for another device, as that would delay all tasks on it.
      input.OnFinal([task](const absl::Status&) { task->Unblock(); });
    } else if (!input.AddWaiter(task)) {
      task->blockers_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  const bool may_be_inline = executable_ready && inline_limits_.MayDispatchInline(*task, index_);
  absl::Status closed;
  bool is_inline = false;
  {
    const MutexLock lock(mutex_);
    scheduler_.Admit(queue, *task);
    closed = Scheduler::ClosedFor(*task);
    if (!closed.ok()) {
      task->state_ = Task::State::kDone;
    } else if (task->blockers_.load(std::memory_order_acquire) > 1) {
      scheduler_.AddWaiting(task);
    } else if (may_be_inline && !stopping_ && scheduler_.TakeInline(task)) {
      is_inline = true;
    } else {
      scheduler_.AddRunnable(task);
      WakeDispatchThread();
      return;
    }
  }
  if (!closed.ok()) return FailTask(*task, closed);
  if (!is_inline) return task->Unblock(/*by_submission=*/true);
  const bool on_compute_stream = execution != nullptr && task->bypass_ == nullptr;
  const bool is_task_kept = DispatchTaken(task);
  EndInline(*task, on_compute_stream, is_task_kept);
}

void DeviceExecutor::Provide(
    const std::shared_ptr<Task>& task,
    absl::StatusOr<std::shared_ptr<const hal::LoadedExecutable>> executable) {
  Execution& execution = *task->execution();
  if (executable.ok()) {
    execution.executable = *std::move(executable);
  } else {
    execution.executable_error = executable.status();
    if (execution.gang != nullptr) {
      execution.gang->Fail(
          Annotate(executable.status(), absl::StrCat("program ", *execution.program_name)));
    }
  }
  task->Unblock();
}

void DeviceExecutor::MakeRunnable(absl::Span<const std::shared_ptr<Array::Waiter>> tasks) {
  const MutexLock lock(mutex_);
  for (const std::shared_ptr<Array::Waiter>& waiter : tasks) {
    scheduler_.MakeRunnable(std::static_pointer_cast<Task>(waiter));
  }
  WakeDispatchThread();
}

void DeviceExecutor::RunDispatchThread() {
  PrioritizeMessageThread();
  uint64_t failures = 0;
  while (true) {
    std::shared_ptr<Task> task;
    Scheduler::DeferredWork deferred;
    {
      const MutexLock lock(mutex_);
      while ((task = scheduler_.Take()) == nullptr && !scheduler_.has_deferred_work()) {
        if (stopping_ && !scheduler_.is_dispatching_inline() && scheduler_.num_queued() == 0) {
          return;
        }
        const TimePoint until = scheduler_.BeginWait();
        if (until == TimePoint::max()) {
          work_.Wait(mutex_);
        } else {
          work_.WaitUntil(mutex_, until);
        }
        scheduler_.EndWait();
      }
      if (scheduler_.has_deferred_work()) deferred = scheduler_.TakeDeferredWork();
    }
    if (!deferred.empty()) RunDeferred(std::move(deferred));
    if (task == nullptr) continue;
    const TimePoint begin = std::chrono::steady_clock::now();
    const absl::Status status = Dispatch(task);
    if (status.ok()) continue;
    {
      const MutexLock lock(mutex_);
      scheduler_.ChargeAttempt(*task, std::chrono::steady_clock::now() - begin);
    }
    if (task->wants_memory_) {
      PutBack(task, /*held=*/true);
    } else if (task->bypass_ != nullptr && status.code() == absl::StatusCode::kResourceExhausted) {
      PutBack(task, /*held=*/false);
    } else {
      FailDispatch(*task, status);
      // As many tasks may fail as depend on one array: give other threads that want the lock a
      // chance to run in between.
      if (++failures % kFailuresPerYield == 0) std::this_thread::yield();
    }
  }
}

void DeviceExecutor::RunDeferred(Scheduler::DeferredWork work) {
  if (work.add_stream) {
    std::unique_ptr<ComputeStream> stream = NewStream();
    const MutexLock lock(mutex_);
    scheduler_.AddStream(std::move(stream));
  }
  for (const auto& [task, reason] : work.ended) Cancel(task, reason);
  for (const auto& [task, input] : work.blocked) {
    input->OnFinal([task = task](const absl::Status&) { task->Unblock(); });
  }
}

absl::Status DeviceExecutor::Dispatch(const std::shared_ptr<Task>& task) {
  const Execution* const execution = task->execution();
  if (task->gang() != nullptr) ACCELD_RETURN_IF_ERROR(task->gang()->failure());
  std::shared_ptr<hal::HostCalls> host_calls;
  if (execution != nullptr && execution->host != nullptr) {
    host_calls = std::make_shared<TaskHostCalls>(*this, task, execution->host);
  }
  ACCELD_ASSIGN_OR_RETURN(const Event event, dispatcher_.Dispatch(task, std::move(host_calls)));
  if (execution != nullptr && !execution->executable->executable->steady) {
    CancelIfAnInputFails(task, *execution);
  }
  Launched(task, event);
  return absl::OkStatus();
}

void DeviceExecutor::CancelIfAnInputFails(const std::shared_ptr<Task>& task,
                                          const Execution& execution) {
  for (const auto& input : execution.inputs) {
    if (input->state() == Array::State::kDefined) continue;
    input->OnFinal([this, task](const absl::Status& status) {
      if (!status.ok()) Cancel(task, status);
    });
  }
}

bool DeviceExecutor::DispatchTaken(const std::shared_ptr<Task>& task) {
  const Execution* const execution = task->execution();
  task->may_run_inline_ =
      inline_limits_.IsVeryShort(*task, execution != nullptr && execution->awaited);
  const absl::Status status = Dispatch(task);
  // The dispatch thread can free memory.
  const bool is_put_back = status.code() == absl::StatusCode::kResourceExhausted;
  if (is_put_back) {
    PutBack(task, /*held=*/false);
  } else if (!status.ok()) {
    FailDispatch(*task, status);
  }
  return !is_put_back;
}

void DeviceExecutor::EndInline(Task& task, bool on_compute_stream, bool is_task_kept) {
  const MutexLock lock(mutex_);
  scheduler_.EndInline(task, on_compute_stream, is_task_kept);
  WakeDispatchThread();
  if (stopping_) work_.NotifyAll();
}

bool DeviceExecutor::TakeMemberInline(const std::shared_ptr<Task>& task) {
  const MutexLock lock(mutex_);
  // A task that does not wait any more was cancelled, and another thread may be changing it.
  return !stopping_ && task->state_ == Task::State::kWaiting && Scheduler::ClosedFor(*task).ok() &&
         inline_limits_.MayDispatchInline(*task, index_) && scheduler_.TakeMemberInline(task);
}

void DeviceExecutor::ReturnMember(const std::shared_ptr<Task>& task) {
  const MutexLock lock(mutex_);
  scheduler_.ReturnMember(task);
  WakeDispatchThread();
}

void DeviceExecutor::PutBack(const std::shared_ptr<Task>& task, bool held) {
  absl::Status closed;
  {
    const MutexLock lock(mutex_);
    Scheduler::PutBackReason reason = Scheduler::PutBackReason::kTryAgain;
    if (task->awaits_memory_lease_) {
      reason = Scheduler::PutBackReason::kAwaitsMemoryLease;
    } else if (held && dispatcher_.memory().completions() == task->seen_completions_) {
      reason = Scheduler::PutBackReason::kAwaitsCompletion;
    }
    task->wants_memory_ = task->awaits_memory_lease_ = false;
    closed = Scheduler::ClosedFor(*task);
    scheduler_.PutBack(task, reason, closed.ok());
    // The task may have held memory, and it may have been the only thing to wait for.
    dispatcher_.memory().NoteCompletion();
    WakeDispatchThread();
  }
  if (!closed.ok()) FailTask(*task, closed);
}

bool DeviceExecutor::WaitUntilIdle(TimePoint deadline) {
  const MutexLock lock(mutex_);
  while (scheduler_.num_queued() > 0) {
    if (deadline == TimePoint::max()) {
      idle_.Wait(mutex_);
    } else if (!idle_.WaitUntil(mutex_, deadline)) {
      return scheduler_.num_queued() == 0;
    }
  }
  return true;
}

void DeviceExecutor::ReleaseUnusedStreams() {
  std::vector<std::unique_ptr<ComputeStream>> unused;  // they are destroyed after the unlock
  const MutexLock lock(mutex_);
  unused = scheduler_.RemoveUnusedStreams();
}

DeviceExecutor::Counters DeviceExecutor::counters() const {
  const observability::CountsByCode ended = instruments_.ended.Read();
  Counters counters{.executions = ended[static_cast<size_t>(absl::StatusCode::kOk)]};
  for (const uint64_t count : ended) counters.failures += count;
  counters.failures -=
      counters.executions + ended[static_cast<size_t>(absl::StatusCode::kCancelled)];
  const TimePoint now = std::chrono::steady_clock::now();
  const MutexLock lock(mutex_);
  counters.queued = static_cast<uint64_t>(scheduler_.num_queued());
  counters.suspensions = scheduler_.suspensions();
  counters.busy = scheduler_.BusyUntil(now);
  return counters;
}

std::vector<DeviceExecutor::Running> DeviceExecutor::RunningNow() const {
  const MutexLock lock(mutex_);
  return scheduler_.RunningNow();
}

void DeviceExecutor::OnPaused(ComputeStream& stream) {
  const TimePoint now = std::chrono::steady_clock::now();
  const MutexLock lock(mutex_);
  scheduler_.NotePaused(stream, now);
  WakeDispatchThread();
}

bool DeviceExecutor::HoldsMemory(int own_in_flight) const {
  const MutexLock lock(mutex_);
  return scheduler_.has_interrupted_runs() || scheduler_.num_in_flight() > own_in_flight;
}

DeviceExecutor::EndResult DeviceExecutor::EndLongest(
    absl::FunctionRef<bool(const MemoryAccount& account, int64_t arena_bytes)> is_cause,
    const absl::Status& reason) {
  const TimePoint now = std::chrono::steady_clock::now();
  // The last reference is released after the unlock.
  std::vector<std::shared_ptr<hal::Buffer>> arenas;
  const MutexLock lock(mutex_);
  std::chrono::nanoseconds longest{0};
  Task* cause = nullptr;
  bool one_is_ending = false;
  for (const std::unique_ptr<ComputeStream>& stream : scheduler_.streams().all()) {
    if (stream->tasks.empty()) continue;
    int64_t arena_bytes = 0;
    if (std::shared_ptr<hal::Buffer> arena = DeviceStreamOf(stream.get())->arena()) {
      arena_bytes = arena->size_bytes();
      arenas.push_back(std::move(arena));
    }
    Task& running = *stream->tasks.front();
    if (!is_cause(*running.queue_->account_, arena_bytes)) continue;
    if (running.is_cancelled()) {
      one_is_ending = true;
    } else if (const auto took = stream->TimeOnDevice(now); took > longest) {
      longest = took;
      cause = &running;
    }
  }
  if (cause == nullptr) return one_is_ending ? EndResult::kIsEnding : EndResult::kNone;
  scheduler_.CancelLater(cause->shared_from_this(), reason);
  WakeDispatchThread();
  return EndResult::kEnds;
}

void DeviceExecutor::RetryHeld() {
  const MutexLock lock(mutex_);
  scheduler_.ReleaseHeld();
  WakeDispatchThread();
}

void DeviceExecutor::SuspendForHostCall(Task& task) {
  std::unique_ptr<ComputeStream> fresh;
  while (true) {
    {
      const MutexLock lock(mutex_);
      if (fresh != nullptr) scheduler_.AddStream(std::move(fresh));
      if (!scheduler_.NeedsStreamFor(task)) {
        scheduler_.SuspendForHostCall(task);
        WakeDispatchThread();
        return;
      }
    }
    fresh = NewStream();
  }
}

void DeviceExecutor::ResumeAfterHostCall(Task& task) {
  const MutexLock lock(mutex_);
  scheduler_.ResumeAfterHostCall(task);
  WakeDispatchThread();
}

}  // namespace acceld::runtime
