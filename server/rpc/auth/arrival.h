#pragma once

#include "absl/types/optional.h"
#include "common/status.h"
#include "server/engine/identity.h"
#include "server/rpc/auth/connections.h"
#include "server/rpc/auth/gate.h"
#include "server/rpc/auth/peer_credentials.h"

namespace acceld::rpc {

// Who has come to a unix socket.
struct Arrival {
  PeerCredentials peer;
  // Of the user; none: one who has to show a token first.
  absl::optional<engine::Identity> identity;

  bool is_admin() const { return identity.has_value() && identity->role == Role::kAdmin; }
};

// Judges a connection that was just accepted. PERMISSION_DENIED for a user whom no call would be
// let in from, RESOURCE_EXHAUSTED when the descriptors that are left are for admins; both are
// counted and logged.
absl::StatusOr<Arrival> JudgeArrival(int fd, const Gate& gate, const Connections& connections,
                                     observability::RpcInstruments& instruments);

}  // namespace acceld::rpc
