#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/status.h"
#include "server/engine/engine.h"
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

  // Return the highest role of the caller: of the user at the other end of a unix socket, of the
  // holder of a client certificate with this name, or of a caller over TCP without TLS and token.
  // nullopt: the caller has no role and may do nothing.
  absl::optional<engine::Role> RoleOf(const PeerCredentials& peer) const;
  absl::optional<engine::Role> RoleOfCertificate(absl::string_view name) const;
  absl::optional<engine::Role> RoleOfAnonymous() const;

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
  std::vector<Members> roles_;  // by engine::Role
};

}  // namespace acceld::rpc
