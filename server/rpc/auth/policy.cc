#include "server/rpc/auth/policy.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace acceld::rpc {
namespace {

constexpr size_t kMaxNameBytes = 256;
constexpr size_t kLookupBytes = size_t{64} << 10;

enum class Kind : uint8_t { kUser, kUid, kGroup, kGid, kCertificate };
constexpr std::array<std::pair<absl::string_view, Kind>, 5> kKinds = {
    {{"user", Kind::kUser},
     {"uid", Kind::kUid},
     {"group", Kind::kGroup},
     {"gid", Kind::kGid},
     {"cert", Kind::kCertificate}}};

struct Principal {
  Kind kind = Kind::kUser;
  std::string name;
  uint32_t number = 0;  // for kUid and kGid
  bool all = false;     // "*": everything of this kind
};

absl::Status Wrong(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' is not one of user:NAME, uid:N, group:NAME, gid:N, cert:NAME, uid:*, cert:*"));
}

absl::StatusOr<Principal> ParsePrincipal(absl::string_view text) {
  const size_t colon = text.find(':');
  if (colon == absl::string_view::npos) return Wrong(text);
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& entry) {
    return entry.first == text.substr(0, colon);
  });
  if (kind == kKinds.end()) return Wrong(text);
  Principal principal{.kind = kind->second, .name = std::string(text.substr(colon + 1))};
  if (principal.name.empty() || principal.name.size() > kMaxNameBytes) return Wrong(text);
  const bool is_number = principal.kind == Kind::kUid || principal.kind == Kind::kGid;
  principal.all = principal.name == "*" &&
                  (principal.kind == Kind::kUid || principal.kind == Kind::kCertificate);
  if (is_number && !principal.all &&
      (!std::all_of(principal.name.begin(), principal.name.end(), &absl::ascii_isdigit) ||
       !absl::SimpleAtoi(principal.name, &principal.number))) {
    return Wrong(text);
  }
  return principal;
}

absl::Status Unknown(absl::string_view kind, absl::string_view name) {
  return absl::NotFoundError(absl::StrCat("this system has no ", kind, " '", name, "'"));
}

absl::StatusOr<uid_t> LookUpUser(const std::string& name) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(kLookupBytes);
  (void)getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) return Unknown("user", name);
  return found->pw_uid;
}

absl::StatusOr<gid_t> LookUpGroup(const std::string& name) {
  group entry{};
  group* found = nullptr;
  std::vector<char> buffer(kLookupBytes);
  (void)getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) return Unknown("group", name);
  return found->gr_gid;
}

}  // namespace

absl::Status CheckPrincipal(absl::string_view text) { return ParsePrincipal(text).status(); }

absl::Status Policy::Add(absl::string_view text, Members& members) {
  ACCELD_ASSIGN_OR_RETURN(const Principal principal, ParsePrincipal(text));
  switch (principal.kind) {
    case Kind::kUser: {
      ACCELD_ASSIGN_OR_RETURN(const uid_t uid, LookUpUser(principal.name));
      members.uids.insert(uid);
      break;
    }
    case Kind::kUid:
      members.all_uids |= principal.all;
      if (!principal.all) members.uids.insert(principal.number);
      break;
    case Kind::kGroup: {
      ACCELD_ASSIGN_OR_RETURN(const gid_t gid, LookUpGroup(principal.name));
      members.gids.insert(gid);
      break;
    }
    case Kind::kGid:
      members.gids.insert(principal.number);
      break;
    case Kind::kCertificate:
      members.all_certificates |= principal.all;
      if (!principal.all) members.certificates.insert(principal.name);
      break;
  }
  return absl::OkStatus();
}

absl::StatusOr<Policy> Policy::Make(const AccessOptions& options) {
  Policy policy;
  policy.own_uid_ = geteuid();
  policy.refuse_anonymous_ = options.refuse_anonymous;
  for (const auto* list : {&options.users, &options.publishers, &options.admins}) {
    Members& members = policy.roles_.emplace_back();
    for (const std::string& text : *list) ACCELD_RETURN_IF_ERROR(Add(text, members));
  }
  return policy;
}

absl::optional<Role> Policy::RoleOf(const PeerCredentials& peer) const {
  if (peer.uid == own_uid_ || peer.uid == 0) return Role::kAdmin;
  for (const Role role : {Role::kAdmin, Role::kPublisher, Role::kUser}) {
    const Members& members = roles_[static_cast<size_t>(role)];
    if (members.all_uids || members.uids.contains(peer.uid) ||
        std::any_of(peer.groups.begin(), peer.groups.end(),
                    [&](gid_t gid) { return members.gids.contains(gid); })) {
      return role;
    }
  }
  return absl::nullopt;
}

absl::optional<Role> Policy::RoleOfCertificate(absl::string_view name) const {
  for (const Role role : {Role::kAdmin, Role::kPublisher, Role::kUser}) {
    const Members& members = roles_[static_cast<size_t>(role)];
    if (members.all_certificates || members.certificates.find(name) != members.certificates.end()) {
      return role;
    }
  }
  return absl::nullopt;
}

absl::optional<Role> Policy::RoleOfAnonymous() const {
  if (refuse_anonymous_) return absl::nullopt;
  return Role::kUser;
}

}  // namespace acceld::rpc
