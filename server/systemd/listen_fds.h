#pragma once

#include <vector>

#include "common/net/inherited_socket.h"
#include "common/status.h"

namespace acceld::systemd {

// Returns the sockets that the service manager passed, by the protocol of sd_listen_fds(3):
// $LISTEN_FDS descriptors from number 3 on, if $LISTEN_PID is this process. Empty if the variables
// are not set. INVALID_ARGUMENT, with the socket's name in $LISTEN_FDNAMES, for a socket that is
// not a listening unix socket with a path.
//
// Removes the variables from the environment, so that child processes do not use them. Must be
// called once, before threads are started.
absl::StatusOr<std::vector<InheritedSocket>> TakePassedSockets();

}  // namespace acceld::systemd
