#include <list>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/runtime/device_executor.h"
#include "server/runtime/gang/gang.h"

// The end of tasks whose results nobody needs, or can get, any more.
//
// Two threads may settle the outputs of a task in flight: the stream's thread, and the one that
// cancels. The first to set `settled_` does it. The thread that cancels does so only when the
// outputs are scheduled; before that, the dispatching thread finds the task marked as cancelled and
// settles the outputs.
namespace acceld::runtime {

bool DeviceExecutor::MarkCancelled(Task& task, const absl::Status& reason) {
  if (task.state_ == Task::State::kDone || !task.cancel_reason_.ok()) return false;
  // All members of a gang end with the reason of the first, which the gang has to know before the
  // run ends.
  task.cancel_reason_ = task.gang() != nullptr ? task.gang()->Combine(reason) : reason;
  task.control_.Cancel();
  return true;
}

absl::Status DeviceExecutor::ReasonFor(const Task& task) const {
  const MutexLock lock(mutex_);
  return task.cancel_reason_;
}

void DeviceExecutor::EndInFlight(Task& task) {
  SettleEarly(task);
  // The runs of other members may wait for this one.
  if (Gang* const gang = task.gang(); gang != nullptr) gang->Fail(ReasonFor(task));
}

void DeviceExecutor::SettleEarly(Task& task) {
  if (!task.launched_.load() || task.settled_.exchange(true)) return;
  const absl::Status reason = ReasonFor(task);
  if (Execution* const execution = task.execution(); execution != nullptr) {
    // The inputs are released early, as the executions that make them may still be queued on the
    // same stream, and for nobody else.
    DropInputs(*execution);
    instruments_.ended.Add(reason.code());
  }
  FailOutputs(task, reason);
}

void DeviceExecutor::Cancel(const std::shared_ptr<Task>& task, const absl::Status& reason) {
  bool was_queued = false;
  {
    const MutexLock lock(mutex_);
    if (!MarkCancelled(*task, reason)) return;
    was_queued = scheduler_.RemoveQueued(task);
  }
  if (was_queued) return FailTask(*task, reason);
  EndInFlight(*task);
}

void DeviceExecutor::Cancel(TaskQueue& queue, const absl::Status& reason) {
  std::list<std::shared_ptr<Task>> queued;
  std::vector<std::shared_ptr<Task>> taken;
  {
    const MutexLock lock(mutex_);
    queued = scheduler_.Close(queue, reason);
    taken = Scheduler::TakenOf(queue);
    std::erase_if(taken, [&](const std::shared_ptr<Task>& task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(
                             mutex_) { return !MarkCancelled(*task, reason); });
  }
  for (const auto& task : queued) FailTask(*task, reason);
  for (const auto& task : taken) EndInFlight(*task);
}

int DeviceExecutor::CancelRunning(uint64_t session, const absl::Status& reason) {
  std::vector<std::shared_ptr<Task>> tasks;
  {
    const MutexLock lock(mutex_);
    tasks = scheduler_.RunningOf(session);
  }
  for (const std::shared_ptr<Task>& task : tasks) Cancel(task, reason);
  return static_cast<int>(tasks.size());
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
  if (Gang* const gang = task->gang(); gang != nullptr && !gang->NoteUnread()) return;
  absl::Status reason = absl::CancelledError(absl::StrCat(
      "program ", *task->execution()->program_name, ": nobody holds its results any more"));
  // The caller may hold locks, and may itself be settling a task of the same chain. So the dispatch
  // thread cancels the links of the chain one after another.
  const MutexLock lock(mutex_);
  scheduler_.CancelLater(task, std::move(reason));
  WakeDispatchThread();
}

}  // namespace acceld::runtime
