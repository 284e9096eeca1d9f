#include "server/runtime/device_executor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/threads/start_thread.h"
#include "common/threads/thread_priority.h"

// Queues and scheduling. Dispatch is in dispatch.cc, and the end of tasks in complete.cc and
// cancel.cc.
namespace acceld::runtime {
namespace {

// What an upload costs in addition to its bytes.
constexpr int64_t kUploadOverheadBytes = 4096;
// The charge for a first run, in nanoseconds, until its actual cost is known.
constexpr int64_t kUnknownCostNs = 1000;
constexpr uint64_t kFailuresPerYield = 64;
constexpr int kBypassStreams = 4;

DeviceMemory::Options WithCall(DeviceMemory::Options options, std::function<void()> on_spilled) {
  options.on_spilled = std::move(on_spilled);
  return options;
}

std::vector<std::unique_ptr<BypassStream>> NewBypassStreams(hal::Device& device) {
  std::vector<std::unique_ptr<BypassStream>> streams;
  for (int i = 0; i < kBypassStreams; ++i) {
    streams.push_back(
        std::make_unique<BypassStream>(device.CreateStream("express", hal::StreamPriority::kHigh)));
  }
  return streams;
}

std::vector<std::unique_ptr<ComputeStream>> ListOf(std::unique_ptr<ComputeStream> stream) {
  std::vector<std::unique_ptr<ComputeStream>> streams;
  streams.push_back(std::move(stream));
  return streams;
}

}  // namespace

void Task::Unblock() {
  if (!OnInputResolved()) return;
  const std::shared_ptr<Array::Waiter> self = shared_from_this();
  executor_->MakeRunnable({&self, 1});
}

void Task::Begin(absl::Span<const std::shared_ptr<Array::Waiter>> ready) {
  executor_->MakeRunnable(ready);
}

DeviceExecutor::DeviceExecutor(hal::Device& device, int index, const Options& options)
    : device_(device),
      index_(index),
      options_(options),
      streams_(ListOf(NewStream())),
      current_(streams_[0].get()),
      bypass_(NewBypassStreams(device)),
      upload_(device.CreateStream("up")),
      download_(device.CreateStream("down")),
      memory_(device, index, *download_,
              WithCall(options.memory,
                       [this] {
                         MutexLock lock(mutex_);
                         EndMove();
                       })),
      dispatcher_(StartThread(absl::StrCat("dispatch-", index), [this] { RunDispatcher(); })) {}

DeviceExecutor::~DeviceExecutor() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    work_.NotifyAll();
  }
  dispatcher_.join();
  WaitUntilIdle(std::chrono::steady_clock::time_point::max());
}

std::shared_ptr<TaskQueue> DeviceExecutor::OpenQueue(std::shared_ptr<MemoryAccount> account,
                                                     Priority priority,
                                                     std::shared_ptr<DeviceShare> share) {
  return std::make_shared<TaskQueue>(std::move(account), priority, std::move(share));
}

void DeviceExecutor::Submit(std::shared_ptr<TaskQueue> queue, std::shared_ptr<Task> task,
                            bool executable_ready) {
  auto* execution = std::get_if<Execution>(&task->work_);
  const int inputs = execution != nullptr ? static_cast<int>(execution->inputs.size()) : 0;
  task->executor_ = this;
  task->queue_ = queue;
  // One blocker for the submission itself, so that nobody makes the task runnable before it is in
  // one of its queue's lists.
  task->blockers_.store(1 + inputs + (executable_ready ? 0 : 1), std::memory_order_relaxed);
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
  const bool quick = executable_ready && MayDispatchInline(*task);
  absl::Status closed;
  bool here = false;
  {
    MutexLock lock(mutex_);
    ++queued_;
    queue->queued_.fetch_add(1, std::memory_order_relaxed);
    closed = task->cancel_reason_.ok() ? queue->closed_ : task->cancel_reason_;
    if (!closed.ok()) {
      task->state_ = Task::State::kDone;
    } else if (task->blockers_.load(std::memory_order_acquire) > 1) {
      task->state_ = Task::State::kWaiting;
      task->position_ = queue->waiting_.insert(queue->waiting_.end(), task);
    } else if (!quick || !TakeInline(task)) {
      TaskQueue::Lane& lane = queue->LaneOf(*task);
      task->position_ = lane.tasks.insert(lane.tasks.end(), task);
      return Enqueue(task);
    } else {
      here = true;
    }
  }
  if (!closed.ok()) return FailTask(*task, closed);
  if (here) return DispatchInline(task);
  task->Unblock();
}

void DeviceExecutor::Provide(
    const std::shared_ptr<Task>& task,
    absl::StatusOr<std::shared_ptr<const hal::LoadedExecutable>> executable) {
  auto& execution = std::get<Execution>(task->work_);
  if (executable.ok()) {
    execution.executable = *std::move(executable);
  } else {
    execution.executable_error = executable.status();
  }
  task->Unblock();
}

void DeviceExecutor::MakeRunnable(absl::Span<const std::shared_ptr<Array::Waiter>> tasks) {
  MutexLock lock(mutex_);
  for (const std::shared_ptr<Array::Waiter>& waiter : tasks) {
    auto task = std::static_pointer_cast<Task>(waiter);
    if (task->state_ != Task::State::kWaiting) continue;  // it was cancelled meanwhile
    TaskQueue::Lane& lane = task->queue_->LaneOf(*task);
    lane.tasks.splice(lane.tasks.end(), task->queue_->waiting_, task->position_);
    Enqueue(task);
  }
}

void DeviceExecutor::Enqueue(const std::shared_ptr<Task>& task) {
  task->state_ = Task::State::kRunnable;
  TaskQueue::Lane& lane = task->queue_->LaneOf(*task);
  if (lane.is_held) {
    // The task becomes available when the lane is released.
  } else if (task->is_upload()) {
    upload_schedule_.Activate(lane);
  } else {
    if (!lane.active() && !current_->tasks.empty()) {
      // Charging the running task advances the virtual time at which this queue enters the
      // schedule.
      ChargeRunning(*current_, std::chrono::steady_clock::now());
      Task& running = *current_->tasks.front();
      execution_schedule_.Continue(running.queue_->executions_,
                                   std::min(SliceNs(), static_cast<double>(running.charged_cost_)));
    }
    execution_schedule_.Activate(lane);
  }
  if (dispatcher_waits_ && DispatcherIsWanted()) work_.NotifyOne();
}

bool DeviceExecutor::UploadsAreOpen() const {
  return uploads_in_flight_ == 0 || (uploads_in_flight_ < options_.max_in_flight &&
                                     upload_bytes_in_flight_ < options_.upload_bytes);
}

bool DeviceExecutor::DispatcherIsWanted() const {
  if (dispatching_inline_) return false;
  if (!upload_schedule_.empty() && UploadsAreOpen()) return true;
  if (current_->is_paused) return true;
  if (execution_schedule_.empty()) return false;
  if (current_->tasks.empty() || BypassStreamForNext() != nullptr) return true;
  const TimePoint now = std::chrono::steady_clock::now();
  if (current_->run_ahead.WantsRefill(now) && ExecutionsAreOpen(now)) return true;
  // The dispatcher does not know yet that it must wake earlier.
  return WakeTime() < waits_until_;
}

DeviceExecutor::TimePoint DeviceExecutor::WakeTime() const {
  TimePoint wake = std::min({retry_at_, NextMaxRunDeadline(), NextStall(), NextAdmission()});
  const ComputeStream& current = *current_;
  if (current.tasks.empty()) return wake;
  if (current.is_pausing) return std::min(wake, current.pausing_since + CurrentGrace());
  if (execution_schedule_.empty()) return wake;
  if (!current.tasks.front()->dispatched_inline_)
    wake = std::min(wake, current.slice_began + CurrentSlice());
  if (MayAppend(*static_cast<const TaskQueue::Lane*>(execution_schedule_.Peek()))) {
    wake = std::min(wake, current.run_ahead.RefillTime());
  }
  return wake;
}

bool DeviceExecutor::MayAppend(const TaskQueue::Lane& lane) const {
  if (current_->is_pausing || current_->is_closed) return false;
  if (lane.suspended != nullptr || !lane.returning.empty()) return false;
  const TaskQueue& queue = *lane.tasks.front()->queue_;
  if (current_->exclusive != nullptr && current_->exclusive != &queue) return false;
  return current_->exclusive_share == nullptr || current_->exclusive_share == queue.share_.get();
}

bool DeviceExecutor::ExecutionsAreOpen(TimePoint now) const {
  const auto* const lane = static_cast<const TaskQueue::Lane*>(execution_schedule_.Peek());
  return lane != nullptr && current_->run_ahead.IsOpen(now) && MayAppend(*lane);
}

void DeviceExecutor::Charge(Task& task, TaskQueue::Lane& lane, TimePoint now) {
  task.state_ = Task::State::kTaken;
  if (task.bypass_ != nullptr) {
    ++task.bypass_->in_flight;
    ++bypass_in_flight_;
    if (!task.is_upload()) busy_time_.Enter(now);
  }
  if (const auto* upload = std::get_if<Upload>(&task.work_)) {
    ++uploads_in_flight_;
    upload_bytes_in_flight_ += upload->size_bytes;
    task.charged_cost_ = upload->size_bytes + kUploadOverheadBytes;
    upload_schedule_.Charge(lane, static_cast<double>(task.charged_cost_));
    return;
  }
  const auto& execution = std::get<Execution>(task.work_);
  const int64_t estimate_ns =
      execution.executable != nullptr ? execution.executable->cost.ns() : kUnknownCostNs;
  if (task.bypass_ == nullptr) {
    ComputeStream& stream = *current_;
    task.stream_ = &stream;
    stream.run_ahead.Add(
        estimate_ns > 0 ? std::chrono::nanoseconds(estimate_ns) : RunAhead::kUnknown, now);
    stream.tasks.push_back(&task);
    if (stream.tasks.size() == 1) {
      stream.slice_began = now;
      EnterDevice(stream, now);
    }
    task.is_short_ = IsShort(task);
    if (!task.is_short_) stream.exclusive = task.queue_.get();
    stream.is_closed = MayCallHost(task);
    if (estimate_ns > std::chrono::nanoseconds(options_.min_slice).count()) {
      stream.exclusive_share = task.queue_->share_.get();
    }
  }
  // The rest is charged as the task runs: if too much were charged first and refunded later, queues
  // that become active in between would enter the schedule too late.
  task.charged_cost_ = std::min<int64_t>(estimate_ns > 0 ? estimate_ns : kUnknownCostNs,
                                         std::chrono::nanoseconds(options_.slice).count());
  task.queue_->share_->executions_.SetWeight(
      task.queue_->share_->weight_.load(std::memory_order_relaxed));
  execution_schedule_.Charge(lane, static_cast<double>(task.charged_cost_));
}

std::shared_ptr<Task> DeviceExecutor::TakeFrom(FairSchedule& schedule, TimePoint now) {
  auto* const lane = static_cast<TaskQueue::Lane*>(schedule.Next());
  std::shared_ptr<Task> task = lane->tasks.front();
  std::list<std::shared_ptr<Task>>& taken = task->queue_->taken_;
  taken.splice(taken.end(), lane->tasks, lane->tasks.begin());
  Charge(*task, *lane, now);
  if (lane->tasks.empty()) schedule.Deactivate(*lane);
  return task;
}

std::shared_ptr<Task> DeviceExecutor::TakeForBypass(BypassStream& express, TimePoint now) {
  auto* const lane = static_cast<const TaskQueue::Lane*>(execution_schedule_.Peek());
  Task& task = *lane->tasks.front();
  task.bypass_ = &express;
  task.may_run_inline_ = true;
  return TakeFrom(execution_schedule_, now);
}

std::shared_ptr<Task> DeviceExecutor::TakeTask() {
  if (dispatching_inline_) return nullptr;
  const TimePoint now = std::chrono::steady_clock::now();
  ShareTime(now);
  const bool upload = !upload_schedule_.empty() && UploadsAreOpen();
  const bool execution = ExecutionsAreOpen(now);
  if (!execution) {
    if (BypassStream* const express = BypassStreamForNext()) return TakeForBypass(*express, now);
  }
  if (!upload && !execution) return nullptr;
  // Executions and uploads alternate, so that neither delays the dispatch of the other.
  upload_was_last_ = upload && !(execution && upload_was_last_);
  return TakeFrom(upload_was_last_ ? upload_schedule_ : execution_schedule_, now);
}

void DeviceExecutor::WaitForTurn() {
  waits_until_ = WakeTime();
  dispatcher_waits_ = true;
  if (waits_until_ == TimePoint::max()) {
    work_.Wait(mutex_);
  } else {
    work_.WaitUntil(mutex_, waits_until_);
  }
  dispatcher_waits_ = false;
}

void DeviceExecutor::RunDispatcher() {
  PrioritizeMessageThread();
  uint64_t failures = 0;
  while (true) {
    std::shared_ptr<Task> task;
    DeferredWork chores;
    {
      MutexLock lock(mutex_);
      while ((task = TakeTask()) == nullptr && deferred_work_.empty()) {
        if (stopping_ && !dispatching_inline_ && queued_ == 0) return;
        WaitForTurn();
      }
      std::swap(chores, deferred_work_);
    }
    if (!chores.empty()) RunDeferred(std::move(chores));
    if (task == nullptr) continue;
    const TimePoint begin = std::chrono::steady_clock::now();
    absl::Status status = Launch(task);
    if (status.ok() && !task->wants_memory_) continue;
    ChargeAttempt(*task, std::chrono::steady_clock::now() - begin);
    if (task->wants_memory_) {
      Requeue(task, /*held=*/true);
    } else if (task->bypass_ != nullptr && status.code() == absl::StatusCode::kResourceExhausted) {
      Requeue(task);
    } else {
      FailDispatch(*task, status);
      // As many tasks may fail as depend on one array: give other threads that want the lock a
      // chance to run in between.
      if (++failures % kFailuresPerYield == 0) std::this_thread::yield();
    }
  }
}

bool DeviceExecutor::WaitUntilIdle(std::chrono::steady_clock::time_point deadline) {
  MutexLock lock(mutex_);
  while (queued_ > 0) {
    if (deadline == std::chrono::steady_clock::time_point::max()) {
      idle_.Wait(mutex_);
    } else if (!idle_.WaitUntil(mutex_, deadline)) {
      return queued_ == 0;
    }
  }
  return true;
}

DeviceExecutor::Counters DeviceExecutor::counters() const {
  const observability::CountsByCode ended = instruments_.ended.Read();
  Counters counters{.executions = ended[static_cast<size_t>(absl::StatusCode::kOk)]};
  for (const uint64_t count : ended) counters.failures += count;
  counters.failures -=
      counters.executions + ended[static_cast<size_t>(absl::StatusCode::kCancelled)];
  const TimePoint now = std::chrono::steady_clock::now();
  MutexLock lock(mutex_);
  counters.queued = static_cast<uint64_t>(queued_);
  counters.suspensions = suspensions_;
  counters.busy = busy_time_.Read(now);
  return counters;
}

}  // namespace acceld::runtime
