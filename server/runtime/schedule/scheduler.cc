#include "server/runtime/schedule/scheduler.h"

#include <algorithm>
#include <utility>

namespace acceld::runtime {
namespace {

// What an upload costs in addition to its bytes.
constexpr int64_t kUploadOverheadBytes = 4096;
// The charge for a first run, in nanoseconds, until its actual cost is known.
constexpr int64_t kUnknownCostNs = 1000;
// What a queue is charged for an execution that fails before it reaches the device, as others wait
// meanwhile: one cancelled input may fail tens of thousands of executions.
constexpr double kFailureCostNs = 2000;

}  // namespace

Scheduler::Scheduler(const Options& options, Events& events, std::unique_ptr<ComputeStream> stream)
    : options_(options),
      events_(events),
      streams_(std::move(stream)),
      run_limits_(streams_, options.stall_timeout) {
  for (int i = 0; i < options.num_bypass_streams; ++i) {
    bypass_streams_.push_back(std::make_unique<BypassStream>(BypassStream{.index = i}));
  }
}

void Scheduler::Admit(const std::shared_ptr<TaskQueue>& queue, Task& task) {
  task.queue_ = queue;
  ++num_queued_;
  queue->queued_.fetch_add(1, std::memory_order_relaxed);
}

void Scheduler::AddWaiting(const std::shared_ptr<Task>& task) {
  task->state_ = Task::State::kWaiting;
  std::list<std::shared_ptr<Task>>& waiting = task->queue_->waiting_;
  task->position_ = waiting.insert(waiting.end(), task);
}

void Scheduler::AddRunnable(const std::shared_ptr<Task>& task) {
  TaskQueue::Lane& lane = task->queue_->LaneOf(*task);
  task->position_ = lane.tasks.insert(lane.tasks.end(), task);
  Enqueue(*task);
}

void Scheduler::MakeRunnable(const std::shared_ptr<Task>& task) {
  if (task->state_ != Task::State::kWaiting) return;
  TaskQueue::Lane& lane = task->queue_->LaneOf(*task);
  lane.tasks.splice(lane.tasks.end(), task->queue_->waiting_, task->position_);
  Enqueue(*task);
}

void Scheduler::Unschedule(const std::shared_ptr<Task>& task) {
  TaskQueue::Lane& lane = task->queue_->executions_;
  task->queue_->waiting_.splice(task->queue_->waiting_.end(), lane.tasks, task->position_);
  task->state_ = Task::State::kWaiting;
  if (lane.tasks.empty()) execution_schedule_.Deactivate(lane);
}

void Scheduler::Enqueue(Task& task) {
  task.state_ = Task::State::kRunnable;
  TaskQueue::Lane& lane = task.queue_->LaneOf(task);
  // A task of a held lane becomes available when the lane is released.
  if (lane.is_held) return;
  if (task.is_upload()) return upload_schedule_.Activate(lane);
  const ComputeStream& current = streams_.current();
  if (!lane.active() && !current.tasks.empty()) {
    // Charging the running task advances the virtual time at which this queue enters the schedule.
    ChargeRunning(current, std::chrono::steady_clock::now());
    Task& running = *current.tasks.front();
    execution_schedule_.Continue(running.queue_->executions_,
                                 std::min(SliceNs(), static_cast<double>(running.charged_cost_)));
  }
  execution_schedule_.Activate(lane);
}

bool Scheduler::UploadsAreOpen() const {
  return uploads_in_flight_ == 0 || (uploads_in_flight_ < options_.max_in_flight &&
                                     upload_bytes_in_flight_ < options_.upload_bytes);
}

bool Scheduler::WantsDispatchThread() const {
  return dispatch_thread_waits_ && (has_deferred_work() || HasWork());
}

bool Scheduler::HasWork() const {
  if (dispatching_inline_) return false;
  if (!upload_schedule_.empty() && UploadsAreOpen()) return true;
  const ComputeStream& current = streams_.current();
  if (current.is_paused) return true;
  if (execution_schedule_.empty()) return false;
  if (current.tasks.empty() || BypassStreamForNext() != nullptr) return true;
  const TimePoint now = std::chrono::steady_clock::now();
  if (current.run_ahead.WantsRefill(now) && ExecutionsAreOpen(now)) return true;
  // The dispatch thread does not know yet that it must wake earlier.
  return WakeTime() < waits_until_;
}

Scheduler::TimePoint Scheduler::WakeTime() const {
  TimePoint wake = std::min(
      {retry_at_, run_limits_.NextMaxRun(), NextStall(), host_call_limits_.NextAdmission()});
  const ComputeStream& current = streams_.current();
  if (current.tasks.empty()) return wake;
  if (current.is_pausing) return std::min(wake, current.pausing_since + CurrentGrace());
  if (execution_schedule_.empty()) return wake;
  if (!current.tasks.front()->dispatched_inline_)
    wake = std::min(wake, current.slice_began + CurrentSlice());
  if (MayAppend(*NextExecutions())) wake = std::min(wake, current.run_ahead.RefillTime());
  return wake;
}

Scheduler::TimePoint Scheduler::BeginWait() {
  waits_until_ = WakeTime();
  dispatch_thread_waits_ = true;
  return waits_until_;
}

bool Scheduler::MayAppend(const TaskQueue::Lane& lane) const {
  const ComputeStream& current = streams_.current();
  if (current.is_pausing || current.is_closed) return false;
  if (lane.suspended != nullptr || !lane.returning.empty()) return false;
  const TaskQueue& queue = *lane.tasks.front()->queue_;
  if (current.exclusive != nullptr && current.exclusive != &queue) return false;
  // Streams with members of gangs have tasks of one queue only: all are suspended together, so they
  // keep their order, which is the same on all devices of the gangs.
  const auto is_of_queue = [&](const Task* task) { return task->queue_.get() == &queue; };
  if (lane.tasks.front()->gang() != nullptr &&
      !std::all_of(current.tasks.begin(), current.tasks.end(), is_of_queue)) {
    return false;
  }
  return current.exclusive_share == nullptr || current.exclusive_share == queue.share_.get();
}

bool Scheduler::ExecutionsAreOpen(TimePoint now) const {
  const TaskQueue::Lane* const lane = NextExecutions();
  return lane != nullptr && streams_.current().run_ahead.IsOpen(now) && MayAppend(*lane);
}

bool Scheduler::IsShort(const Task& task) const {
  const hal::LoadedExecutable* const executable = task.execution()->executable.get();
  if (executable == nullptr) return true;    // it fails
  if (task.gang() != nullptr) return false;  // it waits for other devices
  const std::chrono::nanoseconds cost(executable->cost.ns());
  return executable->executable->steady && cost.count() > 0 && cost <= options_.slice;
}

void Scheduler::Charge(Task& task, TaskQueue::Lane& lane, TimePoint now) {
  task.state_ = Task::State::kTaken;
  if (task.bypass_ != nullptr) {
    ++task.bypass_->in_flight;
    ++bypass_in_flight_;
    if (!task.is_upload()) busy_time_.Enter(now);
  }
  if (const Upload* const upload = task.upload(); upload != nullptr) {
    ++uploads_in_flight_;
    upload_bytes_in_flight_ += upload->size_bytes;
    task.charged_cost_ = upload->size_bytes + kUploadOverheadBytes;
    upload_schedule_.Charge(lane, static_cast<double>(task.charged_cost_));
    return;
  }
  const Execution& execution = *task.execution();
  const int64_t estimate_ns =
      execution.executable != nullptr ? execution.executable->cost.ns() : kUnknownCostNs;
  if (task.bypass_ == nullptr) {
    ComputeStream& stream = streams_.current();
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
    stream.is_closed = execution.host != nullptr;
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

std::shared_ptr<Task> Scheduler::TakeFrom(FairSchedule& schedule, TimePoint now) {
  auto* const lane = static_cast<TaskQueue::Lane*>(schedule.Next());
  std::shared_ptr<Task> task = lane->tasks.front();
  std::list<std::shared_ptr<Task>>& taken = task->queue_->taken_;
  taken.splice(taken.end(), lane->tasks, lane->tasks.begin());
  Charge(*task, *lane, now);
  if (lane->tasks.empty()) schedule.Deactivate(*lane);
  return task;
}

std::shared_ptr<Task> Scheduler::TakeForBypass(BypassStream& express, TimePoint now) {
  Task& task = *NextExecutions()->tasks.front();
  task.bypass_ = &express;
  task.may_run_inline_ = true;
  return TakeFrom(execution_schedule_, now);
}

std::shared_ptr<Task> Scheduler::Take() {
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

void Scheduler::PutBack(const std::shared_ptr<Task>& task, PutBackReason reason, bool continues) {
  Uncharge(*task);
  task->dispatched_inline_ = task->may_run_inline_ = false;
  task->bypass_ = nullptr;
  task->was_put_back_ = true;
  if (!continues) return;
  std::list<std::shared_ptr<Task>>& tasks = task->queue_->LaneOf(*task).tasks;
  tasks.splice(tasks.begin(), task->queue_->taken_, task->position_);
  if (reason == PutBackReason::kAwaitsMemoryLease) {
    const TimePoint until = events_.MemoryLeaseBindsUntil();
    if (std::chrono::steady_clock::now() < until) {
      Hold(*task, await_memory_lease_);
      retry_at_ = std::min(retry_at_, until);
    }
  } else if (reason == PutBackReason::kAwaitsCompletion) {
    Hold(*task, held_);
    retry_at_ = std::min({retry_at_, std::chrono::steady_clock::now() + options_.slice,
                          task->memory_wait_.retry_at});
  }
  Enqueue(*task);
}

void Scheduler::NoteEnded(Task& task, TimePoint now, std::chrono::nanoseconds device_time) {
  if (!held_.empty()) ReleaseHeld();
  if (!task.is_upload()) CountRun(task, now, device_time);
  if (task.bypass_ != nullptr) LeaveBypass(task);
  if (const Upload* const upload = task.upload(); upload != nullptr) {
    --uploads_in_flight_;
    upload_bytes_in_flight_ -= upload->size_bytes;
    return;
  }
  if (task.stream_ != nullptr) {
    RemoveFirst(*task.stream_, task, now);
    if (streams_.current().tasks.empty()) idle_since_ = now;
  }
  execution_schedule_.Charge(task.queue_->executions_,
                             static_cast<double>(device_time.count() - task.charged_cost_));
}

void Scheduler::CountRun(const Task& task, TimePoint now, std::chrono::nanoseconds device_time) {
  // A run that is cancelled while it is suspended ends without coming back to the device.
  if (task.stream_ != nullptr && !task.stream_->is_on_device) return;
  const bool was_suspended = task.control_.paused_time().count() != 0;
  busy_time_.EndRun(now, was_suspended ? std::chrono::nanoseconds(0) : device_time);
}

void Scheduler::ChargeAttempt(const Task& task, std::chrono::nanoseconds took) {
  // An upload is charged as many bytes as nanoseconds, about what is copied in that time.
  ScheduleOf(task).Charge(task.queue_->LaneOf(task), static_cast<double>(took.count()));
}

void Scheduler::NoteFailedDispatch(Task& task) {
  Uncharge(task);
  if (!task.is_upload()) execution_schedule_.Charge(task.queue_->executions_, kFailureCostNs);
}

void Scheduler::Uncharge(Task& task) {
  if (task.bypass_ != nullptr) LeaveBypass(task);
  if (const Upload* const upload = task.upload(); upload != nullptr) {
    --uploads_in_flight_;
    upload_bytes_in_flight_ -= upload->size_bytes;
    upload_schedule_.Charge(task.queue_->uploads_, static_cast<double>(-task.charged_cost_));
  } else {
    if (task.stream_ != nullptr) RemoveLast(*std::exchange(task.stream_, nullptr));
    execution_schedule_.Charge(task.queue_->executions_, static_cast<double>(-task.charged_cost_));
  }
}

bool Scheduler::Retire(Task& task) {
  if (task.state_ == Task::State::kTaken) task.queue_->taken_.erase(task.position_);
  task.state_ = Task::State::kDone;
  task.queue_->queued_.fetch_sub(1, std::memory_order_relaxed);
  if (streams_.current().tasks.empty() && bypass_in_flight_ == 0 && num_suspended_ == 0 &&
      held_.empty() && await_memory_lease_.empty() && execution_schedule_.empty()) {
    execution_schedule_.EndBusyPeriod();
  }
  if (uploads_in_flight_ == 0 && upload_schedule_.empty()) upload_schedule_.EndBusyPeriod();
  return --num_queued_ == 0;
}

const absl::Status& Scheduler::ClosedFor(const Task& task) {
  return task.cancel_reason_.ok() ? task.queue_->closed_ : task.cancel_reason_;
}

bool Scheduler::RemoveQueued(const std::shared_ptr<Task>& task) {
  if (task->state_ == Task::State::kWaiting) {
    task->queue_->waiting_.erase(task->position_);
  } else if (task->state_ == Task::State::kRunnable) {
    TaskQueue::Lane& lane = task->queue_->LaneOf(*task);
    lane.tasks.erase(task->position_);
    if (lane.tasks.empty() && lane.suspended == nullptr) ScheduleOf(*task).Deactivate(lane);
  } else {
    return false;
  }
  task->state_ = Task::State::kDone;
  return true;
}

std::list<std::shared_ptr<Task>> Scheduler::Close(TaskQueue& queue, const absl::Status& reason) {
  std::list<std::shared_ptr<Task>> removed;
  queue.closed_ = reason;
  if (queue.executions_.suspended == nullptr) execution_schedule_.Deactivate(queue.executions_);
  upload_schedule_.Deactivate(queue.uploads_);
  removed.splice(removed.end(), queue.executions_.tasks);
  removed.splice(removed.end(), queue.uploads_.tasks);
  removed.splice(removed.end(), queue.waiting_);
  for (const std::shared_ptr<Task>& task : removed) task->state_ = Task::State::kDone;
  return removed;
}

std::vector<std::shared_ptr<Task>> Scheduler::TakenOf(const TaskQueue& queue) {
  return {queue.taken_.begin(), queue.taken_.end()};
}

std::vector<std::shared_ptr<Task>> Scheduler::RunningOf(uint64_t session) const {
  std::vector<std::shared_ptr<Task>> tasks;
  for (const std::unique_ptr<ComputeStream>& stream : streams_.all()) {
    for (Task* const task : stream->tasks) {
      if (task->session == session) tasks.push_back(task->shared_from_this());
    }
  }
  return tasks;
}

std::vector<Scheduler::Running> Scheduler::RunningNow() const {
  const TimePoint now = std::chrono::steady_clock::now();
  std::vector<Running> running;
  for (const std::unique_ptr<ComputeStream>& stream : streams_.all()) {
    if (stream->tasks.empty()) continue;
    const Task& task = *stream->tasks.front();
    const Execution& execution = *task.execution();
    running.push_back({.session = task.session,
                       .owner = task.queue_->share_->name_,
                       .program = *execution.program_name,
                       .since_submitted = now - execution.submitted_at,
                       .on_device = stream->TimeOnDevice(now),
                       .state = task.is_cancelled()   ? Running::State::kEnding
                                : stream->awaits_host ? Running::State::kAwaitsHost
                                : stream->is_paused   ? Running::State::kSuspended
                                                      : Running::State::kRuns});
    if (stream.get() == &streams_.current()) std::swap(running.front(), running.back());
  }
  return running;
}

}  // namespace acceld::runtime
