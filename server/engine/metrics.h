#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/api/priority.h"
#include "server/hal/device.h"
#include "server/observability/instruments/counter.h"
#include "server/observability/instruments/histogram.h"

namespace acceld::engine {

struct DeviceMetrics {
  observability::HistogramSnapshot queue_time;      // from the command until the device begins
  observability::HistogramSnapshot device_time;     // from there until the results are final
  observability::HistogramSnapshot host_call_time;  // that runs waited for their clients' answers
  observability::CountsByCode executions{};         // as they ended
  uint64_t spills = 0, restores = 0;                // of arrays
  uint64_t donated_bytes = 0;  // of results that were written over donated arguments
  uint64_t suspensions = 0;    // of executions whose slice was over
  hal::LaunchCounts launches;
  std::array<uint64_t, kNumPriorities> queued_by_priority{};  // waiting, runnable and in flight
};

// What Stats, Devices and Sessions leave out: distributions, and counts by cause. Read at about one
// moment.
struct EngineMetrics {
  std::vector<DeviceMetrics> devices;
  observability::HistogramSnapshot compile_time;  // failed compiles too
  // Executions and arrays that failed where they were named, before they got to a device.
  observability::CountsByCode refusals{};
  uint64_t cache_memory_evictions = 0, cache_disk_evictions = 0;
  uint64_t deduplicated_bytes = 0;  // of uploads whose content was here already
};

}  // namespace acceld::engine
