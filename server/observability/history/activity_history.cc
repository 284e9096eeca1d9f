#include "server/observability/history/activity_history.h"

#include <chrono>
#include <limits>

#include "common/check.h"

namespace acceld::observability {
namespace {

size_t NumValues(size_t num_devices) {
  return num_devices * DeviceSeries().size() + CacheSeries().size();
}

}  // namespace

ActivityHistory::ActivityHistory(size_t num_devices)
    : num_devices_(num_devices), ring_(NumValues(num_devices)) {
  recorded_.devices.resize(num_devices);
  sample_.reserve(NumValues(num_devices));
}

void ActivityHistory::Record(TimePoint now, const engine::EngineActivity& activity) {
  ACCELD_CHECK(activity.devices.size() == num_devices_);
  const HistoryRing::Slots slot = HistoryRing::SlotOf(now);
  const MutexLock lock(mutex_);
  if (slot <= ring_.newest()) return;
  const double seconds = slot == ring_.newest() + HistoryRing::Slots(1)
                             ? std::chrono::duration<double>(now - recorded_at_).count()
                             : std::numeric_limits<double>::quiet_NaN();
  sample_.clear();
  for (size_t device = 0; device < num_devices_; ++device) {
    for (const auto& series : DeviceSeries()) {
      sample_.push_back(series.value(recorded_.devices[device], activity.devices[device], seconds));
    }
  }
  for (const auto& series : CacheSeries()) {
    sample_.push_back(series.value(recorded_.cache, activity.cache, seconds));
  }
  ring_.Add(slot, sample_);
  recorded_at_ = now;
  recorded_ = activity;
}

History ActivityHistory::Read(TimePoint now) const {
  const HistoryRing::Slots last = HistoryRing::SlotOf(now);
  History history;
  size_t value = 0;
  const MutexLock lock(mutex_);
  history.devices.resize(num_devices_);
  for (std::vector<Series>& device : history.devices) {
    for (size_t i = 0; i < DeviceSeries().size(); ++i) device.push_back(ring_.Read(value++, last));
  }
  for (size_t i = 0; i < CacheSeries().size(); ++i) {
    history.cache.push_back(ring_.Read(value++, last));
  }
  return history;
}

}  // namespace acceld::observability
