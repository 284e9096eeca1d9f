#include "server/observability/history/activity_history.h"

#include <chrono>
#include <cmath>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::observability {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A time in the middle of a slot.
ActivityHistory::TimePoint At(int64_t ms) {
  return ActivityHistory::TimePoint(std::chrono::hours(1) + seconds(5) + milliseconds(ms));
}

engine::EngineActivity Activity(milliseconds busy, uint64_t executions) {
  engine::EngineActivity activity;
  activity.devices = {{.busy = busy,
                       .executions = executions,
                       .queued = 7 * executions,
                       .memory_used_bytes = 1024 * executions}};
  activity.cache = {.hits = 2 * executions, .misses = executions / 2};
  return activity;
}

// The last value of a series of device 0, or of the cache.
float LastOf(const History& history, absl::string_view json) {
  for (size_t i = 0; i < DeviceSeries().size(); ++i) {
    if (DeviceSeries()[i].json == json) return history.devices[0][i].back();
  }
  for (size_t i = 0; i < CacheSeries().size(); ++i) {
    if (CacheSeries()[i].json == json) return history.cache[i].back();
  }
  ADD_FAILURE() << json;
  return 0;
}

TEST(ActivityHistoryTest, SharesAndRatesAreThoseSinceTheSampleBefore) {
  ActivityHistory history(1);
  history.Record(At(0), Activity(milliseconds(3000), 40));
  history.Record(At(8'000), Activity(milliseconds(5000), 80));
  const History hour = history.Read(At(8'000));
  EXPECT_FLOAT_EQ(LastOf(hour, "busy_share"), 0.25);
  EXPECT_FLOAT_EQ(LastOf(hour, "executions_per_second"), 5);
  EXPECT_FLOAT_EQ(LastOf(hour, "queued"), 560);
  EXPECT_FLOAT_EQ(LastOf(hour, "memory_used_bytes"), 80 << 10);
  EXPECT_FLOAT_EQ(LastOf(hour, "hits_per_second"), 10);
  EXPECT_FLOAT_EQ(LastOf(hour, "misses_per_second"), 2.5);
}

TEST(ActivityHistoryTest, TheFirstSampleHasNoRates) {
  ActivityHistory history(1);
  history.Record(At(0), Activity(milliseconds(3000), 40));
  const History hour = history.Read(At(0));
  for (const char* const json :
       {"busy_share", "executions_per_second", "hits_per_second", "misses_per_second"}) {
    EXPECT_TRUE(std::isnan(LastOf(hour, json))) << json;
  }
  EXPECT_EQ(LastOf(hour, "queued"), 280);
  EXPECT_EQ(LastOf(hour, "memory_used_bytes"), 40 << 10);
}

TEST(ActivityHistoryTest, NeitherHasOneAfterAGap) {
  ActivityHistory history(1);
  history.Record(At(0), Activity(milliseconds(0), 0));
  history.Record(At(20'000), Activity(milliseconds(10'000), 2'000'000));
  EXPECT_TRUE(std::isnan(LastOf(history.Read(At(20'000)), "executions_per_second")));
  EXPECT_TRUE(std::isnan(LastOf(history.Read(At(20'000)), "busy_share")));
  EXPECT_EQ(LastOf(history.Read(At(20'000)), "memory_used_bytes"), 2'000'000 * 1024.f);
  EXPECT_TRUE(std::isnan(LastOf(history.Read(At(10'000)), "memory_used_bytes")));
  history.Record(At(30'000), Activity(milliseconds(10'000), 2'000'100));
  EXPECT_FLOAT_EQ(LastOf(history.Read(At(30'000)), "executions_per_second"), 10);
}

TEST(ActivityHistoryTest, ADeviceIsNotBusyForLongerThanTheTime) {
  ActivityHistory history(1);
  history.Record(At(0), Activity(milliseconds(0), 0));
  history.Record(At(10'000), Activity(milliseconds(10'001), 0));
  EXPECT_EQ(LastOf(history.Read(At(10'000)), "busy_share"), 1);
}

TEST(ActivityHistoryTest, ATimeThatIsNotLaterIsIgnored) {
  ActivityHistory history(1);
  history.Record(At(0), Activity(milliseconds(0), 0));
  history.Record(At(10'000), Activity(milliseconds(0), 50));
  history.Record(At(10'001), Activity(milliseconds(0), 60));
  history.Record(At(-3'600'000), Activity(milliseconds(0), 70));
  EXPECT_FLOAT_EQ(LastOf(history.Read(At(10'000)), "executions_per_second"), 5);
  history.Record(At(20'000), Activity(milliseconds(0), 100));
  EXPECT_FLOAT_EQ(LastOf(history.Read(At(20'000)), "executions_per_second"), 5);
}

TEST(ActivityHistoryTest, EveryDeviceHasItsOwn) {
  ActivityHistory history(3);
  engine::EngineActivity activity;
  activity.devices = {{.queued = 1}, {.queued = 2}, {.queued = 3}};
  history.Record(At(0), activity);
  const History hour = history.Read(At(0));
  ASSERT_EQ(hour.devices.size(), 3u);
  for (size_t device = 0; device < 3; ++device) {
    EXPECT_EQ(hour.devices[device][2].back(), static_cast<float>(device + 1));
  }
}

}  // namespace
}  // namespace acceld::observability
