#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "kernels/ir/collective.h"

// Who takes part in a collective with whom.
namespace acceld::hal {

// A group that a participant is in: the index of the group in the collective, and the index of the
// participant in MembersOf.
struct Membership {
  int64_t group = 0;
  size_t member = 0;
};

// What a collective is for one of the participants of the launch.
struct Role {
  // One group. But for kPermute, in which each pair is a group, up to two; and none for kBroadcast
  // and kPermute if the participant is in none.
  absl::InlinedVector<Membership, 2> memberships;
  // Whether the results get values from an operand, of any participant. If not, they are zero.
  bool has_source = true;
};

// Returns the role of participant number `participant` of `num_participants`. The collective must
// be well-formed (kernels::CheckCollective). Returns INTERNAL if it is for other participants: a
// number is out of range, or the participant lacks a group.
absl::StatusOr<Role> RoleOf(const kernels::Collective& collective, int participant,
                            int num_participants);

// Returns the members of a group in their order, each of them once: a pair of a participant with
// itself has one.
absl::Span<const int64_t> MembersOf(const kernels::Collective& collective, int64_t group);

}  // namespace acceld::hal
