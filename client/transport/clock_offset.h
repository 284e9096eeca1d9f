#pragma once

#include <cstdint>

#include "absl/types/span.h"

namespace acceld::client {

// One look at a daemon's clock: what it showed at some time between two times of this process's
// steady clock. Nanoseconds.
struct ClockReading {
  int64_t before_ns = 0, daemon_ns = 0, after_ns = 0;
};

// What the daemon's clock is ahead of this process's steady clock, in nanoseconds, by the reading
// that took the least time: wrong by half of that time at most. 0 if that is possible, as it is
// where both are on one machine and show the same clock. There is a reading at least.
int64_t OffsetOf(absl::Span<const ClockReading> readings);

}  // namespace acceld::client
