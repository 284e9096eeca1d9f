// Executions whose results nobody can read any more.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "server/runtime/device_executor.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"

namespace acceld::runtime {
namespace {

using ::acceld::testing::FakeDevice;
using ::acceld::testing::LoadedKernel;

class UnreadTest : public ::testing::Test {
 protected:
  // Gives a pointer for readers, of which there is no other.
  ArrayPtr Run(std::shared_ptr<const hal::LoadedExecutable> kernel, std::vector<ArrayPtr> inputs) {
    auto [task, output] = client_.Prepare("f", std::move(kernel), std::move(inputs));
    ArrayPtr reader = executor_.ReaderOf(task, std::move(output));
    client_.Submit(task);
    return reader;
  }

  FakeDevice device_;
  DeviceExecutor executor_{device_, 0, {.slice = kOneSlice}};
  Client client_{{&executor_}};
};

TEST(Readers, TheMemoryOfAnArrayGoesWithTheLastOfThem) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {});
  Client client({&executor});
  ArrayPtr reader = Array::ForReaders(client.Upload({1}));
  ASSERT_TRUE(Final(reader).ok());
  executor.WaitUntilIdle(kForever);
  const std::weak_ptr<Array> weak = reader;
  ArrayPtr another = reader;
  reader.reset();
  EXPECT_GT(device.memory().used_bytes, 0);
  EXPECT_FALSE(weak.expired());
  another.reset();
  EXPECT_EQ(device.memory().used_bytes, 0);
  EXPECT_EQ(client.account().bytes(), 0);
  EXPECT_TRUE(weak.expired());
}

TEST(Readers, OnesThatAreLeftWithAnArrayThatIsFinalAreNotMissed) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {});
  Client client({&executor});
  int unread = 0;
  ArrayPtr pending = Array::ForReaders(client.NewArray(1), [&] { ++unread; });
  const ArrayPtr array = client.Upload({1});
  ASSERT_TRUE(Final(array).ok());
  ArrayPtr final = Array::ForReaders(array, [&] { ++unread; });
  final.reset();
  EXPECT_EQ(unread, 0);
  pending.reset();
  EXPECT_EQ(unread, 1);
}

TEST_F(UnreadTest, WhatIsQueuedNeverRuns) {
  Gate gate;
  const ArrayPtr held = Run(gate.kernel, {});
  gate.door.AwaitArrival();
  bool ran = false;
  ArrayPtr dropped = Run(LoadedKernel(0, 1,
                                      [&](const auto&) {
                                        ran = true;
                                        return absl::OkStatus();
                                      }),
                         {});
  dropped.reset();
  const ArrayPtr next = Run(LoadedKernel(0, 1, Nothing), {});
  // Ends first only if it was told to.
  while (executor_.counters().queued > 2) std::this_thread::yield();
  gate.door.Open();
  EXPECT_TRUE(Final(held).ok());
  EXPECT_TRUE(Final(next).ok());
  executor_.WaitUntilIdle(kForever);
  EXPECT_FALSE(ran);
}

TEST_F(UnreadTest, WhatRunsIsToldToStop) {
  Promise<Unit> promise;
  const Event started = promise.future();
  ArrayPtr dropped = Run(LoadedKernel(0, 1,
                                      [&](const kernels::cpu::LaunchContext& context) {
                                        promise.Set(Unit{});
                                        while (!IsInterrupted(context)) std::this_thread::yield();
                                        return absl::CancelledError("told to stop");
                                      }),
                         {});
  (void)started.Await();
  dropped.reset();
  executor_.WaitUntilIdle(kForever);
  EXPECT_EQ(executor_.counters().failures, 0U);
  EXPECT_EQ(device_.memory().used_bytes, 0);
}

TEST_F(UnreadTest, AChainThatIsDroppedEndsAsAWhole) {
  Gate gate;
  ArrayPtr last = Run(gate.kernel, {});
  gate.door.AwaitArrival();
  for (int i = 0; i < 100'000; ++i) last = Run(LoadedKernel(1, 1, AddOne), {std::move(last)});
  last.reset();
  while (executor_.counters().queued > 1) std::this_thread::yield();
  gate.door.Open();
  executor_.WaitUntilIdle(kForever);
  EXPECT_EQ(executor_.counters().executions, 0U);
  EXPECT_EQ(executor_.counters().failures, 0U);
}

TEST_F(UnreadTest, WhatAnotherReadsGoesOn) {
  Gate gate;
  ArrayPtr x = Run(gate.kernel, {});
  gate.door.AwaitArrival();
  ArrayPtr y = Run(LoadedKernel(1, 1, AddOne), {x});
  const ArrayPtr z = Run(LoadedKernel(1, 1, AddOne), {y});
  x.reset();
  y.reset();
  gate.door.Open();
  EXPECT_TRUE(Final(z).ok()) << z->error();
}

TEST_F(UnreadTest, OneResultThatIsHeldIsEnough) {
  Gate gate;
  auto executable = std::make_shared<hal::Executable>();
  executable->results = {testing::F32({1}), testing::F32({1})};
  const auto two = std::make_shared<const hal::LoadedExecutable>(
      std::move(executable),
      std::make_shared<const testing::FakeModule>([door = gate.door](const auto&) {
        door.Pass();
        return absl::OkStatus();
      }));
  auto [task, output] = client_.Prepare("f", two, {});
  ArrayPtr second_output = client_.NewArray(1);
  task->outputs.push_back(second_output);
  ArrayPtr first = executor_.ReaderOf(task, std::move(output));
  const ArrayPtr second = executor_.ReaderOf(task, std::move(second_output));
  client_.Submit(task);
  gate.door.AwaitArrival();
  first.reset();
  gate.door.Open();
  EXPECT_TRUE(Final(second).ok()) << second->error();
}

TEST_F(UnreadTest, AnArgumentThatWasDonatedIsReturned) {
  Gate gate;
  const ArrayPtr held = Run(gate.kernel, {});
  gate.door.AwaitArrival();
  ArrayPtr x = Array::ForReaders(client_.Upload({1}));
  ASSERT_TRUE(Final(x).ok());
  auto [task, output] = client_.Prepare("f", LoadedKernel(1, 1, AddOne), {std::move(x)});
  auto& execution = std::get<Execution>(task->work());
  const auto donation = std::make_shared<Donation>(execution.program_name, 0);
  execution.donated.push_back({.argument = 0, .donation = donation});
  ArrayPtr dropped = executor_.ReaderOf(task, std::move(output));
  client_.Submit(task);
  dropped.reset();
  while (donation->returned() == nullptr) std::this_thread::yield();
  gate.door.Open();
  EXPECT_EQ(FirstValue(executor_, donation->returned()), 1);
}

}  // namespace
}  // namespace acceld::runtime
