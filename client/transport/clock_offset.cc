#include "client/transport/clock_offset.h"

#include <algorithm>

namespace acceld::client {

int64_t OffsetOf(absl::Span<const ClockReading> readings) {
  const ClockReading& best = *std::min_element(
      readings.begin(), readings.end(), [](const ClockReading& a, const ClockReading& b) {
        return a.after_ns - a.before_ns < b.after_ns - b.before_ns;
      });
  if (best.before_ns <= best.daemon_ns && best.daemon_ns <= best.after_ns) return 0;
  return best.daemon_ns - (best.before_ns + (best.after_ns - best.before_ns) / 2);
}

}  // namespace acceld::client
