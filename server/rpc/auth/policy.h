#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/api/role.h"
#include "common/status.h"
#include "server/rpc/access_options.h"
#include "server/rpc/auth/peer_credentials.h"

namespace acceld::rpc {

// Whether a principal is spelled as AccessOptions says. INVALID_ARGUMENT quotes it.
absl::Status CheckPrincipal(absl::string_view text);

// Which roles identities have. Immutable.
class Policy {
 public:
  // Looks names of users and groups up, once. NOT_FOUND names one that the system does not know;
  // INVALID_ARGUMENT. May block, as the system's user database does.
  static absl::StatusOr<Policy> Make(const AccessOptions& options);

  // The highest role that is given to the identity; none when it may not do anything.
  absl::optional<Role> RoleOf(const PeerCredentials& peer) const;
  absl::optional<Role> RoleOfCertificate(absl::string_view name) const;
  absl::optional<Role> RoleOfAnonymous() const;

 private:
  // Who has one role.
  struct Members {
    std::set<uid_t> uids;
    std::set<gid_t> gids;
    std::set<std::string, std::less<>> certificates;
    bool all_uids = false, all_certificates = false;
  };
  static absl::Status Add(absl::string_view text, Members& members);

  uid_t own_uid_ = 0;
  bool refuse_anonymous_ = false;
  std::vector<Members> roles_;  // by Role
};

}  // namespace acceld::rpc
