// Recording the history allocates no memory after the start. In a program of its own, as it
// replaces operator new, which the thread sanitizer does as well.

#include <chrono>
#include <cstdint>
#include <memory>

#include "gtest/gtest.h"
#include "server/observability/history/activity_history.h"
#include "tests/support/counted_heap.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

namespace acceld::observability {
namespace {

using testing::Eventually;

TEST(HistoryMemoryTest, RecordingAllocatesNothing) {
  const ActivityHistory::TimePoint begin(std::chrono::hours(1));
  engine::EngineActivity activity;
  activity.devices.resize(1);
  const int64_t without = testing::HeapBytes();
  ActivityHistory history(1);
  // 360 samples of four bytes for each value, and little else.
  EXPECT_LT(testing::HeapBytes() - without, 360 * 4 * 6 + 1024);
  history.Record(begin, activity);
  testing::ResetPeak();
  const int64_t before = testing::HeapBytes();
  for (int i = 1; i < 1000; ++i) {
    activity.devices[0].executions += 10;
    history.Record(begin + i * std::chrono::seconds(10), activity);
  }
  EXPECT_EQ(testing::PeakHeapBytes(), before);
}

TEST(HistoryMemoryTest, ReadingTheEngineAgainAllocatesNothing) {
  testing::FakeCompiler compiler;
  const std::unique_ptr<engine::Engine> engine = testing::MakeFakeEngine(compiler, {.devices = 2});
  engine::EngineActivity activity;
  engine->ReadActivity(activity);
  // Threads of the engine may still be starting.
  EXPECT_TRUE(Eventually([&] {
    testing::ResetPeak();
    const int64_t before = testing::HeapBytes();
    for (int i = 0; i < 100; ++i) engine->ReadActivity(activity);
    return testing::PeakHeapBytes() == before;
  }));
}

}  // namespace
}  // namespace acceld::observability
