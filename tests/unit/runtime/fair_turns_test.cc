#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/runtime/device_executor.h"
#include "tests/support/eventually.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"

// What executions of one user that take less, or longer, than expected, or fail, mean for others.
namespace acceld::runtime {
namespace {

using ::acceld::testing::Eventually;
using ::acceld::testing::FakeDevice;
using ::acceld::testing::LoadedKernel;
using ::acceld::testing::SteadyKernel;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(FairTurnsTest, WhoTakesLessThanWasExpectedHasNothingLeftForThat) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = std::chrono::seconds(1)});
  const auto greedy_share = std::make_shared<DeviceShare>("greedy");
  Client first({&executor}, INT64_MAX, Priority::kNormal, greedy_share),
      second({&executor}, INT64_MAX, Priority::kNormal, greedy_share), other({&executor});
  Mutex mutex;
  std::string order;
  const auto note = [&](char who) {
    return [&mutex, &order, who](const auto&) {
      MutexLock lock(mutex);
      order += who;
      return absl::OkStatus();
    };
  };
  Gate gate;
  // What takes 100 s on other days.
  gate.kernel->cost.Record(nanoseconds(std::chrono::seconds(100)).count());
  const auto long_one = LoadedKernel(0, 1, note('g'));
  long_one->cost.Record(nanoseconds(std::chrono::seconds(100)).count());
  std::vector<ArrayPtr> results = {first.Run("gate", gate.kernel, {})};
  gate.door.AwaitArrival();
  for (int i = 0; i < 3; ++i) {
    results.push_back(first.Run("long", long_one, {}));
    results.push_back(second.Run("long", long_one, {}));
  }
  results.push_back(other.Run("other", LoadedKernel(0, 1, note('o')), {}));
  gate.door.Open();
  for (const ArrayPtr& result : results) EXPECT_TRUE(Final(result).ok());
  executor.WaitUntilIdle(kForever);
  // One is begun by then, or there is one at most whose share counts as unused.
  EXPECT_LE(order.find('o'), 1u) << order;
}

TEST(FairTurnsTest, WhatFailsByTheThousandDoesNotGoBeforeTheWorkOfOthers) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client holder({&executor}), greedy({&executor}), other({&executor});
  Gate gate;
  const ArrayPtr held = holder.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  const ArrayPtr never = greedy.NewArray(1);
  const auto kernel = LoadedKernel(1, 1, Nothing);
  std::vector<ArrayPtr> failing;
  for (int i = 0; i < 20'000; ++i) failing.push_back(greedy.Run("f", kernel, {never}));
  never->Fail(absl::CancelledError("not wanted"));
  bool all_failed = true;
  const ArrayPtr first = other.Run("first", LoadedKernel(0, 1, Nothing), {});
  const ArrayPtr second =
      other.Run("second",
                LoadedKernel(0, 1,
                             [&](const auto&) {
                               all_failed = failing.back()->state() != Array::State::kPending;
                               return absl::OkStatus();
                             }),
                {});
  gate.door.Open();
  EXPECT_TRUE(Final(second).ok());
  EXPECT_FALSE(all_failed);
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(Final(failing.back()).code(), absl::StatusCode::kCancelled);
}

TEST(FairTurnsTest, NothingOfOthersIsSetAsideWithWhatTakesLongerThanExpected) {
  FakeDevice device;
  DeviceExecutor executor(device, 0,
                          {.very_short_run = std::chrono::microseconds(0),
                           .awaited_run = std::chrono::microseconds(0),
                           .slice = milliseconds(20),
                           .pause_grace = milliseconds(1)});
  Client greedy({&executor}), other({&executor});
  Door door;
  const auto max_run_error = SteadyKernel(0, 1, milliseconds(5), [door](const auto&) {
    door.Pass();
    return absl::OkStatus();
  });
  const ArrayPtr y = greedy.Run("overlong", max_run_error, {});
  door.AwaitArrival();
  // When it is expected to be as good as over.
  std::this_thread::sleep_for(milliseconds(6));
  const auto quick = SteadyKernel(0, 1, std::chrono::microseconds(50), Nothing);
  const ArrayPtr quick_one = other.Run("quick", quick, {});
  EXPECT_TRUE(Eventually([&] { return quick_one->state() == Array::State::kDefined; }));
  EXPECT_EQ(y->state(), Array::State::kScheduled);
  door.Open();
  EXPECT_TRUE(Final(y).ok());
  executor.WaitUntilIdle(kForever);
}

}  // namespace
}  // namespace acceld::runtime
