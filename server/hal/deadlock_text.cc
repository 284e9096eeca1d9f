#include "server/hal/deadlock_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace acceld::hal {
namespace {

// "participant 3" or "participants 0, 2".
std::string ParticipantsText(const std::vector<int>& numbers) {
  return absl::StrCat(numbers.size() == 1 ? "participant " : "participants ",
                      absl::StrJoin(numbers, ", "));
}

}  // namespace

std::string CollectiveText(const kernels::Collective& collective) {
  std::string text = NameOf(collective.kind);
  if (collective.operands.empty()) return text;
  absl::StrAppend(&text, " of ", collective.operands[0].ToString());
  const size_t more = collective.operands.size() - 1;
  if (more > 0) absl::StrAppend(&text, " and ", more, " more");
  return text;
}

std::string DeadlockText(const std::vector<WaitingParticipant>& waiting,
                         const std::vector<int>& ended) {
  struct Place {
    const WaitingParticipant* first;
    std::vector<int> participants;
  };
  std::vector<Place> places;
  for (const WaitingParticipant& one : waiting) {
    auto it = std::find_if(places.begin(), places.end(), [&](const Place& place) {
      return place.first->site == one.site && place.first->op == one.op;
    });
    if (it == places.end()) it = places.insert(it, {&one, {}});
    it->participants.push_back(one.participant);
  }
  std::string text = "deadlock: ";
  for (const Place& place : places) {
    const bool is_first = &place == &places.front();
    const char* const verb = place.participants.size() == 1 ? " waits" : " wait";
    absl::StrAppend(&text, is_first ? "" : ", ", ParticipantsText(place.participants),
                    is_first ? verb : "", " in ", place.first->op, " (step ", place.first->site,
                    ")");
  }
  if (!ended.empty()) {
    absl::StrAppend(&text, ", ", ParticipantsText(ended),
                    ended.size() == 1 ? " has ended" : " have ended");
  }
  return text;
}

}  // namespace acceld::hal
