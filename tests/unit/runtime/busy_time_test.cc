#include "server/runtime/schedule/busy_time.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "server/runtime/device_executor.h"
#include "tests/support/eventually.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"

namespace acceld::runtime {
namespace {

using ::acceld::testing::Eventually;
using ::acceld::testing::FakeDevice;
using ::acceld::testing::LoadedKernel;
using ::acceld::testing::SteadyKernel;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr nanoseconds kUnknown{0};
constexpr milliseconds kSlice(2);

// Times in milliseconds after an arbitrary one.
BusyTime::TimePoint At(int ms) {
  return BusyTime::TimePoint(std::chrono::hours(1)) + milliseconds(ms);
}

TEST(BusyTimeTest, RunsOfOneStreamAddUpWithoutDispatchAndWaitsForInputs) {
  BusyTime busy;
  busy.Enter(At(0));
  busy.EndRun(At(50), milliseconds(10));
  busy.EndRun(At(200), milliseconds(20));
  busy.Leave();
  EXPECT_EQ(busy.Read(At(1000)), milliseconds(30));
}

TEST(BusyTimeTest, RunsWhoseEndsAreNoticedTogetherAddUp) {
  BusyTime busy;
  busy.Enter(At(0));
  for (int i = 0; i < 4; ++i) busy.EndRun(At(100 + i), milliseconds(25));
  busy.Leave();
  EXPECT_EQ(busy.Read(At(1000)), milliseconds(100));
}

TEST(BusyTimeTest, StreamsSideBySideCountOnce) {
  BusyTime busy;
  busy.Enter(At(0));
  busy.Enter(At(10));
  busy.EndRun(At(30), milliseconds(20));
  busy.Leave();
  busy.EndRun(At(100), milliseconds(100));
  busy.Leave();
  EXPECT_EQ(busy.Read(At(1000)), milliseconds(100));
}

TEST(BusyTimeTest, TheFirstOfTwoToEndCountsOnceAsWell) {
  BusyTime busy;
  busy.Enter(At(0));
  busy.Enter(At(10));
  busy.EndRun(At(30), milliseconds(30));
  busy.Leave();
  busy.EndRun(At(100), milliseconds(90));
  // What follows on a stream that is alone again.
  busy.EndRun(At(150), milliseconds(5));
  busy.Leave();
  EXPECT_EQ(busy.Read(At(1000)), milliseconds(105));
}

TEST(BusyTimeTest, ASuspendedRunCountsUntilItsPauseAndFromItsReturn) {
  BusyTime busy;
  busy.Enter(At(0));
  busy.CountUntil(At(20));
  busy.Leave();
  EXPECT_EQ(busy.Read(At(500)), milliseconds(20));
  busy.Enter(At(500));
  busy.EndRun(At(510), kUnknown);
  busy.Leave();
  EXPECT_EQ(busy.Read(At(1000)), milliseconds(30));
}

TEST(BusyTimeTest, ARunOfUnknownDurationCountsByTheClock) {
  BusyTime busy;
  busy.Enter(At(0));
  busy.EndRun(At(10), milliseconds(10));
  busy.EndRun(At(40), kUnknown);
  busy.Leave();
  EXPECT_EQ(busy.Read(At(1000)), milliseconds(40));
}

TEST(BusyTimeTest, ADispatchThatFailsCountsNothing) {
  BusyTime busy;
  busy.Enter(At(0));
  busy.Leave();
  EXPECT_EQ(busy.Read(At(1000)), nanoseconds(0));
  // Also beside a run, which then counts as if it had been alone.
  busy.Enter(At(1000));
  busy.Enter(At(1010));
  busy.Leave();
  busy.EndRun(At(1100), milliseconds(60));
  busy.Leave();
  EXPECT_EQ(busy.Read(At(2000)), milliseconds(60));
}

TEST(BusyTimeTest, ReadingCountsWhatRunsAndIsNeverTakenBack) {
  BusyTime busy;
  busy.Enter(At(0));
  EXPECT_EQ(busy.Read(At(80)), milliseconds(80));
  busy.EndRun(At(100), milliseconds(10));
  EXPECT_EQ(busy.Read(At(100)), milliseconds(100));
  busy.EndRun(At(200), milliseconds(10));
  busy.Leave();
  EXPECT_EQ(busy.Read(At(1000)), milliseconds(110));
}

TEST(BusyTimeTest, ATimeReadBeforeAnotherButToldAfterItCountsNothing) {
  BusyTime busy;
  busy.Enter(At(0));
  EXPECT_EQ(busy.Read(At(100)), milliseconds(100));
  busy.EndRun(At(99), kUnknown);
  busy.Leave();
  busy.Enter(At(98));
  busy.EndRun(At(110), kUnknown);
  busy.Leave();
  EXPECT_EQ(busy.Read(At(1000)), milliseconds(110));
}

nanoseconds BusyOf(const DeviceExecutor& executor) { return executor.counters().busy; }

// Whether the busy time grows while nothing else happens.
bool IsBusy(const DeviceExecutor& executor) {
  const nanoseconds before = BusyOf(executor);
  std::this_thread::sleep_for(milliseconds(5));
  return BusyOf(executor) - before >= milliseconds(5);
}

TEST(BusyDeviceTest, IsBusyWhileAnExecutionRuns) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  EXPECT_EQ(BusyOf(executor), nanoseconds(0));
  Gate gate;
  const ArrayPtr y = client.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  EXPECT_TRUE(IsBusy(executor));
  gate.door.Open();
  EXPECT_TRUE(Final(y).ok());
  executor.WaitUntilIdle(kForever);
  const nanoseconds busy = BusyOf(executor);
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(BusyOf(executor), busy);
}

TEST(BusyDeviceTest, UploadsAreNoExecutions) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  EXPECT_TRUE(Final(client.Upload({1, 2})).ok());
  EXPECT_TRUE(Final(client.Upload(std::vector<float>(1 << 20))).ok());
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(BusyOf(executor), nanoseconds(0));
}

TEST(BusyDeviceTest, ExecutionsThatFailBeforeTheirLaunchCountNothing) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const ArrayPtr x = client.NewArray(1);
  std::vector<ArrayPtr> results;
  for (int i = 0; i < 100; ++i) {
    results.push_back(client.Run("f", LoadedKernel(1, 1, AddOne), {x}));
  }
  x->Fail(absl::InternalError("broken"));
  for (const ArrayPtr& y : results) EXPECT_FALSE(Final(y).ok());
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(BusyOf(executor), nanoseconds(0));
}

TEST(BusyDeviceTest, TheWaitForAnInputIsNotCounted) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const ArrayPtr x = client.NewArray(1);
  const ArrayPtr y = client.Run("f", LoadedKernel(1, 1, AddOne), {x});
  // The launch is on its stream, which waits.
  x->Schedule(*device.Allocate(sizeof(float)), nullptr, 0);
  std::this_thread::sleep_for(milliseconds(500));
  x->Define();
  EXPECT_TRUE(Final(y).ok());
  executor.WaitUntilIdle(kForever);
  EXPECT_LT(BusyOf(executor), milliseconds(250));
}

TEST(BusyDeviceTest, ExecutionsSideBySideCountOnce) {
  FakeDevice device;
  device.side_by_side = 32;
  const auto begin = std::chrono::steady_clock::now();
  DeviceExecutor executor(device, 0, {.slice = kSlice});
  Client first({&executor}), second({&executor});
  Gate one, two;
  const ArrayPtr y = first.Run("one", one.kernel, {});
  one.door.AwaitArrival();
  const ArrayPtr z = second.Run("two", two.kernel, {});
  two.door.AwaitArrival();
  const nanoseconds before = BusyOf(executor);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_GE(BusyOf(executor) - before, milliseconds(50));
  two.door.Open();
  EXPECT_TRUE(Final(z).ok());
  EXPECT_TRUE(IsBusy(executor));
  one.door.Open();
  EXPECT_TRUE(Final(y).ok());
  executor.WaitUntilIdle(kForever);
  EXPECT_LE(BusyOf(executor), std::chrono::steady_clock::now() - begin);
}

TEST(BusyDeviceTest, ExecutionsThatTakeTurnsCountAsOne) {
  FakeDevice device;
  const auto begin = std::chrono::steady_clock::now();
  DeviceExecutor executor(device, 0, {.slice = kSlice});
  std::atomic<bool> stop{false};
  const auto kernel = LoadedKernel(0, 1, [&](const kernels::cpu::LaunchContext& context) {
    while (!stop.load()) {
      if (IsInterrupted(context) && !context.interrupt_handler->WaitWhilePaused()) {
        return absl::CancelledError("stopped");
      }
    }
    return absl::OkStatus();
  });
  Client first({&executor}), second({&executor});
  const ArrayPtr y = first.Run("one", kernel, {}), z = second.Run("two", kernel, {});
  EXPECT_TRUE(Eventually([&] { return executor.counters().suspensions >= 10; }));
  stop = true;
  EXPECT_TRUE(Final(y).ok());
  EXPECT_TRUE(Final(z).ok());
  executor.WaitUntilIdle(kForever);
  EXPECT_LE(BusyOf(executor), std::chrono::steady_clock::now() - begin);
  EXPECT_GE(BusyOf(executor), 10 * kSlice);
}

TEST(BusyDeviceTest, AnExpressExecutionKeepsTheDeviceBusyAlone) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice, .min_slice = kOneSlice});
  Client client({&executor}), other({&executor});
  Gate gate;
  Door express;
  const ArrayPtr y = client.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  std::thread thread([&] {
    other.Run("express",
              SteadyKernel(0, 1, microseconds(1),
                           [express](const auto&) {
                             express.Pass();
                             return absl::OkStatus();
                           }),
              {});
  });
  express.AwaitArrival();
  gate.door.Open();
  EXPECT_TRUE(Final(y).ok());
  EXPECT_TRUE(Eventually([&] { return executor.counters().queued == 1; }));
  EXPECT_TRUE(IsBusy(executor));
  express.Open();
  thread.join();
  executor.WaitUntilIdle(kForever);
  EXPECT_FALSE(IsBusy(executor));
}

}  // namespace
}  // namespace acceld::runtime
