#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/engine/activity.h"

// What is recorded of the last hour: for each device, and for the cache, some series of values.
namespace acceld::observability {

enum class SeriesUnit : uint8_t {
  kShare,  // from 0 to 1
  kPerSecond,
  kCount,
  kBytes,
};

// What a series is called and shows.
struct SeriesInfo {
  SeriesUnit unit;
  absl::string_view json, title;
};

// A series of a device or of the cache, with the way to its values: from the counters as they were
// `seconds` ago, and as they are now. `seconds` is NaN if the former are not known; a value that
// needs them is NaN then.
template <typename Activity>
struct RecordedSeries : SeriesInfo {
  float (*value)(const Activity& before, const Activity& now, double seconds);
};

// All series, in the order in which they are kept and shown.
absl::Span<const RecordedSeries<engine::DeviceActivity>> DeviceSeries();
absl::Span<const RecordedSeries<engine::CacheActivity>> CacheSeries();

// The values of a series, the oldest first, one for each slot of HistoryRing; NaN: there is none.
using Series = std::vector<float>;

// The last hour, as plain data.
struct History {
  std::vector<std::vector<Series>> devices;  // by device, then in the order of DeviceSeries()
  std::vector<Series> cache;                 // in the order of CacheSeries()
};

}  // namespace acceld::observability
