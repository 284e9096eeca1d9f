#include <algorithm>
#include <utility>

#include "server/runtime/schedule/scheduler.h"

// Executions that are scheduled next and may not begin yet.
namespace acceld::runtime {
namespace {

// One user may have 1/4 of all suspended streams.
constexpr int kSuspendedShare = 4;

}  // namespace

void Scheduler::HoldBack() {
  while (const TaskQueue::Lane* const next = NextExecutions()) {
    if (next->suspended != nullptr) {
      if (!RunsAlongside(*next->suspended)) return;
      execution_schedule_.Deactivate(next->suspended->suspended_for->executions_);
      continue;
    }
    const std::shared_ptr<Task> task = next->tasks.front();
    if (HoldBackHostCaller(task)) continue;
    const int most = MaxSuspended();
    const bool many = num_suspended_ > most ||
                      task->queue_->share_->num_suspended_ > std::max(1, most / kSuspendedShare);
    if (many && !IsShort(*task)) {
      Hold(*task, held_);
      continue;
    }
    if (num_suspended_ == 0) return;
    std::shared_ptr<Array> blocker = FindInputOfSuspendedRun(*task);
    if (blocker == nullptr) return;
    if (task->gang() != nullptr) {
      // Later members of gangs must not overtake it, as they do not on other devices.
      Hold(*task, held_);
      continue;
    }
    Unschedule(task);
    task->blockers_.store(1, std::memory_order_relaxed);
    deferred_work_.blocked.emplace_back(task, std::move(blocker));
  }
}

bool Scheduler::HoldBackHostCaller(const std::shared_ptr<Task>& task) {
  const std::shared_ptr<DeviceShare>& share = task->queue_->share_;
  if (task->execution()->host == nullptr || HostCallLimits::MayBegin(*task, *share)) return false;
  Unschedule(task);
  host_call_limits_.HoldBack(task, share);
  return true;
}

std::shared_ptr<Array> Scheduler::FindInputOfSuspendedRun(const Task& task) const {
  for (const std::shared_ptr<Array>& input : task.execution()->inputs) {
    const Array::View view = input->view();
    if (view.state != Array::State::kScheduled) continue;
    for (const std::unique_ptr<ComputeStream>& stream : streams_.all()) {
      if (stream->suspended_for != nullptr && stream->Is(view.stream)) return input;
    }
  }
  return nullptr;
}

void Scheduler::Hold(const Task& task, std::vector<HeldLane>& held) {
  TaskQueue::Lane& lane = task.queue_->LaneOf(task);
  ScheduleOf(task).Deactivate(lane);
  if (!std::exchange(lane.is_held, true)) held.push_back({task.queue_, &lane});
}

void Scheduler::ReleaseHeld() {
  retry_at_ = TimePoint::max();
  if (!await_memory_lease_.empty()) {
    const TimePoint until = events_.MemoryLeaseBindsUntil();
    if (std::chrono::steady_clock::now() < until) {
      retry_at_ = until;
    } else {
      held_.insert(held_.end(), await_memory_lease_.begin(), await_memory_lease_.end());
      await_memory_lease_.clear();
    }
  }
  for (const auto& [queue, lane] : std::exchange(held_, {})) {
    lane->is_held = false;
    if (lane->tasks.empty()) continue;
    (lane == &queue->uploads_ ? upload_schedule_ : execution_schedule_).Activate(*lane);
  }
}

}  // namespace acceld::runtime
