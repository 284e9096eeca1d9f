#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace acceld::engine {

// What one device has done since the start of the daemon, and what it has at the moment.
struct DeviceActivity {
  std::chrono::nanoseconds busy{0};  // in which at least one execution was on the device
  uint64_t executions = 0;           // that succeeded
  uint64_t queued = 0;               // executions and uploads, waiting, runnable and in flight
  uint64_t memory_used_bytes = 0;
};

// The requests for an executable since the start of the daemon.
struct CacheActivity {
  uint64_t hits = 0;    // that found it, or joined another request's compile
  uint64_t misses = 0;  // that had it compiled
};

// The few counters that are read again and again to see how they change.
struct EngineActivity {
  std::vector<DeviceActivity> devices;  // by number
  CacheActivity cache;
};

}  // namespace acceld::engine
