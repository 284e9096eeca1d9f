#pragma once

#include <string>

#include "absl/types/span.h"
#include "client/server_info.h"

namespace acceld::tools {

// Converts spans to JSON in the format of Chrome's trace viewer, which Perfetto also reads. The
// viewer's processes are: one for each device, with a thread for each of its streams; one with the
// compile threads; and one for each session, which shows its executions from the arrival of their
// command to their end. Times are microseconds since the earliest span.
//
// Executions of programs over several devices, and their collectives, have the arguments "gang",
// the number of the launch, "participant", and "devices", those of the launch by participant.
// Collectives also have "bytes" and "wait_us", the time for which they waited for the slowest
// participant, and contain an interval "wait".
std::string ChromeTrace(absl::Span<const client::TraceSpan> spans);

}  // namespace acceld::tools
