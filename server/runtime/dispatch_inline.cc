#include <algorithm>
#include <utility>

#include "server/runtime/device_executor.h"

// Dispatch of tasks by the submitting thread. Waking the dispatcher takes time that would be
// noticeable for very short tasks, and for clients that wait for their results. The submitting
// thread serves a client's connection, so nothing here waits or takes long.
namespace acceld::runtime {
namespace {

// How much more than its share a session may have had to overtake others.
constexpr double kLeadNs = 200'000, kUploadLeadBytes = 1 << 20;
// The most tasks on one express stream; with more, a task would not end much earlier than
// otherwise.
constexpr int kMaxInFlight = 4;

}  // namespace

bool DeviceExecutor::MayDispatchInline(const Task& task) const {
  if (task.is_upload()) return IsVeryShort(task, false);
  const auto& execution = std::get<Execution>(task.work_);
  if (execution.executable == nullptr || MayCallHost(task)) return false;
  for (const auto& input : execution.inputs) {
    if (input->device() != index_) return false;
  }
  return execution.awaited || IsVeryShort(task, false);
}

bool DeviceExecutor::IsVeryShort(const Task& task, bool awaited) const {
  if (const auto* upload = std::get_if<Upload>(&task.work_)) {
    return upload->size_bytes <= options_.very_short_bytes;
  }
  const auto& execution = std::get<Execution>(task.work_);
  const hal::Executable& executable = *execution.executable->executable;
  const std::chrono::nanoseconds cost(execution.executable->cost.ns());
  const std::chrono::nanoseconds max_cost =
      awaited ? options_.awaited_run : options_.very_short_run;
  if (!executable.steady || cost.count() == 0 || cost > max_cost) return false;
  int64_t size_bytes = executable.arena_bytes;
  for (const auto& output : task.outputs) size_bytes += output->type()->size_bytes();
  return size_bytes <= (awaited ? options_.awaited_bytes : options_.very_short_bytes);
}

bool DeviceExecutor::TakeInline(const std::shared_ptr<Task>& task) {
  if (stopping_) return false;
  const TimePoint now = std::chrono::steady_clock::now();
  if (DeviceIsIdle(*task)) {
    // A client that submits one execution right after another needs its thread for that, unless its
    // executions are even shorter than the pauses in between.
    if (const auto* execution = std::get_if<Execution>(&task->work_);
        execution != nullptr && !execution->awaited &&
        now - idle_since_ < std::chrono::nanoseconds(execution->executable->cost.ns())) {
      return false;
    }
  } else {
    if (IsVeryShort(*task, false)) task->bypass_ = BypassStreamFor(*task);
    if (task->bypass_ == nullptr) return false;
  }
  task->dispatched_inline_ = true;
  FairSchedule& schedule = task->is_upload() ? upload_schedule_ : execution_schedule_;
  TaskQueue::Lane& lane = task->queue_->LaneOf(*task);
  schedule.Activate(lane);
  if (task->bypass_ == nullptr) (void)schedule.Next();  // Next() serves this lane, the only one
  Charge(*task, lane, now);
  schedule.Deactivate(lane);
  if (!task->is_upload() && task->bypass_ == nullptr) dispatching_inline_ = true;
  task->position_ = task->queue_->taken_.insert(task->queue_->taken_.end(), task);
  return true;
}

bool DeviceExecutor::DeviceIsIdle(const Task& task) const {
  if (task.is_upload()) return uploads_in_flight_ == 0 && upload_schedule_.empty();
  return dispatcher_waits_ && !dispatching_inline_ && current_->tasks.empty() &&
         execution_schedule_.empty();
}

BypassStream* DeviceExecutor::BypassStreamFor(const Task& task) const {
  // A task does not overtake other tasks of its own queue.
  const TaskQueue& queue = *task.queue_;
  const auto& executions = queue.executions_.tasks;
  if (task.was_requeued_ || queue.priority_ == Priority::kBatch || !queue.uploads_.tasks.empty() ||
      !queue.taken_.empty() || (!executions.empty() && executions.front().get() != &task)) {
    return nullptr;
  }
  const TaskQueue::Lane* const served =
      current_->tasks.empty() ? nullptr : &current_->tasks.front()->queue_->executions_;
  if (task.is_upload()) {
    if (!upload_schedule_.IsDue(queue.uploads_, kUploadLeadBytes)) return nullptr;
  } else if (!execution_schedule_.IsDue(queue.executions_, kLeadNs, served)) {
    return nullptr;
  } else {
    // The inputs must be ready, so that the stream does not wait for them.
    const auto& inputs = std::get<Execution>(task.work_).inputs;
    const bool ready = std::all_of(inputs.begin(), inputs.end(), [](const auto& input) {
      const Array::View view = input->view();
      return view.state == Array::State::kDefined && view.buffer != nullptr &&
             (!view.arrival.valid() || view.arrival.IsReady());
    });
    if (!ready) return nullptr;
  }
  BypassStream* const express =
      std::min_element(bypass_.begin(), bypass_.end(), [](const auto& a, const auto& b) {
        return a->in_flight < b->in_flight;
      })->get();
  return express->in_flight < kMaxInFlight ? express : nullptr;
}

BypassStream* DeviceExecutor::BypassStreamForNext() const {
  if (execution_schedule_.empty() || current_->tasks.empty()) return nullptr;
  const auto& next = *static_cast<const TaskQueue::Lane*>(execution_schedule_.Peek());
  if (next.suspended != nullptr) return nullptr;
  const Task& task = *next.tasks.front();
  const bool has_executable = std::get<Execution>(task.work_).executable != nullptr;
  return has_executable && IsVeryShort(task, false) ? BypassStreamFor(task) : nullptr;
}

void DeviceExecutor::LeaveBypass(Task& task) {
  --task.bypass_->in_flight;
  --bypass_in_flight_;
  if (!task.is_upload()) busy_time_.Leave();
}

void DeviceExecutor::DispatchInline(const std::shared_ptr<Task>& task) {
  const auto* execution = std::get_if<Execution>(&task->work_);
  task->may_run_inline_ = IsVeryShort(*task, execution != nullptr && execution->awaited);
  const bool on_compute_stream = !task->is_upload() && task->bypass_ == nullptr;
  const absl::Status status = Launch(task);
  const bool hands_back = status.code() == absl::StatusCode::kResourceExhausted;
  if (hands_back) {
    // The dispatch thread can free memory.
    Requeue(task);
  } else if (!status.ok()) {
    FailDispatch(*task, status);
  }
  MutexLock lock(mutex_);
  // A task that has not run by now runs on its stream and has time slices like any other. A task
  // that was handed back belongs to the dispatch thread.
  if (!hands_back) task->dispatched_inline_ = false;
  if (on_compute_stream) dispatching_inline_ = false;
  if (dispatcher_waits_ && (stopping_ || DispatcherIsWanted())) work_.NotifyOne();
}

void DeviceExecutor::Requeue(const std::shared_ptr<Task>& task, bool held) {
  absl::Status closed;
  {
    MutexLock lock(mutex_);
    held = held && completions_ == task->seen_completions_;
    const TimePoint turn_ends = MemoryLeaseBindsUntil();
    const bool awaits_turn =
        task->awaits_memory_lease_ && std::chrono::steady_clock::now() < turn_ends;
    Uncharge(*task);
    task->dispatched_inline_ = task->may_run_inline_ = task->wants_memory_ =
        task->awaits_memory_lease_ = false;
    task->bypass_ = nullptr;
    task->was_requeued_ = true;
    TaskQueue& queue = *task->queue_;
    closed = task->cancel_reason_.ok() ? queue.closed_ : task->cancel_reason_;
    if (closed.ok()) {
      std::list<std::shared_ptr<Task>>& lane = queue.LaneOf(*task).tasks;
      lane.splice(lane.begin(), queue.taken_, task->position_);
      if (awaits_turn) {
        Hold(task->queue_, queue.LaneOf(*task), await_memory_lease_);
        retry_at_ = std::min(retry_at_, turn_ends);
      } else if (held) {
        Hold(task->queue_, queue.LaneOf(*task), held_);
        retry_at_ = std::min({retry_at_, std::chrono::steady_clock::now() + options_.slice,
                              task->memory_wait_.retry_at});
      }
      Enqueue(task);
    }
  }
  if (!closed.ok()) FailTask(*task, closed);
}

}  // namespace acceld::runtime
