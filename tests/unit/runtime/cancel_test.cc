#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "server/runtime/device_executor.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"

// Cancelling one task.
namespace acceld::runtime {
namespace {

using ::acceld::testing::FakeDevice;
using ::acceld::testing::LoadedKernel;

const absl::Status kReason = absl::AbortedError("nobody wants it");

TEST(CancelTest, WhatIsQueuedNeverRunsAndItsDependentsFailWithTheReason) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  Gate gate;
  const ArrayPtr x = client.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  bool ran = false;
  const auto noting = LoadedKernel(1, 1, [&](const auto&) {
    ran = true;
    return absl::OkStatus();
  });
  const auto [runnable, y] = client.Start("f", noting, {x});
  const auto [waiting, z] = client.RunLater("g", {x});
  const ArrayPtr derived = client.Run("h", LoadedKernel(1, 1, AddOne), {y});
  executor.Cancel(runnable, kReason);
  executor.Cancel(waiting, kReason);
  EXPECT_EQ(Final(y), kReason);
  EXPECT_EQ(Final(z), kReason);
  gate.door.Open();
  EXPECT_EQ(Final(derived), kReason);
  EXPECT_TRUE(Final(x).ok());
  executor.Provide(waiting, noting);
  executor.WaitUntilIdle(kForever);
  EXPECT_FALSE(ran);
}

TEST(CancelTest, WhatRunsFailsAtOnceAndIsToldToStop) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  Promise<Unit> promise;
  const Event started = promise.future();
  const auto spin = LoadedKernel(0, 1, [&](const kernels::cpu::LaunchContext& context) {
    promise.Set(Unit{});
    while (!IsInterrupted(context)) std::this_thread::yield();
    return absl::CancelledError("told to stop");
  });
  auto [task, y] = client.Start("spin", spin, {});
  (void)started.Await();
  executor.Cancel(task, kReason);
  EXPECT_EQ(Final(y), kReason);
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(y->error(), kReason);
  EXPECT_EQ(client.account().bytes(), 0);
  EXPECT_EQ(device.memory().used_bytes, 0);
  EXPECT_EQ(spin->cost.ns(), 0);
}

TEST(CancelTest, WhatWasLaunchedBehindOneThatFailsIsToldToStop) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  Door door;
  const auto fails = LoadedKernel(0, 1, [&](const auto&) {
    door.Pass();
    return absl::DataLossError("broken");
  });
  fails->cost.Record(1);  // So that others are launched behind it.
  // Never ends with what it finds in its input's memory.
  const auto spin = LoadedKernel(1, 1, [](const kernels::cpu::LaunchContext& context) {
    while (!IsInterrupted(context)) std::this_thread::yield();
    return absl::CancelledError("told to stop");
  });
  spin->cost.Record(1);
  const ArrayPtr x = client.Run("fails", fails, {});
  door.AwaitArrival();
  const ArrayPtr y = client.Run("spin", spin, {x});
  const ArrayPtr z = client.Run("spin again", spin, {y});
  while (z->state() == Array::State::kPending) std::this_thread::yield();
  door.Open();
  EXPECT_EQ(Final(z).message(), "program fails: broken");
  EXPECT_EQ(Final(y), Final(z));
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(device.memory().used_bytes, 0);
}

TEST(CancelTest, WhatAKernelThatDoesNotListenWritesIsDiscarded) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  Gate gate;
  const auto [task, y] = client.Start("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  executor.Cancel(task, kReason);
  EXPECT_EQ(Final(y), kReason);
  const ArrayPtr derived = client.Run("f", LoadedKernel(1, 1, AddOne), {y});
  const ArrayPtr other = client.Run("f", LoadedKernel(0, 1, Nothing), {});
  gate.door.Open();
  EXPECT_EQ(Final(derived), kReason);
  EXPECT_TRUE(Final(other).ok());
  EXPECT_EQ(y->state(), Array::State::kFailed);
  executor.WaitUntilIdle(kForever);
}

TEST(CancelTest, OneLaunchIsToldToStopNotItsNeighbour) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  Door door;
  bool told = false;
  const auto kernel = LoadedKernel(0, 1, [&](const auto& context) {
    door.Pass();
    told = IsInterrupted(context);
    return absl::OkStatus();
  });
  const ArrayPtr y = client.Run("f", kernel, {});
  door.AwaitArrival();
  const auto [task, z] = client.Start("g", LoadedKernel(0, 1, Nothing), {});
  executor.Cancel(task, kReason);
  door.Open();
  EXPECT_TRUE(Final(y).ok());
  EXPECT_EQ(Final(z), kReason);
  executor.WaitUntilIdle(kForever);
  EXPECT_FALSE(told);
}

TEST(CancelTest, ATaskThatIsNotSubmittedYetFailsWhenItIs) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const auto [task, y] = client.Prepare("f", LoadedKernel(0, 1, Nothing), {});
  executor.Cancel(task, kReason);
  EXPECT_EQ(y->state(), Array::State::kPending);
  client.Submit(task);
  EXPECT_EQ(y->error(), kReason);
  executor.WaitUntilIdle(kForever);
}

TEST(CancelTest, WhatIsFinalStaysAndTheFirstReasonCounts) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const auto [done, x] = client.Start("f", LoadedKernel(0, 1, Nothing), {});
  EXPECT_TRUE(Final(x).ok());
  executor.WaitUntilIdle(kForever);
  executor.Cancel(done, kReason);
  EXPECT_EQ(x->state(), Array::State::kDefined);
  const auto [later, y] = client.RunLater("g", {});
  executor.Cancel(later, kReason);
  executor.Cancel(later, absl::InternalError("again"));
  EXPECT_EQ(Final(y), kReason);
  executor.Provide(later, absl::InternalError("no executable"));
  executor.WaitUntilIdle(kForever);
}

TEST(CancelTest, RacesWithEverythingAndSettlesEachTaskOnce) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const auto brief = testing::SteadyKernel(0, 1, std::chrono::microseconds(1), Nothing);
  const auto other = LoadedKernel(0, 1, Nothing);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::shared_ptr<Task>> tasks;
    std::vector<ArrayPtr> outputs;
    for (int i = 0; i < 20; ++i) {
      auto [task, y] = client.Prepare("f", i % 2 == 0 ? brief : other, {});
      tasks.push_back(task);
      outputs.push_back(y);
    }
    std::thread cancelling([&] {
      for (const auto& task : tasks) executor.Cancel(task, kReason);
    });
    for (const auto& task : tasks) client.Submit(task);
    cancelling.join();
    for (const ArrayPtr& y : outputs) {
      const absl::Status status = Final(y);
      EXPECT_TRUE(status.ok() || status == kReason) << status;
    }
  }
  executor.WaitUntilIdle(kForever);
}

}  // namespace
}  // namespace acceld::runtime
