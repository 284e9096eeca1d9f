#include "server/observability/history/history_recorder.h"

#include <algorithm>
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"

namespace acceld::observability {
namespace {

using testing::Eventually;

// The values of a series that there are.
size_t Count(const Series& series) {
  return static_cast<size_t>(
      std::count_if(series.begin(), series.end(), [](float value) { return !std::isnan(value); }));
}

class HistoryRecorderTest : public ::testing::Test {
 protected:
  testing::FakeCompiler compiler_;
  std::unique_ptr<engine::Engine> engine_ = testing::MakeFakeEngine(compiler_, {.devices = 2});
};

TEST_F(HistoryRecorderTest, TheEngineTellsWhatItsDevicesAndItsCacheDid) {
  const auto session = *engine_->OpenSession({.client_name = "test"});
  (void)session->RegisterProgram(1, testing::ModuleNamed("add_one"), "main");
  (void)session->Put(1, testing::Floats({1, 2}), 1);
  for (engine::Handle h = 1; h < 4; ++h) (void)session->Execute(1, {h}, {h + 1}, 1);
  EXPECT_EQ(testing::FetchFloats(*session, 4)[0], 4);
  engine::EngineActivity activity;
  // Arrays are final before their task is counted as gone.
  EXPECT_TRUE(Eventually([&] {
    engine_->ReadActivity(activity);
    return activity.devices[1].queued == 0;
  }));
  ASSERT_EQ(activity.devices.size(), 2u);
  EXPECT_EQ(activity.devices[0].executions, 0u);
  EXPECT_EQ(activity.devices[0].busy.count(), 0);
  EXPECT_EQ(activity.devices[1].executions, 3u);
  EXPECT_GT(activity.devices[1].busy.count(), 0);
  EXPECT_GT(activity.devices[1].memory_used_bytes, 0u);
  EXPECT_EQ(activity.cache.misses, 1u);
  EXPECT_EQ(activity.cache.hits, 2u);
}

TEST_F(HistoryRecorderTest, RecordsAtOnceAndInEachSlot) {
  const HistoryRecorder recorder(*engine_);
  History history = recorder.Read();
  ASSERT_EQ(history.devices.size(), 2u);
  const size_t at_once = Count(history.devices[0][2]);
  EXPECT_GE(at_once, 1u);
  EXPECT_TRUE(Eventually([&] {
    history = recorder.Read();
    return Count(history.devices[0][2]) > at_once;
  }));
  // Two samples in a row make a rate.
  EXPECT_GE(Count(history.devices[0][0]), 1u);
  EXPECT_GE(Count(history.cache[0]), 1u);
}

}  // namespace
}  // namespace acceld::observability
