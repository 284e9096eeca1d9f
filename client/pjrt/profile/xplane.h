#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/types/span.h"
#include "client/pjrt/xplane.pb.h"
#include "client/server_info.h"

namespace acceld::pjrt {

// The spans of a session as planes: one for each device that they are of, with the lines "run",
// "run (brief)", "queue", "upload" and "fetch", and one for the daemon's compiler, with a line for
// each of its threads. Events of runs and compiles have the name of the program; a run's statistics
// say how long it had waited, and any event's how it ended if it has failed. The line "queue" shows
// what waited next for the device: from when it was asked for, or the one before had its turn, to
// when its own came.
//
// Names begin with "/device:CUSTOM:", which viewers take for those of devices. `unix_offset_ns` is
// what the time since 1970 is ahead of the clock of the spans. Spans come by their beginning.
XSpace ToXSpace(absl::Span<const client::TraceSpan> spans,
                const std::map<uint32_t, std::string>& device_names, int64_t unix_offset_ns);

// In place of that, one event whose name says why there is nothing else, at a time since 1970:
// frameworks drop a profile's errors.
XSpace MissingXSpace(const std::string& why, int64_t unix_ns);

}  // namespace acceld::pjrt
