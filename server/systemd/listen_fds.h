#pragma once

#include <vector>

#include "common/net/passed_socket.h"
#include "common/status.h"

namespace acceld::systemd {

// The sockets that the service manager passes, by the protocol of sd_listen_fds(3): $LISTEN_FDS of
// them, from descriptor 3 on, if $LISTEN_PID is this process. None where that is not set.
// INVALID_ARGUMENT says what is wrong with one, by its name in $LISTEN_FDNAMES: only unix sockets
// with a path that listen are of use.
//
// Takes the variables out of the environment, so that no child takes them for its own. Call it
// once, before there are threads.
absl::StatusOr<std::vector<PassedSocket>> TakePassedSockets();

}  // namespace acceld::systemd
