#pragma once

#include <chrono>
#include <string>

#include "common/files/unique_fd.h"
#include "common/net/socket_trust.h"
#include "common/status.h"

namespace acceld::client {

// Connections to a daemon's unix sockets that are verified before any byte is sent: first the
// folder and the socket file, then the process at the other end of the established connection,
// which later changes of the path cannot replace.
//
// Errors: NOT_FOUND if there is no such socket; UNAVAILABLE if no process listens;
// DEADLINE_EXCEEDED if the listener does not accept the connection in time; PERMISSION_DENIED if
// the operating system does not allow the connection, or if the socket belongs to a user who is not
// trusted (the message then says which user, and how to trust it). Blocks for at most the timeout.

// The unix socket of a daemon on this host, and the users to whom it may belong.
struct SocketEndpoint {
  std::string path;  // Empty: there is none.
  TrustedUsers trusted;
};

// Connects to the socket itself, which serves gRPC.
absl::StatusOr<UniqueFd> ConnectTrusted(const SocketEndpoint& endpoint,
                                        std::chrono::milliseconds timeout);
// Connects to the second socket beside it, which carries packets
// (common/memory/segment_messages.h).
absl::StatusOr<UniqueFd> ConnectTrustedForPackets(const SocketEndpoint& endpoint);

}  // namespace acceld::client
