#pragma once

#include "absl/types/optional.h"
#include "common/status.h"
#include "server/engine/identity.h"
#include "server/rpc/auth/connections.h"
#include "server/rpc/auth/gate.h"
#include "server/rpc/auth/peer_credentials.h"

namespace acceld::rpc {

// The peer of a connection that was accepted on a unix socket.
struct ConnectionPeer {
  PeerCredentials peer;
  // The identity of the peer's user. nullopt: the user has no role, so that each call must present
  // a token.
  absl::optional<engine::Identity> identity;

  bool is_admin() const { return identity.has_value() && identity->role == Role::kAdmin; }
};

// Decides whether a connection that was just accepted on a unix socket may stay, and returns its
// peer. `fd` remains the caller's. PERMISSION_DENIED when the peer's user has no role and the
// daemon accepts no tokens either; RESOURCE_EXHAUSTED when only the descriptors that are reserved
// for admins are left. Both refusals are counted and logged.
absl::StatusOr<ConnectionPeer> AdmitConnection(int fd, const Gate& gate,
                                               const Connections& connections,
                                               observability::RpcInstruments& instruments);

}  // namespace acceld::rpc
