#include <algorithm>

#include "server/runtime/schedule/scheduler.h"

// Tasks that the submitting thread dispatches, and tasks that overtake the work of the device.
namespace acceld::runtime {
namespace {

// How much more than its share a session may have had to overtake others.
constexpr double kLeadNs = 200'000, kUploadLeadBytes = 1 << 20;
// The most tasks on one express stream; with more, a task would not end much earlier than
// otherwise.
constexpr int kMaxInFlight = 4;

}  // namespace

bool Scheduler::TakeInline(const std::shared_ptr<Task>& task) {
  const TimePoint now = std::chrono::steady_clock::now();
  const Execution* const execution = task->execution();
  if (DeviceIsIdle(*task)) {
    // A client that submits one execution right after another needs its thread for that, unless its
    // executions are even shorter than the pauses in between.
    if (execution != nullptr && !execution->awaited && now - idle_since_ < task->ExpectedRun()) {
      return false;
    }
  } else {
    if (options_.inline_limits.IsVeryShort(*task, false)) task->bypass_ = BypassStreamFor(*task);
    if (task->bypass_ == nullptr) return false;
  }
  task->dispatched_inline_ = true;
  FairSchedule& schedule = ScheduleOf(*task);
  TaskQueue::Lane& lane = task->queue_->LaneOf(*task);
  schedule.Activate(lane);
  if (task->bypass_ == nullptr) (void)schedule.Next();  // Next() serves this lane, the only one
  Charge(*task, lane, now);
  schedule.Deactivate(lane);
  if (execution != nullptr && task->bypass_ == nullptr) dispatching_inline_ = true;
  task->position_ = task->queue_->taken_.insert(task->queue_->taken_.end(), task);
  return true;
}

bool Scheduler::TakeMemberInline(const std::shared_ptr<Task>& task) {
  if (!DeviceIsIdle(*task)) return false;
  task->queue_->waiting_.erase(task->position_);
  if (TakeInline(task)) return true;
  AddWaiting(task);
  return false;
}

void Scheduler::ReturnMember(const std::shared_ptr<Task>& task) {
  if (task->state_ != Task::State::kTaken) return;
  Uncharge(*task);
  task->dispatched_inline_ = dispatching_inline_ = false;
  std::list<std::shared_ptr<Task>>& waiting = task->queue_->waiting_;
  waiting.splice(waiting.end(), task->queue_->taken_, task->position_);
  task->state_ = Task::State::kWaiting;
}

void Scheduler::EndInline(Task& task, bool on_compute_stream, bool is_task_kept) {
  // A task that has not run by now runs on its stream and has time slices like any other. A task
  // that was put back belongs to the dispatch thread.
  if (is_task_kept) task.dispatched_inline_ = false;
  if (on_compute_stream) dispatching_inline_ = false;
}

bool Scheduler::DeviceIsIdle(const Task& task) const {
  if (task.is_upload()) return uploads_in_flight_ == 0 && upload_schedule_.empty();
  return dispatch_thread_waits_ && !dispatching_inline_ && streams_.current().tasks.empty() &&
         execution_schedule_.empty();
}

BypassStream* Scheduler::BypassStreamFor(const Task& task) const {
  // A task does not overtake other tasks of its own queue, and gangs overtake nothing.
  const TaskQueue& queue = *task.queue_;
  const auto& executions = queue.executions_.tasks;
  if (task.gang() != nullptr || task.was_put_back_ || queue.priority_ == Priority::kBatch ||
      !queue.uploads_.tasks.empty() || !queue.taken_.empty() ||
      (!executions.empty() && executions.front().get() != &task)) {
    return nullptr;
  }
  const std::deque<Task*>& running = streams_.current().tasks;
  if (task.is_upload()) {
    if (!upload_schedule_.IsDue(queue.uploads_, kUploadLeadBytes)) return nullptr;
  } else if (!execution_schedule_.IsDue(
                 queue.executions_, kLeadNs,
                 running.empty() ? nullptr : &running.front()->queue_->executions_)) {
    return nullptr;
  } else {
    // The inputs must be ready, so that the stream does not wait for them.
    const auto& inputs = task.execution()->inputs;
    const bool ready = std::all_of(inputs.begin(), inputs.end(), [](const auto& input) {
      const Array::View view = input->view();
      return view.state == Array::State::kDefined && view.buffer != nullptr &&
             (!view.arrival.valid() || view.arrival.IsReady());
    });
    if (!ready) return nullptr;
  }
  BypassStream* const express =
      std::min_element(bypass_streams_.begin(), bypass_streams_.end(),
                       [](const auto& a, const auto& b) { return a->in_flight < b->in_flight; })
          ->get();
  return express->in_flight < kMaxInFlight ? express : nullptr;
}

BypassStream* Scheduler::BypassStreamForNext() const {
  if (execution_schedule_.empty() || streams_.current().tasks.empty()) return nullptr;
  const TaskQueue::Lane& next = *NextExecutions();
  if (next.suspended != nullptr) return nullptr;
  const Task& task = *next.tasks.front();
  const bool has_executable = task.execution()->executable != nullptr;
  return has_executable && options_.inline_limits.IsVeryShort(task, false) ? BypassStreamFor(task)
                                                                           : nullptr;
}

void Scheduler::LeaveBypass(Task& task) {
  --task.bypass_->in_flight;
  --bypass_in_flight_;
  if (!task.is_upload()) busy_time_.Leave();
}

}  // namespace acceld::runtime
