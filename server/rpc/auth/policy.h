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

// INVALID_ARGUMENT, quoting `text`, unless it is a principal as AccessOptions describes them.
absl::Status CheckPrincipal(absl::string_view text);

// The roles of identities, as AccessOptions lists them. Immutable.
class Policy {
 public:
  // Resolves the names of users and groups to numbers, once. NOT_FOUND names a user or group that
  // the system does not have; INVALID_ARGUMENT quotes an entry that is not a principal. Blocks for
  // the look-ups in the system's user database.
  static absl::StatusOr<Policy> Make(const AccessOptions& options);

  // The highest role that is given to the identity; none when it may not do anything.
  absl::optional<Role> RoleOf(const PeerCredentials& peer) const;
  absl::optional<Role> RoleOfCertificate(absl::string_view name) const;
  absl::optional<Role> RoleOfAnonymous() const;

 private:
  // The principals that have one role.
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
