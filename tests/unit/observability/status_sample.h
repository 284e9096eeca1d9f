#pragma once

#include <limits>
#include <string>

#include "server/observability/status_page/status.h"

namespace acceld::testing {

// A status with something in every place, and `name` wherever a text comes from outside.
inline observability::DaemonStatus SampleStatus(const std::string& name) {
  constexpr uint64_t kGiB = uint64_t{1} << 30;
  constexpr auto kOk = static_cast<size_t>(absl::StatusCode::kOk);
  constexpr auto kInternal = static_cast<size_t>(absl::StatusCode::kInternal);
  constexpr auto kCancelled = static_cast<size_t>(absl::StatusCode::kCancelled);
  observability::DaemonStatus status;
  status.version = "1.2.3";
  status.time = std::chrono::system_clock::time_point(std::chrono::seconds(1795325324));
  status.uptime_s = 93784;
  status.devices = {{.id = 0,
                     .kind = "cuda",
                     .name = name + " 0",
                     .architecture = "sm_90",
                     .memory_limit_bytes = 80 * kGiB,
                     .memory_used_bytes = 20 * kGiB,
                     .memory_peak_bytes = 60 * kGiB,
                     .queued = 6,
                     .gangs = 2},
                    {.id = 1,
                     .kind = name,
                     .name = name + " 1",
                     .architecture = name,
                     .memory_limit_bytes = 16 * kGiB,
                     .memory_used_bytes = 15 * kGiB,
                     .memory_peak_bytes = 16 * kGiB,
                     .error = "lost: " + name}};
  status.missing = {{.kind = "rocm", .reason = "none: " + name},
                    {.kind = "cuda", .reason = "not found: " + name, .library = "libcudnn"}};
  status.metrics.devices.resize(2);
  engine::DeviceMetrics& metrics = status.metrics.devices[0];
  metrics.executions[kOk] = 1234567;
  metrics.executions[kInternal] = 23;
  metrics.executions[kCancelled] = 45;
  metrics.device_time.counts[3] = 1000;
  metrics.device_time.sum_s = 0.0456;
  metrics.queued_by_priority = {1, 2, 3};
  metrics.spills = 77;
  status.metrics.compile_time.counts[9] = 4;
  status.metrics.compile_time.sum_s = 0.5;
  status.metrics.cache_memory_evictions = 19;
  status.stats.compiles = 321;
  status.stats.compile_failures = 9;
  status.stats.cache_hits_memory = 700;
  status.stats.cache_hits_disk = 100;
  status.stats.cache_hits_remote = 90;
  status.stats.cache_hits_inflight = 10;
  status.stats.cache_misses = 100;
  status.stats.cache_dropped = 13;
  status.stats.cache_memory_bytes = 3 << 20;
  status.stats.cache_disk_bytes = 5 << 20;
  status.stats.cache_memory_entries = 31;
  status.stats.cache_disk_entries = 53;
  status.stats.gangs = 5432;
  status.stats.gangs_running = 2;
  status.stats.gangs_waiting = 1;
  status.stats.collectives = 98765;
  status.stats.collective_bytes = 6 << 20;
  status.stats.collective_wait_ms = 1500;
  status.stats.sessions = 3;
  status.stats.sessions_total = 41;
  status.stats.spilled_bytes = kGiB;
  status.stats.host_memory_bytes = 8 * kGiB;
  status.stats.remote_cache = RemoteCacheStats{.url = "redis://" + name + ":6379",
                                               .read_only = true,
                                               .up = false,
                                               .bytes_read = 1 << 20,
                                               .bytes_written = 2 << 20,
                                               .counts = {{"hits", 90}, {"refused", 4}}};
  // The first half of the hour is missing; in the second one of two devices was busy.
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  const auto half = [&](float first, float last) {
    observability::Series series(360, kNone);
    for (size_t i = 180; i < 360; ++i) series[i] = i < 270 ? first : last;
    return series;
  };
  status.history.devices = {
      {half(0.25f, 0.5f), half(1234, 12.5f), half(7, 6), half(10 * kGiB, 20 * kGiB)},
      {half(0, 0), half(0, 0), half(0, 0), half(15 * kGiB, 15 * kGiB)}};
  status.history.cache = {half(90, 45), half(0.1f, 0)};
  status.identities = {{.identity = name, .sessions = 2, .handles = 500, .memory_bytes = kGiB},
                       {.identity = "(others)", .sessions = 1, .handles = 5}};
  status.trouble = {{.time = status.time - std::chrono::seconds(125),
                     .level = LogLevel::kError,
                     .text = "failed: " + name,
                     .count = 12},
                    {.time = status.time - std::chrono::hours(3), .text = "odd: " + name}};
  return status;
}

}  // namespace acceld::testing
