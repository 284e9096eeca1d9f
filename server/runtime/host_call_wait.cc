#include <algorithm>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "common/check.h"
#include "server/runtime/device_executor.h"
#include "server/runtime/task_host_calls.h"

// Runs that wait for their client's answer to a host call. The stream of such a run gives the
// device to others, is not scheduled, and its waiting time is charged to nobody. When the answer
// has arrived the stream is suspended like others, and resumed when its queue is scheduled, or at
// once if the device is idle.
//
// No task is added after a run that may make host calls, and readers of its outputs wait until it
// has ended, so a waiting run delays nothing but its own results. The number of waiting runs of one
// user is bounded: beyond the limit, executions with host calls do not begin until one of the
// waiting runs has continued. But waiting runs may depend on each other (a callback may execute
// such programs), so if none continues for a while, one more execution may begin.
namespace acceld::runtime {
namespace {

// How many runs of one user may wait for their client before further executions are held back.
constexpr int kHostWaitsOfUser = 16;
// The most including those admitted after a while. Each occupies threads and a stream of the
// device.
constexpr int kMaxHostWaitsOfUser = 64;
// How long no run must have continued before one more execution is admitted.
constexpr std::chrono::milliseconds kHostWaitPatience{250};

}  // namespace

absl::StatusOr<std::vector<hal::HostValue>> TaskHostCalls::Call(const kernels::HostCall& call,
                                                                std::vector<SharedBytes> operands) {
  struct Answered {
    Mutex mutex;
    absl::optional<absl::StatusOr<std::vector<hal::HostValue>>> values ABSL_GUARDED_BY(mutex);
  };
  const auto answered = std::make_shared<Answered>();  // shared with an answer that comes late
  const auto asked_at = std::chrono::steady_clock::now();
  executor_.SuspendForHostCall(*task_);
  ACCELD_ASSIGN_OR_RETURN(
      const uint64_t id,
      host_call_sender_->Ask(
          call, std::move(operands),
          [answered, control = std::shared_ptr<hal::RunControl>(task_, &task_->control_)](
              absl::StatusOr<std::vector<hal::HostValue>> values) {
            {
              const MutexLock lock(answered->mutex);
              answered->values = std::move(values);
            }
            control->Answer();
          }));
  const bool is_answered = task_->control_.AwaitAnswer();
  executor_.instruments_.host_call_time.Observe(std::chrono::steady_clock::now() - asked_at);
  if (!is_answered) {
    host_call_sender_->Withdraw(id);
    return absl::CancelledError("the run was told to end while it waited for its host");
  }
  executor_.ResumeAfterHostCall(*task_);
  if (!task_->control_.WaitWhilePaused()) return absl::CancelledError("launch: cancelled");
  const MutexLock lock(answered->mutex);
  return *std::move(answered->values);
}

void DeviceExecutor::SuspendForHostCall(Task& task) {
  std::unique_ptr<ComputeStream> fresh;
  {
    const MutexLock lock(mutex_);
    if (task.stream_ != current_ || !spare_.empty()) return SuspendStreamForHostCall(task);
  }
  fresh = NewStream();
  const MutexLock lock(mutex_);
  spare_.push_back(fresh.get());
  streams_.push_back(std::move(fresh));
  SuspendStreamForHostCall(task);
}

void DeviceExecutor::SuspendStreamForHostCall(Task& task) {
  const TimePoint now = std::chrono::steady_clock::now();
  ComputeStream& stream = *task.stream_;
  // No task is behind it.
  ACCELD_CHECK(stream.tasks.front() == &task && stream.tasks.size() == 1);
  // A request to pause must not reach the run before its answer has arrived.
  task.control_.Resume();
  stream.ran_before = TimeOnDevice(stream, now);
  stream.is_pausing = false;
  stream.is_paused = stream.awaits_host = true;
  LeaveDevice(stream, now);
  SettleRunning(stream, now);
  ++num_awaiting_host_;
  ++task.queue_->share_->num_awaiting_host_;
  if (&stream == current_) {
    current_ = spare_.back();
    spare_.pop_back();
    least_spare_ = std::min(least_spare_, spare_.size());
    idle_since_ = now;
  } else {
    EndSuspension(stream);
  }
  PromoteReturning(*task.queue_);
  if (dispatcher_waits_ && DispatcherIsWanted()) work_.NotifyOne();
}

void DeviceExecutor::EndHostCallWait(ComputeStream& stream, TaskQueue& queue) {
  DeviceShare& share = *queue.share_;
  stream.awaits_host = false;
  --num_awaiting_host_;
  --share.num_awaiting_host_;
  share.last_host_answer_ = std::chrono::steady_clock::now();
  AdmitNext(share);
}

void DeviceExecutor::ResumeAfterHostCall(Task& task) {
  const MutexLock lock(mutex_);
  ComputeStream& stream = *task.stream_;
  EndHostCallWait(stream, *task.queue_);
  TaskQueue::Lane& lane = task.queue_->executions_;
  stream.is_returning = true;
  lane.returning.push_back(&stream);
  PromoteReturning(*task.queue_);
  const bool rests = current_->tasks.empty() && !dispatching_inline_ && lane.suspended == &stream &&
                     execution_schedule_.Peek() == &lane;
  if (rests) return ResumeNext(std::chrono::steady_clock::now());
  task.control_.Pause([] {});
  if (dispatcher_waits_ && DispatcherIsWanted()) work_.NotifyOne();
}

void DeviceExecutor::PromoteReturning(TaskQueue& queue) {
  // Executions held back may be admitted when a run of the same user has ended or continued.
  if (!queue.share_->held_host_callers_.empty() &&
      queue.share_->num_awaiting_host_ < kHostWaitsOfUser) {
    AdmitNext(*queue.share_);
  }
  TaskQueue::Lane& lane = queue.executions_;
  if (lane.returning.empty() || lane.suspended != nullptr) return;
  if (!current_->tasks.empty() && current_->tasks.front()->queue_.get() == &queue) return;
  ComputeStream& stream = *lane.returning.front();
  lane.returning.pop_front();
  stream.is_returning = false;
  stream.suspended_for = stream.tasks.front()->queue_;
  lane.suspended = &stream;
  execution_schedule_.Activate(lane);
  ++num_suspended_;
  ++queue.share_->num_suspended_;
}

bool DeviceExecutor::MayCallHost(const Task& task) {
  return std::get<Execution>(task.work_).host != nullptr;
}

bool DeviceExecutor::HoldBackHostCaller(const std::shared_ptr<Task>& task) {
  TaskQueue& queue = *task->queue_;
  DeviceShare& share = *queue.share_;
  if (!MayCallHost(*task) || task->is_admitted_ || share.num_awaiting_host_ < kHostWaitsOfUser)
    return false;
  TaskQueue::Lane& lane = queue.executions_;
  queue.waiting_.splice(queue.waiting_.end(), lane.tasks, task->position_);
  task->state_ = Task::State::kWaiting;
  if (lane.tasks.empty()) execution_schedule_.Deactivate(lane);
  if (share.held_host_callers_.empty()) kept_shares_.push_back(queue.share_);
  share.held_host_callers_.push_back(task);
  return true;
}

void DeviceExecutor::AdmitNext(DeviceShare& share) {
  while (!share.held_host_callers_.empty()) {
    const std::shared_ptr<Task> task = std::move(share.held_host_callers_.front());
    share.held_host_callers_.pop_front();
    if (task->state_ != Task::State::kWaiting) continue;  // it was cancelled meanwhile
    TaskQueue::Lane& lane = task->queue_->executions_;
    lane.tasks.splice(lane.tasks.end(), task->queue_->waiting_, task->position_);
    Enqueue(task);
    break;
  }
  if (share.held_host_callers_.empty()) {
    std::erase_if(kept_shares_, [&share](const auto& kept) { return kept.get() == &share; });
  }
}

DeviceExecutor::TimePoint DeviceExecutor::NextAdmission() const {
  TimePoint next = TimePoint::max();
  for (const std::shared_ptr<DeviceShare>& share : kept_shares_) {
    if (share->num_awaiting_host_ >= kMaxHostWaitsOfUser) continue;
    next = std::min(next, share->last_host_answer_ + kHostWaitPatience);
  }
  return next;
}

void DeviceExecutor::AdmitOverdue(TimePoint now) {
  if (now < NextAdmission()) return;
  for (const std::shared_ptr<DeviceShare>& share : std::vector(kept_shares_)) {
    if (share->num_awaiting_host_ >= kMaxHostWaitsOfUser ||
        now < share->last_host_answer_ + kHostWaitPatience) {
      continue;
    }
    share->last_host_answer_ = now;
    const auto first =
        std::find_if(share->held_host_callers_.begin(), share->held_host_callers_.end(),
                     [](const auto& task) { return task->state_ == Task::State::kWaiting; });
    if (first != share->held_host_callers_.end()) (*first)->is_admitted_ = true;
    AdmitNext(*share);
  }
}

}  // namespace acceld::runtime
