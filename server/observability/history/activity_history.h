#pragma once

#include <cstddef>
#include <vector>

#include "common/threads/mutex.h"
#include "server/engine/activity.h"
#include "server/observability/history/history_ring.h"
#include "server/observability/history/series.h"

namespace acceld::observability {

// What the devices and the cache did in the last hour, made from their counters, which somebody
// reads once in each slot of a HistoryRing. Thread-safe. Record does not allocate; nothing blocks.
class ActivityHistory {
 public:
  using TimePoint = HistoryRing::TimePoint;

  explicit ActivityHistory(size_t num_devices);

  // Records the counters as they are at `now`. Shares and rates are those since the call before,
  // and are missing if a slot was passed over since: a mean over a longer time says little about
  // this slot. Does nothing if `now` is not in a later slot than that call.
  void Record(TimePoint now, const engine::EngineActivity& activity);
  // Returns the hour that ends with the slot of `now`.
  History Read(TimePoint now) const;

 private:
  const size_t num_devices_;
  mutable Mutex mutex_;
  HistoryRing ring_ ABSL_GUARDED_BY(mutex_);
  TimePoint recorded_at_ ABSL_GUARDED_BY(mutex_);
  engine::EngineActivity recorded_ ABSL_GUARDED_BY(mutex_);  // the counters at that time
  // A sample of the ring: the values of each device, then those of the cache.
  std::vector<float> sample_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::observability
