#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "client/server_info.h"
#include "client/transport/dial/dial.h"
#include "common/status.h"

namespace acceld::client {

// What the daemon has done for a session and ended since then, by the time at which it began. Times
// are those of this process's steady clock (clock_offset.h). Blocks: four calls, a minute at most.
// NOT_FOUND (no such session of this identity), FAILED_PRECONDITION (the daemon keeps no trace),
// UNAVAILABLE.
absl::StatusOr<std::vector<TraceSpan>> ReadSessionTrace(
    Dialer& dialer, const std::string& session_token, std::chrono::steady_clock::time_point since);

}  // namespace acceld::client
