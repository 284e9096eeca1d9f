#include <utility>

#include "server/runtime/device_executor.h"

// Brief tasks, dispatched by the thread that submits them: waking another one would take longer
// than the task. Such a thread serves a client's connection, so nothing here waits or takes long.
namespace acceld::runtime {

bool DeviceExecutor::IsBrief(const Task& task) const {
  if (const auto* upload = std::get_if<Upload>(&task.work_)) {
    return upload->size_bytes <= options_.brief_bytes;
  }
  const auto& execution = std::get<Execution>(task.work_);
  if (execution.executable == nullptr) return false;
  const hal::Executable& executable = *execution.executable->executable;
  const std::chrono::nanoseconds cost(execution.executable->cost.ns());
  if (!executable.steady || cost.count() == 0 || cost > options_.brief_run) return false;
  int64_t size_bytes = executable.arena_bytes;
  for (const auto& output : task.outputs) size_bytes += output->type()->size_bytes();
  if (size_bytes > options_.brief_bytes) return false;
  for (const auto& input : execution.inputs) {
    if (input->device() != index_) return false;
  }
  return true;
}

bool DeviceExecutor::TakeHere(const std::shared_ptr<Task>& task) {
  if (!dispatcher_waits_ || dispatching_here_ || stopping_) return false;
  TaskQueue::Lane& lane = task->queue_->LaneOf(*task);
  const TimePoint now = std::chrono::steady_clock::now();
  if (task->is_upload()) {
    if (uploads_in_flight_ > 0 || !upload_turns_.empty()) return false;
  } else {
    if (run_ahead_.count() > 0 || !execution_turns_.empty()) return false;
    // Whoever submits one task right after another keeps its thread for that, unless the tasks are
    // even shorter.
    const auto& execution = std::get<Execution>(task->work_);
    if (now - idle_since_ < std::chrono::nanoseconds(execution.executable->cost.ns())) return false;
  }
  FairSchedule& schedule = task->is_upload() ? upload_turns_ : execution_turns_;
  schedule.Activate(lane);
  (void)schedule.Next();  // This one: it is alone.
  Charge(*task, lane, now);
  schedule.Deactivate(lane);
  task->position_ = task->queue_->taken_.insert(task->queue_->taken_.end(), task);
  dispatching_here_ = true;
  return true;
}

void DeviceExecutor::DispatchHere(const std::shared_ptr<Task>& task) {
  task->brief_ = true;
  if (absl::Status status = Launch(task); status.code() == absl::StatusCode::kResourceExhausted) {
    // The dispatch thread may do what it takes to find memory.
    HandBack(task);
  } else if (!status.ok()) {
    FailDispatch(*task, status);
  }
  MutexLock lock(mutex_);
  dispatching_here_ = false;
  if (dispatcher_waits_ && (stopping_ || DispatcherIsWanted())) work_.NotifyOne();
}

void DeviceExecutor::HandBack(const std::shared_ptr<Task>& task) {
  absl::Status closed;
  {
    MutexLock lock(mutex_);
    Uncharge(*task);
    task->brief_ = false;
    TaskQueue& queue = *task->queue_;
    closed = task->cancel_reason_.ok() ? queue.closed_ : task->cancel_reason_;
    if (closed.ok()) {
      std::list<std::shared_ptr<Task>>& lane = queue.LaneOf(*task).tasks;
      lane.splice(lane.begin(), queue.taken_, task->position_);
      Enqueue(task);
    }
  }
  if (!closed.ok()) FailTask(*task, closed);
}

}  // namespace acceld::runtime
