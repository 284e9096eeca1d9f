#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/types/span.h"
#include "client/pjrt/xplane.pb.h"
#include "client/server_info.h"

namespace acceld::pjrt {

// Converts the trace spans of a session to a profile. `spans` must be sorted by their begin.
//
// The profile has one plane for each device, with the lines "run", "run (express)" (very short
// executions that overtook others), "queue", "upload", "fetch" and "collectives"; and one plane for
// the daemon's compiler, with a line for each of its threads. Events of executions and compilations
// are named after the program. The statistics of an execution say how long it was queued, and those
// of an event that failed contain its status. The line "queue" shows the execution that is next to
// run on the device, from its submission, or from the start of the previous execution if that is
// later, until its own start.
//
// Executions of programs over several devices, and their collectives, have the statistics "gang",
// the number of the launch, and "participant". Those of collectives also say how many bytes the
// operands had, and how long ("wait_us") the participant waited for the slowest one.
//
// Names of planes begin with "/device:CUSTOM:", by which viewers recognize devices.
// `unix_offset_ns` is what must be added to the spans' times to get the time since 1970.
XSpace ToXSpace(absl::Span<const client::TraceSpan> spans,
                const std::map<uint32_t, std::string>& device_names, int64_t unix_offset_ns);

// Returns a profile with a single event, at the time `unix_ns` since 1970, whose name `why` says
// why there is nothing else. Needed because frameworks ignore errors of a profiler.
XSpace MissingXSpace(const std::string& why, int64_t unix_ns);

}  // namespace acceld::pjrt
