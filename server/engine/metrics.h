#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/api/priority.h"
#include "server/hal/device.h"
#include "server/observability/instruments/counter.h"
#include "server/observability/instruments/histogram.h"

namespace acceld::engine {

struct DeviceMetrics {
  observability::HistogramSnapshot queue_time;   // from the command until the device begins
  observability::HistogramSnapshot device_time;  // from there until the results are final
  // How long executions waited for answers to host calls.
  observability::HistogramSnapshot host_call_time;
  observability::CountsByCode executions{};  // by the status with which they ended
  uint64_t spills = 0, restores = 0;         // of arrays
  // The bytes of results that were written over donated arguments.
  uint64_t donated_bytes = 0;
  // Times that an execution was suspended because its time slice was over.
  uint64_t suspensions = 0;
  // The time in which at least one execution was on the device; suspended ones are not.
  std::chrono::nanoseconds busy{0};
  hal::LaunchCounts launches;
  std::array<uint64_t, kNumPriorities> queued_by_priority{};  // waiting, runnable and in flight
};

// Distributions and counts by cause, which Stats, Devices and Sessions do not have. All are read at
// about the same time.
struct EngineMetrics {
  std::vector<DeviceMetrics> devices;
  observability::HistogramSnapshot compile_time;  // including failed compiles
  // Executions and arrays that failed when their command was received, before they reached a
  // device.
  observability::CountsByCode refusals{};
  uint64_t cache_memory_evictions = 0, cache_disk_evictions = 0;
  uint64_t deduplicated_bytes = 0;  // of uploads with content that was on the device already
};

}  // namespace acceld::engine
