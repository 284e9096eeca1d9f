#include "server/hal/collective_role.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace acceld::hal {

using kernels::Collective;

absl::StatusOr<Role> RoleOf(const Collective& collective, int participant, int num_participants) {
  const bool is_permute = collective.kind == Collective::Kind::kPermute;
  const bool needs_group = !is_permute && collective.kind != Collective::Kind::kBroadcast;
  Role role{.memberships = {}, .has_source = false};
  for (size_t g = 0; g < collective.groups.size(); ++g) {
    const std::vector<int64_t>& group = collective.groups[g];
    for (const int64_t number : group) {
      if (number < num_participants) continue;
      return absl::InternalError(
          absl::StrCat(ToString(collective), ": there are ", num_participants, " participants"));
    }
    const auto it = std::find(group.begin(), group.end(), participant);
    if (it == group.end()) continue;
    role.memberships.push_back({static_cast<int64_t>(g), static_cast<size_t>(it - group.begin())});
    role.has_source |= !is_permute || group.back() == participant;
  }
  if (role.memberships.empty() && needs_group) {
    return absl::InternalError(
        absl::StrCat(ToString(collective), ": participant ", participant, " is in no group"));
  }
  return role;
}

absl::Span<const int64_t> MembersOf(const Collective& collective, int64_t group) {
  const absl::Span<const int64_t> members = collective.groups[static_cast<size_t>(group)];
  const bool is_own_pair = members.size() == 2 && members[0] == members[1];
  return is_own_pair ? members.first(1) : members;
}

}  // namespace acceld::hal
