#include "server/runtime/gang/gang.h"

#include <algorithm>
#include <utility>

#include "server/runtime/device_executor.h"
#include "server/runtime/gang/gang_scheduler.h"

namespace acceld::runtime {

Gang::Gang(GangScheduler& scheduler, std::shared_ptr<hal::Gang> participants, uint64_t queue,
           Priority priority)
    : scheduler_(scheduler),
      number_(scheduler.NewNumber()),
      participants_(std::move(participants)),
      queue_(queue),
      priority_(priority) {}

Gang::~Gang() = default;

void Gang::Add(DeviceExecutor& executor, int device, std::shared_ptr<Task> task) {
  devices_.push_back(device);
  const MutexLock lock(mutex_);
  members_.push_back({&executor, std::move(task)});
}

std::vector<Gang::Member> Gang::Members() const {
  const MutexLock lock(mutex_);
  return members_;
}

void Gang::Cancel(const absl::Status& reason) {
  (void)Combine(reason);
  CancelMembers();
}

void Gang::NoteReady(bool by_submission) {
  {
    const MutexLock lock(mutex_);
    if (++num_ready_ < static_cast<int>(devices_.size())) return;
  }
  scheduler_.Begin(shared_from_this(), by_submission);
}

absl::Status Gang::Combine(const absl::Status& status) {
  const MutexLock lock(mutex_);
  failure_.Update(status);
  return failure_;
}

absl::Status Gang::failure() const {
  const MutexLock lock(mutex_);
  return failure_;
}

void Gang::Fail(const absl::Status& error) { participants_->Abort(Combine(error)); }

void Gang::CancelMembers() {
  std::vector<Member> members;
  absl::Status failure;
  {
    const MutexLock lock(mutex_);
    if (failure_.ok() || std::exchange(is_cancelled_, true)) return;
    members = members_;
    failure = failure_;
  }
  // First, so that none of the runs ends with an error of its own.
  participants_->Abort(failure);
  for (const Member& member : members) member.executor->Cancel(member.task, failure);
}

void Gang::Release() {
  for (const Member& member : Members()) member.task->Unblock();
}

bool Gang::TakeInline() {
  const std::vector<Member> members = Members();
  const auto refuses = std::find_if(members.begin(), members.end(), [](const Member& member) {
    return !member.executor->TakeMemberInline(member.task);
  });
  if (refuses == members.end()) return !members.empty();
  for (auto member = members.begin(); member != refuses; ++member) {
    member->executor->ReturnMember(member->task);
  }
  return false;
}

void Gang::DispatchInline() {
  const std::vector<Member> members = Members();
  std::vector<bool> are_kept;
  for (const Member& member : members) {
    are_kept.push_back(member.executor->DispatchTaken(member.task));
  }
  participants_->RunInline();
  for (size_t i = 0; i < members.size(); ++i) {
    members[i].executor->EndInline(*members[i].task, /*on_compute_stream=*/true, are_kept[i]);
  }
}

void Gang::NoteEnded() {
  CancelMembers();
  // The tasks own the gang. They are released after the unlock.
  std::vector<Member> ended;
  {
    const MutexLock lock(mutex_);
    if (++num_ended_ < static_cast<int>(devices_.size())) return;
    ended.swap(members_);
  }
  has_ended_.store(true);
  for (const auto& done : on_end_) done(failure());
  scheduler_.End(*this);
}

}  // namespace acceld::runtime
