#include <algorithm>
#include <utility>

#include "common/check.h"
#include "server/runtime/schedule/scheduler.h"

// How executions share the device in time: time slices and suspended streams.
namespace acceld::runtime {
namespace {

// Where suspended executions continue alongside others, they may occupy this part of the streams
// that the device runs side by side; the rest is left to the others.
constexpr double kSuspendedPart = 0.75;

}  // namespace

void Scheduler::ChargeRunning(const ComputeStream& stream, TimePoint now) {
  if (stream.TimeOnDevice(now).count() > stream.tasks.front()->charged_cost_) {
    SettleRunning(stream, now);
  }
}

void Scheduler::SettleRunning(const ComputeStream& stream, TimePoint now) {
  Task& task = *stream.tasks.front();
  const int64_t more_ns = stream.TimeOnDevice(now).count() - task.charged_cost_;
  task.charged_cost_ += more_ns;
  execution_schedule_.Charge(task.queue_->executions_, static_cast<double>(more_ns));
}

void Scheduler::EnterDevice(ComputeStream& stream, TimePoint now) {
  if (!std::exchange(stream.is_on_device, true)) busy_time_.Enter(now);
}

void Scheduler::LeaveDevice(ComputeStream& stream, TimePoint now) {
  if (!std::exchange(stream.is_on_device, false)) return;
  busy_time_.CountUntil(now);
  busy_time_.Leave();
}

void Scheduler::ShareTime(TimePoint now) {
  run_limits_.EndPastMaxRun(now, deferred_work_.ended);
  if (now >= NextStall()) run_limits_.EndStall(now, deferred_work_.ended);
  if (now >= retry_at_) ReleaseHeld();
  for (const std::shared_ptr<Task>& task : host_call_limits_.AdmitOverdue(now)) MakeRunnable(task);
  const ComputeStream& running = streams_.current();
  if (running.is_pausing &&
      (running.is_paused || RunsOverlap() || now >= running.pausing_since + CurrentGrace())) {
    Suspend();
  }
  HoldBack();
  if (execution_schedule_.empty()) return;
  const ComputeStream& current = streams_.current();
  if (current.tasks.empty()) return ResumeNext(now);
  if (!current.is_pausing && now >= current.slice_began + CurrentSlice()) EndSlice(now);
}

std::chrono::nanoseconds Scheduler::CurrentSlice() const {
  const TaskQueue::Lane& next = *NextExecutions();
  if (next.suspended != nullptr ||
      &next == &streams_.current().tasks.front()->queue_->executions_ ||
      !IsShort(*next.tasks.front())) {
    return options_.slice;
  }
  const hal::LoadedExecutable* const executable = next.tasks.front()->execution()->executable.get();
  const std::chrono::nanoseconds cost(executable != nullptr ? executable->cost.ns() : 0);
  return std::clamp<std::chrono::nanoseconds>(cost, options_.min_slice, options_.slice);
}

std::chrono::nanoseconds Scheduler::CurrentGrace() const {
  const std::chrono::nanoseconds grace = options_.pause_grace;
  return execution_schedule_.empty() ? grace : std::min(grace, CurrentSlice());
}

void Scheduler::EndSlice(TimePoint now) {
  ComputeStream& stream = streams_.current();
  Task& running = *stream.tasks.front();
  // A thread that serves a connection must not sleep, and what it runs itself is short. So is a
  // task that runs although its queue has a suspended stream.
  if (running.dispatched_inline_ || running.queue_->executions_.suspended != nullptr) return;
  ChargeRunning(stream, now);
  const bool others_first = OthersGoFirst(*running.queue_);
  if (others_first && !streams_.has_spare()) {
    deferred_work_.add_stream = true;
    return;
  }
  stream.ran_before = stream.TimeOnDevice(now);
  stream.slice_began = now;
  if (!others_first) return;
  stream.is_pausing = true;
  stream.pausing_since = now;
  for (Task* task : stream.tasks) {
    task->control_.Pause([this, &stream] { events_.OnPaused(stream); });
  }
}

bool Scheduler::OthersGoFirst(TaskQueue& queue) {
  TaskQueue::Lane& lane = queue.executions_;
  const bool had_tasks = lane.active();
  execution_schedule_.SetHandicap(lane, SliceNs());
  execution_schedule_.Activate(lane);
  const bool others = execution_schedule_.Peek() != &lane;
  execution_schedule_.SetHandicap(lane, 0);
  if (!had_tasks) execution_schedule_.Deactivate(lane);
  return others;
}

int Scheduler::MaxSuspended() const {
  if (!RunsOverlap()) return options_.max_suspended;
  return std::min(options_.max_suspended,
                  static_cast<int>(kSuspendedPart * options_.concurrent_runs));
}

bool Scheduler::RunsAlongside(const ComputeStream& stream) const {
  return stream.suspended_for != nullptr && !stream.is_paused && RunsOverlap();
}

void Scheduler::NotePaused(ComputeStream& stream, TimePoint now) {
  if (!stream.is_pausing || stream.is_paused || stream.tasks.empty()) return;
  stream.ran_before = stream.TimeOnDevice(now);
  stream.is_paused = true;
  LeaveDevice(stream, now);
  SettleRunning(stream, now);
  if (stream.suspended_for != nullptr) {
    execution_schedule_.Activate(stream.suspended_for->executions_);
  }
}

void Scheduler::Suspend() {
  ComputeStream& stream = streams_.current();
  const std::shared_ptr<TaskQueue>& first = stream.tasks.front()->queue_;
  if (first->executions_.suspended != nullptr) {
    // The first task has changed since the slice ended, and the queue of the present one has a
    // suspended stream already.
    return Resume(stream, std::chrono::steady_clock::now());
  }
  stream.suspended_for = first;
  TaskQueue& queue = *first;
  ACCELD_CHECK(streams_.has_spare());
  queue.executions_.suspended = &stream;
  execution_schedule_.SetHandicap(queue.executions_, SliceNs());
  if (!RunsAlongside(stream)) execution_schedule_.Activate(queue.executions_);
  // A run that does not pause continues on the host's processors; let it yield to the others.
  if (!stream.is_paused && !RunsOverlap()) stream.low_priority = stream.SetLowPriority(true);
  ++num_suspended_;
  ++queue.share_->num_suspended_;
  ++suspensions_;
  streams_.UseSpare();
}

void Scheduler::ResumeNext(TimePoint now) {
  const TaskQueue::Lane* const next = NextExecutions();
  if (next->suspended == nullptr) return;
  ComputeStream& stream = *next->suspended;
  (void)execution_schedule_.Next();
  EndSuspension(stream);
  streams_.Use(stream);
  Resume(stream, now);
}

void Scheduler::EndLowPriority(ComputeStream& stream) {
  if (stream.low_priority) stream.low_priority = !stream.SetLowPriority(false);
}

void Scheduler::Resume(ComputeStream& stream, TimePoint now) {
  EndLowPriority(stream);
  stream.ran_before = stream.TimeOnDevice(now);
  stream.slice_began = now;
  stream.is_pausing = stream.is_paused = false;
  EnterDevice(stream, now);
  for (Task* task : stream.tasks) task->control_.Resume();
}

void Scheduler::EndSuspension(ComputeStream& stream) {
  // The queue is released last, as the stream may hold the only reference to it.
  const std::shared_ptr<TaskQueue> queue = std::exchange(stream.suspended_for, nullptr);
  TaskQueue::Lane& lane = queue->executions_;
  lane.suspended = nullptr;
  execution_schedule_.SetHandicap(lane, 0);
  if (lane.tasks.empty()) {
    execution_schedule_.Deactivate(lane);
  } else if (!lane.is_held) {
    execution_schedule_.Activate(lane);
  }
  --num_suspended_;
  --queue->share_->num_suspended_;
  ReleaseHeld();
}

void Scheduler::RemoveFirst(ComputeStream& stream, const Task& task, TimePoint now) {
  ACCELD_CHECK(stream.tasks.front() == &task);
  if (stream.awaits_host) EndHostCallWait(stream, *task.queue_);
  if (std::exchange(stream.is_returning, false)) {
    std::erase(task.queue_->executions_.returning, &stream);
  }
  stream.tasks.pop_front();
  stream.run_ahead.FinishFirst(now);
  stream.slice_began = now;
  stream.ran_before = std::chrono::nanoseconds(0);
  // If the first task had paused, it was cancelled; the next one has not paused yet.
  stream.is_paused = false;
  if (stream.tasks.empty()) {
    NoteEmpty(stream);
  } else {
    EnterDevice(stream, now);
  }
  PromoteReturning(*task.queue_);
}

void Scheduler::RemoveLast(ComputeStream& stream) {
  const std::shared_ptr<TaskQueue> queue = stream.tasks.back()->queue_;
  stream.tasks.pop_back();
  stream.run_ahead.DropLast();
  stream.is_closed = false;
  if (stream.tasks.empty()) NoteEmpty(stream);
  PromoteReturning(*queue);
}

void Scheduler::NoteEmpty(ComputeStream& stream) {
  stream.exclusive = nullptr;
  stream.exclusive_share = nullptr;
  stream.is_pausing = stream.is_paused = stream.is_closed = false;
  if (std::exchange(stream.is_on_device, false)) busy_time_.Leave();
  EndLowPriority(stream);
  if (&stream == &streams_.current()) {
    // A stream whose priority cannot be restored is of no use any more.
    if (!stream.low_priority || !streams_.has_spare()) return;
    streams_.UseSpare();
  } else if (stream.suspended_for != nullptr) {
    EndSuspension(stream);
  }
  if (stream.low_priority) {
    deferred_work_.retired.push_back(streams_.Remove(stream));
  } else {
    streams_.MakeSpare(stream);
  }
}

}  // namespace acceld::runtime
