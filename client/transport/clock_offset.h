#pragma once

#include <cstdint>

#include "absl/types/span.h"

namespace acceld::client {

// One reading of a daemon's clock: the daemon's time at a moment between two times of this
// process's steady clock. Nanoseconds.
struct ClockReading {
  int64_t before_ns = 0, daemon_ns = 0, after_ns = 0;
};

// Estimates by how many nanoseconds the daemon's clock is ahead of this process's steady clock,
// from the reading with the shortest round trip; the error is at most half of that round trip.
// Returns 0 if that reading is consistent with equal clocks, as it is if both processes run on one
// machine. `readings` must not be empty.
int64_t OffsetOf(absl::Span<const ClockReading> readings);

}  // namespace acceld::client
