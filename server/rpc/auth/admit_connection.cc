#include "server/rpc/auth/admit_connection.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/rpc/auth/refusal_log.h"

namespace acceld::rpc {

using observability::Refusal;

absl::StatusOr<ConnectionPeer> AdmitConnection(int fd, const Gate& gate,
                                               const Connections& connections,
                                               observability::RpcInstruments& instruments) {
  ConnectionPeer arrival;
  ACCELD_ASSIGN_OR_RETURN(arrival.peer, ReadPeerCredentials(fd));
  const std::string name = IdentityOf(arrival.peer);
  if (const absl::optional<Role> role = gate.RoleOf(arrival.peer); role.has_value()) {
    arrival.identity = engine::Identity{.name = name, .role = *role};
  }
  Refusal reason = Refusal::kIdentity;
  absl::Status status;
  if (!arrival.identity.has_value() && !gate.accepts_tokens()) {
    status = absl::PermissionDeniedError(
        absl::StrCat(name, " is not among this daemon's users (--users)"));
  } else {
    reason = Refusal::kConnections;
    status = connections.CheckReserve(fd, arrival.is_admin());
  }
  if (status.ok()) return arrival;
  NoteRefusal(instruments, reason, "connection",
              {.identity = {.name = name}, .peer = TextOf(arrival.peer)}, status);
  return status;
}

}  // namespace acceld::rpc
