#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "client/server_info.h"
#include "client/transport/dial/dial.h"
#include "common/status.h"

namespace acceld::client {

// Returns the trace spans of a session that have ended since `since`, ordered by the time at which
// they began. Times are converted to this process's steady clock (clock_offset.h). Blocks for four
// calls, each for at most a minute. NOT_FOUND if the caller's identity has no such session,
// FAILED_PRECONDITION if the daemon keeps no trace, UNAVAILABLE.
absl::StatusOr<std::vector<TraceSpan>> ReadSessionTrace(
    Dialer& dialer, const std::string& session_token, std::chrono::steady_clock::time_point since);

}  // namespace acceld::client
