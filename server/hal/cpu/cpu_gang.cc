#include "server/hal/cpu/cpu_gang.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/check.h"

namespace acceld::hal::cpu {
namespace {

using kernels::Collective;

// "participant 3" or "participants 0, 2".
std::string ParticipantsText(const std::vector<int>& numbers) {
  return absl::StrCat(numbers.size() == 1 ? "participant " : "participants ",
                      absl::StrJoin(numbers, ", "));
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

absl::Status CpuGang::Exchange(int participant, RunControl* control, const Collective& collective,
                               int64_t site, const void* const* operands, void* const* results) {
  ACCELD_CHECK(participant >= 0 && participant < size());
  ACCELD_ASSIGN_OR_RETURN(const Role role, RoleOf(collective, participant, size()));
  if (!role.has_source) ClearResults(collective, results);
  const Meetings meetings = Arrive(participant, role, collective, site, {operands, results});
  ACCELD_RETURN_IF_ERROR(Attend(participant, control, meetings));
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
          .kind = collective.kind,
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
    if (meeting->Join(membership.member, buffers)) Release(participant, *meeting, now);
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
  if (!seat.poll.should_poll() || !seat.poll.Await(has_something_to_do)) {
    if (control != nullptr) control->SetWaker(&seat.bell);
    while (!has_something_to_do()) seat.bell.Await();
    if (control != nullptr) control->SetWaker(nullptr);
  }
  seat.poll.RecordWait(Clock::now() - begin);
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
  if (num_running_ > 0) return;
  const bool all_have_finished =
      std::all_of(attendances_.begin(), attendances_.end(),
                  [](const Attendance& attendance) { return attendance.has_finished; });
  if (!all_have_finished) SetFailure(absl::InternalError(DeadlockText()));
}

std::string CpuGang::DeadlockText() const {
  struct Place {
    int64_t site;
    kernels::Collective::Kind kind;
    std::vector<int> participants;
  };
  std::vector<Place> places;
  std::vector<int> finished;
  for (int i = 0; i < size(); ++i) {
    const Attendance& attendance = attendances_[static_cast<size_t>(i)];
    if (attendance.has_finished) {
      finished.push_back(i);
      continue;
    }
    auto it = std::find_if(places.begin(), places.end(), [&](const Place& place) {
      return place.site == attendance.site && place.kind == attendance.kind;
    });
    if (it == places.end()) it = places.insert(it, {attendance.site, attendance.kind, {}});
    it->participants.push_back(i);
  }
  std::string text = "deadlock: ";
  for (const Place& place : places) {
    const bool is_first = &place == &places.front();
    const char* const verb = place.participants.size() == 1 ? " waits" : " wait";
    absl::StrAppend(&text, is_first ? "" : ", ", ParticipantsText(place.participants),
                    is_first ? verb : "", " in ", NameOf(place.kind), " (step ", place.site, ")");
  }
  if (!finished.empty()) {
    absl::StrAppend(&text, ", ", ParticipantsText(finished),
                    finished.size() == 1 ? " has ended" : " have ended");
  }
  return text;
}

}  // namespace acceld::hal::cpu
