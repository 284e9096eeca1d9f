#include "common/check.h"
#include "server/runtime/schedule/scheduler.h"

// Runs that wait for their client's answer to a host call. The stream of such a run gives the
// device to others, is not scheduled, and its waiting time is charged to nobody. When the answer
// has arrived the stream is suspended like others, and resumed when its queue is scheduled, or at
// once if the device is idle.
//
// No task is added after a run that may make host calls, and readers of its outputs wait until it
// has ended, so a waiting run delays nothing but its own results. HostCallLimits bounds the number
// of waiting runs.
namespace acceld::runtime {

void Scheduler::SuspendForHostCall(Task& task) {
  const TimePoint now = std::chrono::steady_clock::now();
  ComputeStream& stream = *task.stream_;
  // No task is behind it.
  ACCELD_CHECK(stream.tasks.front() == &task && stream.tasks.size() == 1);
  // A request to pause must not reach the run before its answer has arrived.
  task.control_.Resume();
  stream.ran_before = stream.TimeOnDevice(now);
  stream.is_pausing = false;
  stream.is_paused = stream.awaits_host = true;
  LeaveDevice(stream, now);
  SettleRunning(stream, now);
  host_call_limits_.BeginWait(*task.queue_->share_);
  if (&stream == &streams_.current()) {
    streams_.UseSpare();
    idle_since_ = now;
  } else {
    EndSuspension(stream);
  }
  PromoteReturning(*task.queue_);
}

void Scheduler::EndHostCallWait(ComputeStream& stream, TaskQueue& queue) {
  stream.awaits_host = false;
  host_call_limits_.EndWait(*queue.share_);
  if (const std::shared_ptr<Task> task = host_call_limits_.Admit(*queue.share_)) MakeRunnable(task);
}

void Scheduler::ResumeAfterHostCall(Task& task) {
  ComputeStream& stream = *task.stream_;
  EndHostCallWait(stream, *task.queue_);
  TaskQueue::Lane& lane = task.queue_->executions_;
  stream.is_returning = true;
  lane.returning.push_back(&stream);
  PromoteReturning(*task.queue_);
  const bool is_idle = streams_.current().tasks.empty() && !dispatching_inline_;
  if (is_idle && lane.suspended == &stream && NextExecutions() == &lane) {
    ResumeNext(std::chrono::steady_clock::now());
  } else {
    task.control_.Pause([] {});
  }
}

void Scheduler::PromoteReturning(TaskQueue& queue) {
  // Executions held back may be admitted when a run of the same user has ended or continued.
  if (const std::shared_ptr<Task> task = host_call_limits_.AdmitIfThereIsRoom(*queue.share_)) {
    MakeRunnable(task);
  }
  TaskQueue::Lane& lane = queue.executions_;
  if (lane.returning.empty() || lane.suspended != nullptr) return;
  const ComputeStream& current = streams_.current();
  if (!current.tasks.empty() && current.tasks.front()->queue_.get() == &queue) return;
  ComputeStream& stream = *lane.returning.front();
  lane.returning.pop_front();
  stream.is_returning = false;
  stream.suspended_for = stream.tasks.front()->queue_;
  lane.suspended = &stream;
  execution_schedule_.Activate(lane);
  ++num_suspended_;
  ++queue.share_->num_suspended_;
}

}  // namespace acceld::runtime
