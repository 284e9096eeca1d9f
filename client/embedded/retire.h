#pragma once

#include <chrono>
#include <string>

#include "client/credentials.h"
#include "common/status.h"

namespace acceld::client {

// Makes room for another daemon: has the one at this address end, if it is one that ends by itself
// when it is idle, as those do that clients start, and nobody has a session with it. It is asked to
// take no new sessions, and ends because it has none; who comes meanwhile is refused, and may start
// the next one. Blocks until it has gone.
//
// OK: nobody listens there any more. FAILED_PRECONDITION with what keeps it: it goes on as it was.
// DEADLINE_EXCEEDED: it has been asked, and is still there.
absl::Status RetireIdleDaemon(const std::string& address, const Credentials& credentials,
                              std::chrono::milliseconds timeout);

}  // namespace acceld::client
