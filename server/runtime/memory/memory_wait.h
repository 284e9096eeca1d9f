#pragma once

#include <chrono>

#include "server/runtime/memory/device_memory.h"

namespace acceld::runtime {

// The state of a need for memory that waits.
struct MemoryWait {
  using TimePoint = std::chrono::steady_clock::time_point;

  // Until when to wait for work in flight that holds memory of the device (`deadline`), or that is
  // charged to the same account (`charge_deadline`). Set when the wait begins.
  TimePoint deadline = TimePoint::max(), charge_deadline = TimePoint::max();
  // Until when to wait even if nothing is in flight, as other threads may be about to release
  // memory. Set when the first allocation fails.
  TimePoint settles_at = TimePoint::max();
  // When to try again even if nothing has ended.
  TimePoint retry_at = TimePoint::max();
  // When an execution was last told to end to free memory; the epoch if none was.
  TimePoint last_end;
  DeviceMemory::Search search;
};

}  // namespace acceld::runtime
