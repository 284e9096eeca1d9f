#pragma once

#include <chrono>
#include <string>

#include "client/credentials.h"
#include "common/status.h"

namespace acceld::client {

// Makes the daemon at this address exit so that another one can replace it. Applies only to a
// daemon that exits by itself when idle, as daemons started by clients do, and that has no
// sessions. The daemon is told to accept no new sessions, whereupon it exits because it has none;
// clients that try to connect meanwhile are refused and may start the next daemon. Blocks until the
// daemon has gone.
//
// OK: no daemon listens at the address any more. FAILED_PRECONDITION: the daemon is in use or does
// not exit when idle, as the message says; it keeps running unchanged. DEADLINE_EXCEEDED: the
// daemon was told to exit but is still there.
absl::Status RetireIdleDaemon(const std::string& address, const Credentials& credentials,
                              std::chrono::milliseconds timeout);

}  // namespace acceld::client
