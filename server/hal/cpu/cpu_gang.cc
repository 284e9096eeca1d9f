#include "server/hal/cpu/cpu_gang.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/threads/fiber.h"
#include "server/hal/deadlock_text.h"

namespace acceld::hal::cpu {
namespace {

using kernels::Collective;

// Makes a fiber for each launch, which stores the status of its run; none if there is no memory.
std::vector<std::unique_ptr<Fiber>> FibersOf(const std::vector<CpuGang::InlineLaunch>& launches,
                                             std::vector<absl::Status>& statuses) {
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (size_t i = 0; i < launches.size(); ++i) {
    absl::StatusOr<std::unique_ptr<Fiber>> fiber =
        Fiber::Create([&launches, &statuses, i] { statuses[i] = launches[i].run(); });
    if (!fiber.ok()) return {};
    fibers.push_back(*std::move(fiber));
  }
  return fibers;
}

}  // namespace

CpuGang::CpuGang(int size)
    : seats_(static_cast<size_t>(size)),
      attendances_(static_cast<size_t>(size)),
      num_running_(size) {}

void CpuGang::Abort(const absl::Status& reason) {
  ACCELD_CHECK(!reason.ok());
  const MutexLock lock(mutex_);
  SetFailure(reason);
}

void CpuGang::Finish(int participant) {
  ACCELD_CHECK(participant >= 0 && participant < size());
  const MutexLock lock(mutex_);
  Attendance& attendance = attendances_[static_cast<size_t>(participant)];
  if (std::exchange(attendance.has_finished, true)) return;
  --num_running_;
  CheckDeadlock();
}

Gang::Stats CpuGang::stats() const {
  return {.collectives = num_collectives_.load(std::memory_order_relaxed),
          .bytes = num_bytes_.load(std::memory_order_relaxed),
          .wait_ns = wait_ns_.load(std::memory_order_relaxed)};
}

void CpuGang::AddInline(InlineLaunch launch) {
  const MutexLock lock(mutex_);
  inline_.push_back(std::move(launch));
}

void CpuGang::RunInline() {
  std::vector<InlineLaunch> launches;
  {
    const MutexLock lock(mutex_);
    launches.swap(inline_);
  }
  std::vector<absl::Status> statuses(launches.size());
  std::vector<std::unique_ptr<Fiber>> fibers;
  if (launches.size() == seats_.size() && Fiber::Current() == nullptr) {
    fibers = FibersOf(launches, statuses);
  }
  if (fibers.empty()) {
    for (const InlineLaunch& launch : launches) launch.hand_over();
    return;
  }
  // All participants are here: if none of them could go on, the launch would have failed.
  for (size_t num_ended = 0; num_ended < fibers.size();) {
    for (const std::unique_ptr<Fiber>& fiber : fibers) {
      if (fiber->has_ended()) continue;
      fiber->Resume();
      num_ended += fiber->has_ended() ? 1 : 0;
    }
  }
  for (size_t i = 0; i < launches.size(); ++i) launches[i].finish(statuses[i]);
}

absl::Status CpuGang::Exchange(int participant, RunControl* control, const Collective& collective,
                               int64_t site, const void* const* operands, void* const* results,
                               Clock::time_point* complete_at) {
  ACCELD_CHECK(participant >= 0 && participant < size());
  ACCELD_ASSIGN_OR_RETURN(const Role role, RoleOf(collective, participant, size()));
  if (!role.has_source) ClearResults(collective, results);
  const Meetings meetings = Arrive(participant, role, collective, site, {operands, results});
  ACCELD_RETURN_IF_ERROR(Attend(participant, control, meetings));
  for (const auto& meeting : meetings) {
    if (complete_at != nullptr) *complete_at = std::max(*complete_at, meeting->completed_at());
  }
  num_collectives_.fetch_add(1, std::memory_order_relaxed);
  num_bytes_.fetch_add(OperandBytesOf(collective), std::memory_order_relaxed);
  return absl::OkStatus();
}

CpuGang::Meetings CpuGang::Arrive(int participant, const Role& role, const Collective& collective,
                                  int64_t site, const MemberBuffers& buffers) {
  Meetings meetings;
  if (role.memberships.empty()) return meetings;
  const MutexLock lock(mutex_);
  if (!failure_.ok()) return meetings;
  const Clock::time_point now = Clock::now();
  Attendance& self = attendances_[static_cast<size_t>(participant)];
  self = {.num_open = static_cast<int>(role.memberships.size()),
          .site = site,
          .collective = &collective,
          .since = now};
  --num_running_;
  for (const Membership& membership : role.memberships) {
    std::shared_ptr<Meeting> meeting = MeetingAt(site, membership.group, collective);
    if (!meeting->IsFor(collective)) {
      SetFailure(absl::InternalError(absl::StrCat("participant ", participant, " runs ",
                                                  ToString(collective), " at step ", site,
                                                  ", and others something else")));
      return meetings;
    }
    meetings.push_back(meeting);
    if (meeting->Join(membership.member, buffers, now)) Release(participant, *meeting, now);
  }
  CheckDeadlock();
  return meetings;
}

std::shared_ptr<Meeting> CpuGang::MeetingAt(int64_t site, int64_t group,
                                            const Collective& collective) {
  for (const std::shared_ptr<Meeting>& meeting : open_) {
    if (meeting->IsAt(site, group)) return meeting;
  }
  open_.push_back(std::make_shared<Meeting>(collective, site, group));
  return open_.back();
}

void CpuGang::Release(int participant, const Meeting& meeting, Clock::time_point now) {
  std::chrono::nanoseconds waited{0};
  for (const int member : meeting.participants()) {
    Attendance& attendance = attendances_[static_cast<size_t>(member)];
    if (--attendance.num_open > 0) continue;
    ++num_running_;
    waited += now - attendance.since;
  }
  wait_ns_.fetch_add(waited.count(), std::memory_order_relaxed);
  open_.erase(std::find_if(open_.begin(), open_.end(),
                           [&](const auto& open) { return open.get() == &meeting; }));
  if (meeting.is_shared() || meeting.state() == Meeting::State::kDone) {
    RingOthers(participant, meeting);
  }
}

absl::Status CpuGang::Attend(int participant, RunControl* control, const Meetings& meetings) {
  while (true) {
    // Read before the states: a meeting that is open after a failure stays open.
    const bool has_failed = has_failed_.load();
    for (const auto& meeting : meetings) Work(participant, control, *meeting);
    if (AreOver(meetings, has_failed)) break;
    if (!has_failed) Obey(participant, control);
    Await(participant, control, meetings, has_failed);
  }
  // Read again: after a failure, work counts as done that was left out.
  if (!has_failed_.load()) return absl::OkStatus();
  const MutexLock lock(mutex_);
  return failure_;
}

void CpuGang::Work(int participant, RunControl* control, Meeting& meeting) {
  for (int64_t piece; meeting.HasWork();) {
    // Work that is not shared is short, and the others, which may sleep, rely on this participant.
    if (meeting.is_shared() && !has_failed_.load()) Obey(participant, control);
    if (!meeting.BeginPiece(piece)) return;
    if (!has_failed_.load()) meeting.DoPiece(piece);
    if (meeting.EndPiece()) RingOthers(participant, meeting);
  }
}

bool CpuGang::AreOver(const Meetings& meetings, bool has_failed) {
  return std::all_of(meetings.begin(), meetings.end(), [&](const auto& meeting) {
    const Meeting::State state = meeting->state();
    return state == Meeting::State::kDone || (has_failed && state == Meeting::State::kOpen);
  });
}

void CpuGang::Await(int participant, RunControl* control, const Meetings& meetings,
                    bool knows_failure) {
  const auto has_something_to_do = [&] {
    if (!knows_failure) {
      if (has_failed_.load()) return true;
      if (control != nullptr && control->interrupted().load()) return true;
    }
    return AreOver(meetings, knows_failure) ||
           std::any_of(meetings.begin(), meetings.end(),
                       [](const auto& meeting) { return meeting->HasWork(); });
  };
  Seat& seat = seats_[static_cast<size_t>(participant)];
  const Clock::time_point begin = Clock::now();
  if (Fiber* const fiber = Fiber::Current(); fiber != nullptr) {
    while (!has_something_to_do()) fiber->Suspend();
    seat.waited += Clock::now() - begin;
    return;
  }
  if (!seat.poll.should_poll() || !seat.poll.Await(has_something_to_do)) {
    if (control != nullptr) control->SetWaker(&seat.bell);
    while (!has_something_to_do()) seat.bell.Await();
    if (control != nullptr) control->SetWaker(nullptr);
  }
  const std::chrono::nanoseconds waited = Clock::now() - begin;
  seat.poll.RecordWait(waited);
  seat.waited += waited;
}

void CpuGang::Obey(int participant, RunControl* control) {
  if (control == nullptr || !control->interrupted().load() || control->WaitWhilePaused()) return;
  Fail(participant, absl::CancelledError("cancelled at a collective"));
}

void CpuGang::RingOthers(int participant, const Meeting& meeting) {
  for (const int member : meeting.participants()) {
    if (member != participant) seats_[static_cast<size_t>(member)].bell.Ring();
  }
}

void CpuGang::SetFailure(absl::Status reason) {
  if (!failure_.ok()) return;
  failure_ = std::move(reason);
  has_failed_.store(true);
  for (Seat& seat : seats_) seat.bell.Ring();
}

void CpuGang::CheckDeadlock() {
  // After a failure participants that count as waiting have left.
  if (num_running_ > 0 || !failure_.ok()) return;
  const bool all_have_finished =
      std::all_of(attendances_.begin(), attendances_.end(),
                  [](const Attendance& attendance) { return attendance.has_finished; });
  if (!all_have_finished) SetFailure(absl::InternalError(DeadlockText()));
}

std::string CpuGang::DeadlockText() const {
  std::vector<WaitingParticipant> waiting;
  std::vector<int> ended;
  for (int i = 0; i < size(); ++i) {
    const Attendance& attendance = attendances_[static_cast<size_t>(i)];
    if (attendance.has_finished) {
      ended.push_back(i);
    } else {
      waiting.push_back({i, attendance.site, CollectiveText(*attendance.collective)});
    }
  }
  return hal::DeadlockText(waiting, ended);
}

}  // namespace acceld::hal::cpu
