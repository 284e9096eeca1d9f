#include "server/runtime/schedule/host_call_limits.h"

#include <algorithm>
#include <utility>

#include "server/runtime/task.h"

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

void HostCallLimits::BeginWait(DeviceShare& share) {
  ++num_waiting_;
  ++share.num_awaiting_host_;
}

void HostCallLimits::EndWait(DeviceShare& share) {
  --num_waiting_;
  --share.num_awaiting_host_;
  share.last_host_answer_ = std::chrono::steady_clock::now();
}

bool HostCallLimits::MayBegin(const Task& task, const DeviceShare& share) {
  return task.is_admitted_ || share.num_awaiting_host_ < kHostWaitsOfUser;
}

void HostCallLimits::HoldBack(const std::shared_ptr<Task>& task,
                              const std::shared_ptr<DeviceShare>& share) {
  if (share->held_host_callers_.empty()) shares_.push_back(share);
  share->held_host_callers_.push_back(task);
}

std::shared_ptr<Task> HostCallLimits::Admit(DeviceShare& share) {
  std::shared_ptr<Task> admitted;
  while (admitted == nullptr && !share.held_host_callers_.empty()) {
    admitted = std::move(share.held_host_callers_.front());
    share.held_host_callers_.pop_front();
    // It may have been cancelled meanwhile.
    if (admitted->state_ != Task::State::kWaiting) admitted = nullptr;
  }
  if (share.held_host_callers_.empty()) {
    std::erase_if(shares_, [&share](const auto& kept) { return kept.get() == &share; });
  }
  return admitted;
}

std::shared_ptr<Task> HostCallLimits::AdmitIfThereIsRoom(DeviceShare& share) {
  if (share.held_host_callers_.empty() || share.num_awaiting_host_ >= kHostWaitsOfUser) {
    return nullptr;
  }
  return Admit(share);
}

HostCallLimits::TimePoint HostCallLimits::NextAdmission() const {
  TimePoint next = TimePoint::max();
  for (const std::shared_ptr<DeviceShare>& share : shares_) {
    if (share->num_awaiting_host_ >= kMaxHostWaitsOfUser) continue;
    next = std::min(next, share->last_host_answer_ + kHostWaitPatience);
  }
  return next;
}

std::vector<std::shared_ptr<Task>> HostCallLimits::AdmitOverdue(TimePoint now) {
  std::vector<std::shared_ptr<Task>> admitted;
  if (now < NextAdmission()) return admitted;
  for (const std::shared_ptr<DeviceShare>& share : std::vector(shares_)) {
    if (share->num_awaiting_host_ >= kMaxHostWaitsOfUser ||
        now < share->last_host_answer_ + kHostWaitPatience) {
      continue;
    }
    share->last_host_answer_ = now;
    if (std::shared_ptr<Task> task = Admit(*share); task != nullptr) {
      task->is_admitted_ = true;
      admitted.push_back(std::move(task));
    }
  }
  return admitted;
}

}  // namespace acceld::runtime
