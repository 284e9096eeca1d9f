#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "kernels/ir/collective.h"
#include "server/hal/collective_role.h"

namespace acceld::hal::cuda {

// Keeps account of the collectives that the participants of a launch have enqueued on the streams
// of their devices. A stream goes on behind a collective when all members of the group have come to
// it, so the account tells which participants others wait for, and whether none can go on. Says
// nothing about when devices execute the collectives. Thread-compatible.
class CollectiveOrder {
 public:
  enum class State : uint8_t {
    kComing,     // will begin
    kEnqueuing,  // may enqueue more
    kWaiting,    // waits for its stream, and may enqueue more then
    kEnded,      // enqueues nothing more
  };

  explicit CollectiveOrder(int participants) : participants_(static_cast<size_t>(participants)) {}

  State state(int participant) const { return Of(participant).state; }
  void SetState(int participant, State state) { Of(participant).state = state; }

  // Notes that a participant enqueues a collective, in which it has the role `role`.
  void Enqueue(int participant, int64_t site, const kernels::Collective& collective,
               const Role& role);
  // Whether a member of one of its groups has enqueued a collective that the participant has not.
  bool IsAwaited(int participant) const;
  // Whether any participant is awaited, or any with the state `state`.
  bool IsAnyAwaited() const;
  bool IsAnyAwaited(State state) const;
  bool IsAnyComing() const;
  // Whether no participant can go on: all have ended or wait for their streams, each of which waits
  // for a participant.
  bool IsDeadlocked() const;
  // For example "deadlock: participants 0, 2 wait in all_reduce (step 5), participant 1 in
  // all_gather (step 9)".
  std::string DeadlockText() const;

 private:
  // A group of one collective of the plan.
  using Key = std::pair<int64_t, int64_t>;  // the site, the index of the group
  struct Group {
    std::vector<int64_t> members;
    std::vector<int64_t> counts;  // how often each member has enqueued the collective
  };
  // A collective behind which a stream does not go on yet.
  struct Pending {
    int64_t site;
    std::string op;                    // CollectiveText
    absl::InlinedVector<Key, 2> open;  // the groups whose members are not all there
  };
  struct Participant {
    State state = State::kComing;
    std::deque<Pending> pending;  // in the order of the stream
  };

  const Participant& Of(int number) const { return participants_[static_cast<size_t>(number)]; }
  Participant& Of(int number) { return participants_[static_cast<size_t>(number)]; }
  // Whether the stream of the participant has come to a group, whose members are not all there.
  bool IsAt(int participant, const Key& key) const;
  // Closes the groups whose members are all there, and removes what no stream waits at any more.
  void Advance();
  bool AdvanceFirst(Participant& participant);

  std::vector<Participant> participants_;
  absl::flat_hash_map<Key, Group> groups_;
};

}  // namespace acceld::hal::cuda
