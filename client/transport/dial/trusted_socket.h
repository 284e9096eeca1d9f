#pragma once

#include <chrono>
#include <string>

#include "common/files/unique_fd.h"
#include "common/net/socket_trust.h"
#include "common/status.h"

namespace acceld::client {

// Connections to the unix sockets of a daemon, checked before a byte is sent on them: folder and
// file first, then the process at the other end of the very connection, which no later change of
// names can replace.
//
// NOT_FOUND: there is no such socket. UNAVAILABLE: nobody listens. DEADLINE_EXCEEDED: the listener
// takes nobody in. PERMISSION_DENIED: the system lets nobody like us connect, or the socket is of a
// user who is not trusted; then the message says whose it is and how to allow for that. Blocks, at
// most for the timeout.

// Where a daemon on this host listens, and whose it may be.
struct SocketPlace {
  std::string path;  // empty: nowhere
  TrustedUsers trusted;
};

// For gRPC.
absl::StatusOr<UniqueFd> ConnectTrusted(const SocketPlace& place,
                                        std::chrono::milliseconds timeout);
// For packets: the socket beside that one (common/memory/segment_messages.h).
absl::StatusOr<UniqueFd> ConnectTrustedForPackets(const SocketPlace& place);

}  // namespace acceld::client
