#include "server/hal/cuda/nccl/collective_order.h"

#include <algorithm>

#include "server/hal/deadlock_text.h"

namespace acceld::hal::cuda {

using kernels::Collective;

void CollectiveOrder::Enqueue(int participant, int64_t site, const Collective& collective,
                              const Role& role) {
  Pending pending{.site = site, .op = CollectiveText(collective), .open = {}};
  for (const Membership& membership : role.memberships) {
    const Key key(site, membership.group);
    Group& group = groups_[key];
    if (group.members.empty()) {
      const absl::Span<const int64_t> members = MembersOf(collective, membership.group);
      group.members.assign(members.begin(), members.end());
      group.counts.resize(group.members.size());
    }
    ++group.counts[membership.member];
    pending.open.push_back(key);
  }
  Of(participant).pending.push_back(std::move(pending));
  Advance();
}

bool CollectiveOrder::IsAt(int participant, const Key& key) const {
  const std::deque<Pending>& pending = Of(participant).pending;
  if (pending.empty()) return false;
  const auto& open = pending.front().open;
  return std::find(open.begin(), open.end(), key) != open.end();
}

bool CollectiveOrder::AdvanceFirst(Participant& participant) {
  if (participant.pending.empty()) return false;
  auto& open = participant.pending.front().open;
  for (size_t i = 0; i < open.size(); ++i) {
    const Key key = open[i];
    const std::vector<int64_t>& members = groups_.at(key).members;
    const bool is_complete = std::all_of(members.begin(), members.end(), [&](int64_t member) {
      return IsAt(static_cast<int>(member), key);
    });
    if (!is_complete) continue;
    for (const int64_t member : members) {
      auto& of_member = Of(static_cast<int>(member)).pending.front().open;
      of_member.erase(std::find(of_member.begin(), of_member.end(), key));
    }
    return true;
  }
  if (!open.empty()) return false;
  participant.pending.pop_front();
  return true;
}

void CollectiveOrder::Advance() {
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (Participant& participant : participants_) {
      while (AdvanceFirst(participant)) goes_on = true;
    }
  }
}

bool CollectiveOrder::IsAwaited(int participant) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const auto& entry) {
    const Group& group = entry.second;
    const auto it = std::find(group.members.begin(), group.members.end(), participant);
    if (it == group.members.end()) return false;
    const int64_t count = group.counts[static_cast<size_t>(it - group.members.begin())];
    return std::any_of(group.counts.begin(), group.counts.end(),
                       [count](int64_t other) { return other > count; });
  });
}

bool CollectiveOrder::IsAnyAwaited() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const auto& entry) {
    const std::vector<int64_t>& counts = entry.second.counts;
    return std::any_of(counts.begin(), counts.end(),
                       [&counts](int64_t count) { return count != counts.front(); });
  });
}

bool CollectiveOrder::IsAnyAwaited(State state) const {
  for (int i = 0; i < static_cast<int>(participants_.size()); ++i) {
    if (Of(i).state == state && IsAwaited(i)) return true;
  }
  return false;
}

bool CollectiveOrder::IsAnyComing() const {
  return std::any_of(participants_.begin(), participants_.end(),
                     [](const Participant& p) { return p.state == State::kComing; });
}

bool CollectiveOrder::IsDeadlocked() const {
  bool does_any_wait = false;
  for (const Participant& participant : participants_) {
    if (participant.state == State::kComing || participant.state == State::kEnqueuing) return false;
    if (participant.state == State::kWaiting && participant.pending.empty()) return false;
    does_any_wait |= !participant.pending.empty();
  }
  return does_any_wait;
}

std::string CollectiveOrder::DeadlockText() const {
  std::vector<WaitingParticipant> waiting;
  std::vector<int> ended;
  for (int i = 0; i < static_cast<int>(participants_.size()); ++i) {
    if (Of(i).pending.empty()) {
      ended.push_back(i);
    } else {
      waiting.push_back({i, Of(i).pending.front().site, Of(i).pending.front().op});
    }
  }
  return hal::DeadlockText(waiting, ended);
}

}  // namespace acceld::hal::cuda
