#include <list>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/runtime/device_executor.h"

// The end of tasks whose results nobody needs, or can get, any more.
//
// Two threads may settle the outputs of a task in flight: the stream's thread, and the one that
// cancels. The first to set `settled_` does it. The thread that cancels does so only when the
// outputs are scheduled; before that, the dispatching thread finds the task marked as cancelled and
// settles the outputs.
namespace acceld::runtime {

bool DeviceExecutor::MarkCancelled(Task& task, const absl::Status& reason) {
  if (task.state_ == Task::State::kDone || !task.cancel_reason_.ok()) return false;
  task.cancel_reason_ = reason;
  task.control_.Cancel();
  if (memory_waiters_ > 0) memory_freed_.NotifyAll();
  return true;
}

absl::Status DeviceExecutor::ReasonFor(const Task& task) const {
  MutexLock lock(mutex_);
  return task.cancel_reason_;
}

void DeviceExecutor::SettleEarly(Task& task) {
  if (!task.launched_.load() || task.settled_.exchange(true)) return;
  const absl::Status reason = ReasonFor(task);
  if (auto* execution = std::get_if<Execution>(&task.work_)) {
    // The inputs are released early, as the executions that make them may still be queued on the
    // same stream, and for nobody else.
    DropInputs(*execution);
    instruments_.ended.Add(reason.code());
  }
  FailOutputs(task, reason);
}

void DeviceExecutor::Cancel(const std::shared_ptr<Task>& task, const absl::Status& reason) {
  std::list<std::shared_ptr<Task>> queued;
  {
    MutexLock lock(mutex_);
    if (!MarkCancelled(*task, reason)) return;
    switch (task->state_) {
      case Task::State::kWaiting:
        queued.splice(queued.end(), task->queue_->waiting_, task->position_);
        break;
      case Task::State::kRunnable: {
        TaskQueue::Lane& lane = task->queue_->LaneOf(*task);
        queued.splice(queued.end(), lane.tasks, task->position_);
        if (!lane.tasks.empty()) break;
        if (lane.suspended != nullptr) break;
        (task->is_upload() ? upload_schedule_ : execution_schedule_).Deactivate(lane);
        break;
      }
      case Task::State::kNew:
      case Task::State::kTaken:
      case Task::State::kDone:
        break;
    }
    if (!queued.empty()) task->state_ = Task::State::kDone;
  }
  if (!queued.empty()) return FailTask(*task, reason);
  SettleEarly(*task);
}

std::shared_ptr<Array> DeviceExecutor::ReaderOf(const std::shared_ptr<Task>& task,
                                                std::shared_ptr<Array> output) {
  task->read_outputs_.fetch_add(1, std::memory_order_relaxed);
  return Array::ForReaders(std::move(output), [this, weak = std::weak_ptr<Task>(task)] {
    if (const std::shared_ptr<Task> maker = weak.lock(); maker != nullptr) NoteUnread(maker);
  });
}

void DeviceExecutor::NoteUnread(const std::shared_ptr<Task>& task) {
  if (task->read_outputs_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  const std::string& program = *std::get<Execution>(task->work_).program_name;
  absl::Status reason = absl::CancelledError(
      absl::StrCat("program ", program, ": nobody holds its results any more"));
  // The caller may hold locks, and may itself be settling a task of the same chain. So the
  // dispatcher cancels the links of the chain one after another.
  MutexLock lock(mutex_);
  deferred_work_.ended.emplace_back(task, std::move(reason));
  if (dispatcher_waits_) work_.NotifyOne();
}

void DeviceExecutor::Cancel(TaskQueue& queue, const absl::Status& reason) {
  std::list<std::shared_ptr<Task>> queued;
  std::vector<std::shared_ptr<Task>> taken;
  {
    MutexLock lock(mutex_);
    queue.closed_ = reason;
    if (queue.executions_.suspended == nullptr) execution_schedule_.Deactivate(queue.executions_);
    upload_schedule_.Deactivate(queue.uploads_);
    queued.splice(queued.end(), queue.executions_.tasks);
    queued.splice(queued.end(), queue.uploads_.tasks);
    queued.splice(queued.end(), queue.waiting_);
    for (const auto& task : queued) task->state_ = Task::State::kDone;
    for (const auto& task : queue.taken_) {
      if (MarkCancelled(*task, reason)) taken.push_back(task);
    }
  }
  for (const auto& task : queued) FailTask(*task, reason);
  for (const auto& task : taken) SettleEarly(*task);
}

}  // namespace acceld::runtime
