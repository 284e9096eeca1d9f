#include "server/observability/history/series.h"

#include <algorithm>
#include <chrono>

namespace acceld::observability {
namespace {

using engine::CacheActivity;
using engine::DeviceActivity;

float Rate(uint64_t before, uint64_t now, double seconds) {
  return static_cast<float>(static_cast<double>(now - before) / seconds);
}

constexpr RecordedSeries<DeviceActivity> kDeviceSeries[] = {
    {{SeriesUnit::kShare, "busy_share", "Busy"},
     [](const DeviceActivity& before, const DeviceActivity& now, double seconds) {
       const double busy_s = std::chrono::duration<double>(now.busy - before.busy).count();
       // Runs that ended before the reading may be counted after it: see runtime::BusyTime.
       return static_cast<float>(std::min(busy_s / seconds, 1.0));
     }},
    {{SeriesUnit::kPerSecond, "executions_per_second", "Executions"},
     [](const DeviceActivity& before, const DeviceActivity& now, double seconds) {
       return Rate(before.executions, now.executions, seconds);
     }},
    {{SeriesUnit::kCount, "queued", "Queued"},
     [](const DeviceActivity&, const DeviceActivity& now, double) {
       return static_cast<float>(now.queued);
     }},
    {{SeriesUnit::kBytes, "memory_used_bytes", "Memory in use"},
     [](const DeviceActivity&, const DeviceActivity& now, double) {
       return static_cast<float>(now.memory_used_bytes);
     }},
};

constexpr RecordedSeries<CacheActivity> kCacheSeries[] = {
    {{SeriesUnit::kPerSecond, "hits_per_second", "Cache hits"},
     [](const CacheActivity& before, const CacheActivity& now, double seconds) {
       return Rate(before.hits, now.hits, seconds);
     }},
    {{SeriesUnit::kPerSecond, "misses_per_second", "Cache misses"},
     [](const CacheActivity& before, const CacheActivity& now, double seconds) {
       return Rate(before.misses, now.misses, seconds);
     }},
};

}  // namespace

absl::Span<const RecordedSeries<DeviceActivity>> DeviceSeries() { return kDeviceSeries; }
absl::Span<const RecordedSeries<CacheActivity>> CacheSeries() { return kCacheSeries; }

}  // namespace acceld::observability
