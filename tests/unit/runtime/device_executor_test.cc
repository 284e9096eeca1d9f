#include "server/runtime/device_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"

namespace acceld::runtime {
namespace {

using ::acceld::testing::F32;
using ::acceld::testing::FakeDevice;
using ::acceld::testing::LoadedKernel;
using ::testing::HasSubstr;
TEST(DeviceExecutorTest, UploadsRunAndComeBack) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const ArrayPtr y = client.Run("f", LoadedKernel(1, 3, AddOne), {client.Upload({41, 0, 0})});
  EXPECT_EQ(FirstValue(executor, y), 42);
  EXPECT_EQ(client.account().bytes(), 12);
  executor.WaitUntilIdle(kForever);
}

TEST(DeviceExecutorTest, TenThousandDependentExecutionsHoldBoundedMemory) {
  constexpr int64_t kElements = 256;  // 1 KiB
  FakeDevice device(100 << 10);
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const auto kernel = LoadedKernel(1, kElements, AddOne, /*arena_bytes=*/1024);
  ArrayPtr y = client.Upload(std::vector<float>(kElements, 0.0f));
  for (int i = 0; i < 10'000; ++i) y = client.Run("f", kernel, {y});
  EXPECT_EQ(FirstValue(executor, y), 10'000);
  executor.WaitUntilIdle(kForever);
  y.reset();
  EXPECT_EQ(client.account().arrays(), 0);
  EXPECT_EQ(client.account().bytes(), 0);
  EXPECT_EQ(device.memory().used_bytes, 0);
}

TEST(DeviceExecutorTest, AFailureReachesTenThousandDependentsUnchanged) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  auto [task, y] = client.RunLater("first", {});
  const auto kernel = LoadedKernel(1, 1, AddOne);
  for (int i = 0; i < 10'000; ++i) y = client.Run("later", kernel, {y});
  executor.Provide(task, absl::UnimplementedError("no lowering for fft"));
  const absl::Status error = Final(y);
  EXPECT_EQ(error.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(error.message(), "program first: no lowering for fft");
  executor.WaitUntilIdle(kForever);
}

TEST(DeviceExecutorTest, AFailingLaunchPoisonsWhatWasLaunchedAfterIt) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  Door door;
  const auto failing = LoadedKernel(0, 1, [&](const auto&) {
    door.Pass();
    return absl::InternalError("library call failed");
  });
  const ArrayPtr bad = client.Run("bad", failing, {});
  const ArrayPtr derived = client.Run("g", LoadedKernel(1, 1, AddOne),
                                      {client.Run("f", LoadedKernel(1, 1, AddOne), {bad})});
  const ArrayPtr other = client.Upload({1});
  door.Open();
  EXPECT_EQ(Final(derived).message(), "program bad: library call failed");
  EXPECT_TRUE(Final(other).ok());
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(client.account().bytes(), 4);
}

TEST(DeviceExecutorTest, RunAheadIsBounded) {
  constexpr int kMaxInFlight = 4;
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.max_in_flight = kMaxInFlight, .slice = kOneSlice});
  Client client({&executor});
  Mutex mutex;
  std::vector<ArrayPtr> outputs;
  int most = 0;
  const auto kernel = LoadedKernel(0, 1, [&](const auto&) {
    MutexLock lock(mutex);
    int scheduled = 0;
    for (const ArrayPtr& output : outputs) scheduled += output->state() == Array::State::kScheduled;
    most = std::max(most, scheduled);
    return absl::OkStatus();
  });
  for (int i = 0; i < 200; ++i) {
    ArrayPtr output = client.Run("f", kernel, {});
    MutexLock lock(mutex);
    outputs.push_back(std::move(output));
  }
  executor.WaitUntilIdle(kForever);
  EXPECT_LE(most, kMaxInFlight);
  EXPECT_EQ(executor.counters().executions, 200u);
}

TEST(DeviceExecutorTest, AFloodDelaysWorkOfOthersByTheKernelThatRuns) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client a({&executor}), b({&executor});
  Gate gate;
  std::string order;  // written by the stream's thread only
  a.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  for (int i = 0; i < 6; ++i) a.Run("a", Noting(order, 'a'), {});
  b.Run("b", Noting(order, 'b'), {});
  gate.door.Open();
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(order, "baaaaaa");
}

TEST(DeviceExecutorTest, HigherPrioritiesGoFirst) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client batch({&executor}, INT64_MAX, Priority::kBatch);
  Client normal({&executor}, INT64_MAX, Priority::kNormal);
  Client interactive({&executor}, INT64_MAX, Priority::kInteractive);
  Gate gate;
  std::string order;
  batch.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  for (int i = 0; i < 3; ++i) batch.Run("b", Noting(order, 'b'), {});
  normal.Run("n", Noting(order, 'n'), {});
  interactive.Run("i", Noting(order, 'i'), {});
  gate.door.Open();
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(order, "inbbb");
}

TEST(DeviceExecutorTest, NothingIsLaunchedBehindAKernelOfUnknownCost) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  Gate gate;
  client.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  const ArrayPtr second = client.Run("f", LoadedKernel(0, 1, Nothing), {});
  // The dispatcher has looked at the second execution when later uploads are through.
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Final(client.Upload({1})).ok());
  EXPECT_EQ(second->state(), Array::State::kPending);
  gate.door.Open();
  EXPECT_TRUE(Final(second).ok());
  executor.WaitUntilIdle(kForever);
}

TEST(DeviceExecutorTest, UploadsPassKernels) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  Gate gate;
  client.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  for (int i = 0; i < 100; ++i) client.Run("f", LoadedKernel(0, 1, Nothing), {});
  std::vector<ArrayPtr> uploads;
  for (int i = 0; i < 200; ++i) uploads.push_back(client.Upload(std::vector<float>(10'000)));
  for (const ArrayPtr& upload : uploads) EXPECT_TRUE(Final(upload).ok());
  gate.door.Open();
  executor.WaitUntilIdle(kForever);
}

TEST(DeviceExecutorTest, WhatExecutionsTookIsKnownAfterwards) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const auto kernel = LoadedKernel(0, 1, Nothing);
  EXPECT_EQ(kernel->cost.ns(), 0);
  EXPECT_TRUE(Final(client.Run("f", kernel, {})).ok());
  EXPECT_GT(kernel->cost.ns(), 0);
  executor.WaitUntilIdle(kForever);
}

TEST(DeviceExecutorTest, WhenMemoryIsShortDispatchWaitsForWorkInFlight) {
  constexpr int64_t kElements = 256;
  FakeDevice device(3 << 10);
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const auto kernel = LoadedKernel(0, kElements, Nothing);
  for (int i = 0; i < 100; ++i) client.Run("f", kernel, {});
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(executor.counters().executions, 100u);
}

TEST(DeviceExecutorTest, ARequestThatNeverFitsFailsAloneAndSaysSo) {
  FakeDevice device(64 << 10);
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const ArrayPtr huge = client.Run("huge", LoadedKernel(0, 1 << 20, Nothing), {});
  const ArrayPtr fine = client.Run("fine", LoadedKernel(0, 1, Nothing), {});
  const absl::Status error = Final(huge);
  EXPECT_EQ(error.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(error.message()), HasSubstr("program huge: device memory: 4194304"));
  EXPECT_TRUE(Final(fine).ok());
  executor.WaitUntilIdle(kForever);
}

TEST(DeviceExecutorTest, ASessionsByteLimitHoldsForItAlone) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client small({&executor}, /*limit_bytes=*/8), large({&executor});
  const auto kernel = LoadedKernel(0, 2, Nothing);
  const ArrayPtr first = small.Run("f", kernel, {});
  const ArrayPtr second = small.Run("f", kernel, {});
  const ArrayPtr other = large.Run("f", kernel, {});
  EXPECT_TRUE(Final(first).ok());
  EXPECT_THAT(std::string(Final(second).message()), HasSubstr("session memory: 8 bytes"));
  EXPECT_TRUE(Final(other).ok());
  executor.WaitUntilIdle(kForever);
}

TEST(DeviceExecutorTest, CancelFailsWhatIsQueuedAndFreesIt) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.max_in_flight = 1, .slice = kOneSlice});
  Client client({&executor});
  Door door;
  ArrayPtr y = client.Run("gate",
                          LoadedKernel(0, 1,
                                       [&](const auto&) {
                                         door.Pass();
                                         return absl::OkStatus();
                                       }),
                          {});
  for (int i = 0; i < 100; ++i) y = client.Run("f", LoadedKernel(1, 1, AddOne), {y});
  auto [compiling, waiting] = client.RunLater("g", {y});
  client.Cancel();
  EXPECT_EQ(Final(y).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Final(waiting).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Final(client.Run("late", LoadedKernel(0, 1, Nothing), {})).code(),
            absl::StatusCode::kCancelled);
  door.Open();
  executor.Provide(compiling, LoadedKernel(1, 1, AddOne));
  executor.WaitUntilIdle(kForever);
  y.reset();
  waiting.reset();
  EXPECT_EQ(client.account().arrays(), 0);
  EXPECT_EQ(device.memory().used_bytes, 0);
}

TEST(DeviceExecutorTest, InputsOfAnotherDeviceAreCopiedOver) {
  FakeDevice devices[2];
  DeviceExecutor first(devices[0], 0, {.slice = kOneSlice});
  DeviceExecutor second(devices[1], 1, {.slice = kOneSlice});
  Client client({&first, &second});
  const auto kernel = LoadedKernel(1, 1, AddOne);
  ArrayPtr y = client.Upload({0}, 0);
  for (int i = 0; i < 100; ++i) y = client.Run("f", kernel, {y}, i % 2);
  EXPECT_EQ(FirstValue(second, y), 100);
  first.WaitUntilIdle(kForever);
  second.WaitUntilIdle(kForever);
}

TEST(DeviceExecutorTest, AFailureCrossesDevices) {
  FakeDevice devices[2];
  DeviceExecutor first(devices[0], 0, {.slice = kOneSlice});
  DeviceExecutor second(devices[1], 1, {.slice = kOneSlice});
  Client client({&first, &second});
  Door door;
  const ArrayPtr bad = client.Run("bad",
                                  LoadedKernel(0, 1,
                                               [&](const auto&) {
                                                 door.Pass();
                                                 return absl::InternalError("broken");
                                               }),
                                  {}, 0);
  const ArrayPtr derived = client.Run("f", LoadedKernel(1, 1, AddOne), {bad}, 1);
  door.Open();
  EXPECT_EQ(Final(derived).message(), "program bad: broken");
  first.WaitUntilIdle(kForever);
  second.WaitUntilIdle(kForever);
}

}  // namespace
}  // namespace acceld::runtime
