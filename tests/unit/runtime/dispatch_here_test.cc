#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "server/runtime/device_executor.h"
#include "tests/support/eventually.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"

// Tasks that the submitting thread dispatches itself.
namespace acceld::runtime {
namespace {

using ::acceld::testing::Eventually;
using ::acceld::testing::FakeDevice;
using ::acceld::testing::LoadedKernel;
using ::acceld::testing::SteadyKernel;
using std::chrono::microseconds;

bool IsDefined(const ArrayPtr& array) { return array->state() == Array::State::kDefined; }

// The dispatch thread needs a moment until it rests, after which brief tasks pass it by.
TEST(DispatchHereTest, ABriefExecutionIsDoneWhenSubmitReturns) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const ArrayPtr x = client.Upload({41});
  std::thread::id thread;
  const auto kernel = SteadyKernel(1, 1, microseconds(1), [&](const auto& context) {
    thread = std::this_thread::get_id();
    return AddOne(context);
  });
  ArrayPtr y;
  EXPECT_TRUE(Eventually([&] {
    y = client.Run("f", kernel, {x});
    const bool done = IsDefined(y);
    executor.WaitUntilIdle(kForever);
    return done;
  }));
  EXPECT_EQ(thread, std::this_thread::get_id());
  EXPECT_EQ(FirstValue(executor, y), 42);
}

TEST(DispatchHereTest, ASmallUploadIsDoneWhenSubmitReturns) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  EXPECT_TRUE(Eventually([&] { return IsDefined(client.Upload({1, 2})); }));
  Gate gate;
  client.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  EXPECT_TRUE(Eventually([&] { return IsDefined(client.Upload({1, 2})); }));
  gate.door.Open();
  executor.WaitUntilIdle(kForever);
}

// The same kernel as before: what differs is that its client waits.
TEST(DispatchHereTest, AnAwaitedExecutionOfSomeHundredMicrosecondsRunsWhereItIsSubmitted) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  std::thread::id thread;
  const auto note = [&](const auto&) {
    thread = std::this_thread::get_id();
    return absl::OkStatus();
  };
  const auto runs_here = [&](microseconds cost, bool awaited) {
    auto [task, y] = client.Prepare("f", SteadyKernel(0, 100'000, cost, note), {});
    std::get<Execution>(task->work()).awaited = awaited;
    client.Submit(task);
    EXPECT_TRUE(Final(y).ok());
    executor.WaitUntilIdle(kForever);
    return thread == std::this_thread::get_id();
  };
  EXPECT_TRUE(Eventually([&] { return runs_here(microseconds(300), true); }));
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(runs_here(microseconds(300), false));
    EXPECT_FALSE(runs_here(std::chrono::hours(1), true));
  }
}

TEST(DispatchHereTest, WhatMayTakeLongNeverRunsWhereItIsSubmitted) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  bool here = false;
  const auto note = [&, self = std::this_thread::get_id()](const auto&) {
    here = here || std::this_thread::get_id() == self;
    return absl::OkStatus();
  };
  for (int i = 0; i < 50; ++i) {
    const auto depends_on_data = LoadedKernel(0, 1, note);
    depends_on_data->cost.Record(1);
    const auto large = SteadyKernel(0, 1 << 20, microseconds(1), note);
    const auto slow = SteadyKernel(0, 1, std::chrono::hours(1), note);
    for (const auto& kernel : {depends_on_data, large, slow, LoadedKernel(0, 1, note)}) {
      EXPECT_TRUE(Final(client.Run("f", kernel, {})).ok());
      executor.WaitUntilIdle(kForever);
    }
  }
  EXPECT_FALSE(here);
}

TEST(DispatchHereTest, BriefWorkGoesPastWhatTheDeviceDoesForOthers) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client a({&executor}), b({&executor});
  Gate gate;
  a.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  const auto kernel = SteadyKernel(1, 1, microseconds(1), AddOne);
  for (int i = 0; i < 3; ++i) {
    const ArrayPtr x = b.Upload({41});
    EXPECT_TRUE(IsDefined(x));
    const ArrayPtr y = b.Run("f", kernel, {x});
    EXPECT_TRUE(IsDefined(y));
    EXPECT_EQ(FirstValue(executor, y), 42);
  }
  gate.door.Open();
  executor.WaitUntilIdle(kForever);
}

// Holds the device for session `a`, and says what becomes of brief work of `b` meanwhile.
class PassingTest : public ::testing::Test {
 protected:
  PassingTest() {
    a_.Run("gate", gate_.kernel, {});
    gate_.door.AwaitArrival();
  }
  ~PassingTest() override {
    Open();
    executor_.WaitUntilIdle(kForever);
  }
  void Open() {
    if (!std::exchange(open_, true)) gate_.door.Open();
  }
  ArrayPtr RunBrief(Client& client, std::vector<ArrayPtr> inputs) {
    const int64_t count = static_cast<int64_t>(inputs.size());
    return client.Run("f", SteadyKernel(count, 1, microseconds(1), Nothing), std::move(inputs));
  }

  FakeDevice device_;
  DeviceExecutor executor_{device_, 0, {.slice = kOneSlice, .min_slice = kOneSlice}};
  Client a_{{&executor_}}, b_{{&executor_}};
  Gate gate_;
  bool open_ = false;
};

TEST_F(PassingTest, NothingGoesPastItsOwnSession) {
  EXPECT_FALSE(IsDefined(RunBrief(a_, {})));
  EXPECT_TRUE(IsDefined(RunBrief(b_, {})));
  b_.Run("long", LoadedKernel(0, 1, Nothing), {});
  EXPECT_FALSE(IsDefined(RunBrief(b_, {})));
}

TEST_F(PassingTest, WhatNeedsAnUnfinishedInputWaits) {
  const ArrayPtr pending = a_.Run("long", LoadedKernel(0, 1, Nothing), {});
  EXPECT_FALSE(IsDefined(RunBrief(b_, {pending})));
}

TEST_F(PassingTest, BatchWorkWaits) {
  Client batch({&executor_}, INT64_MAX, Priority::kBatch);
  EXPECT_FALSE(IsDefined(RunBrief(batch, {})));
}

TEST_F(PassingTest, ASessionThatHasHadMoreThanItsShareWaits) {
  for (int i = 0; i < 1'000'000; ++i) {
    if (!IsDefined(RunBrief(b_, {}))) return;
  }
  FAIL() << "a million executions went before those of others";
}

// A thread that runs brief work may lose its processor: here, behind a door.
TEST_F(PassingTest, BriefWorkDoesNotWaitForOtherBriefWorkThatIsStuck) {
  Door door;
  std::atomic<int> stuck{0};
  const auto kernel = SteadyKernel(0, 1, microseconds(1), [&](const auto&) {
    ++stuck;
    door.Pass();
    return absl::OkStatus();
  });
  Client c({&executor_});
  std::thread thread([&] { c.Run("stuck", kernel, {}); });
  EXPECT_TRUE(Eventually([&] { return stuck.load() == 1; }));
  EXPECT_TRUE(IsDefined(RunBrief(b_, {})));
  door.Open();
  thread.join();
}

TEST_F(PassingTest, BriefWorkPassesLaterIfItCannotAtOnce) {
  Door door;
  const auto stuck = [&](const auto&) {
    door.Pass();
    return absl::OkStatus();
  };
  // More than go past others at a time.
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; ++i) {
    Client& client =
        *clients.emplace_back(std::make_unique<Client>(std::vector<DeviceExecutor*>{&executor_}));
    threads.emplace_back(
        [&client, &stuck] { client.Run("stuck", SteadyKernel(0, 1, microseconds(1), stuck), {}); });
  }
  EXPECT_TRUE(Eventually([&] { return executor_.counters().queued == 41; }));
  const ArrayPtr last = RunBrief(b_, {});
  EXPECT_FALSE(IsDefined(last));
  door.Open();
  EXPECT_TRUE(Eventually([&] { return IsDefined(last); }));
  for (std::thread& thread : threads) thread.join();
  // Nobody is inside a kernel that uses the door but the fixture's.
  EXPECT_TRUE(Eventually([&] { return executor_.counters().queued == 1; }));
}

TEST_F(PassingTest, TheOutputsOfOneThatPassedServeOthers) {
  const ArrayPtr x = RunBrief(b_, {});
  ASSERT_TRUE(IsDefined(x));
  const ArrayPtr y = a_.Run("g", LoadedKernel(1, 1, Nothing), {x});
  Open();
  EXPECT_TRUE(Final(y).ok());
}

TEST(DispatchHereTest, AFailureIsKnownWhenSubmitReturns) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const auto kernel = SteadyKernel(0, 1, microseconds(1),
                                   [](const auto&) { return absl::InternalError("broken"); });
  EXPECT_TRUE(Eventually([&] {
    const ArrayPtr y = client.Run("f", kernel, {});
    const bool failed = y->state() == Array::State::kFailed;
    EXPECT_EQ(Final(y).message(), "program f: broken");
    return failed;
  }));
  executor.WaitUntilIdle(kForever);
}

TEST(DispatchHereTest, MemoryThatIsShortIsWaitedForElsewhere) {
  FakeDevice device(1 << 10);
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  Door door;
  ArrayPtr held = client.Run("gate",
                             LoadedKernel(0, 200,
                                          [door](const auto&) {
                                            door.Pass();
                                            return absl::OkStatus();
                                          }),
                             {});
  door.AwaitArrival();
  const ArrayPtr x = client.Upload(std::vector<float>(100, 1.0f));
  EXPECT_FALSE(IsDefined(x));
  held.reset();
  door.Open();
  EXPECT_TRUE(Final(x).ok());
  executor.WaitUntilIdle(kForever);
}

TEST(DispatchHereTest, WhoWaitsForMemoryLooksAgainWhenATaskIsLeftToTheDispatcher) {
  FakeDevice device(4 << 10);
  std::atomic<bool> dispatcher_searches{false};
  const auto note_search = [&](int64_t) {
    dispatcher_searches.store(true);
    return int64_t{0};
  };
  DeviceExecutor executor(device, 0,
                          {.memory = {.unload_executables = note_search},
                           .memory_wait = std::chrono::hours(1),
                           .slice = kOneSlice});
  Client a({&executor}), b({&executor}), c({&executor});
  Gate gate;
  a.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  ArrayPtr x;
  device.before_allocate = [&, self = std::this_thread::get_id(), calls = 0]() mutable {
    if (std::this_thread::get_id() != self || ++calls != 2) return;
    // The output has its memory, which will be given back as there is none for the arena.
    x = c.Upload(std::vector<float>(700));
    EXPECT_TRUE(Eventually([&] { return dispatcher_searches.load(); }));
    // Nothing tells when the dispatcher has gone on to wait.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  const ArrayPtr y = b.Run("f", SteadyKernel(0, 400, microseconds(1), Nothing, 3000), {});
  EXPECT_TRUE(x != nullptr && Eventually([&] { return IsDefined(x); }));
  gate.door.Open();
  EXPECT_EQ(Final(y).code(), absl::StatusCode::kResourceExhausted);
  executor.WaitUntilIdle(kForever);
}

TEST(DispatchHereTest, ALongChainThatBecomesRunnableDoesNotRecurse) {
  constexpr int kLength = 20'000;
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  Client client({&executor});
  const auto kernel = SteadyKernel(1, 1, microseconds(1), AddOne);
  const ArrayPtr x = client.NewArray(1);
  ArrayPtr y = x;
  for (int i = 0; i < kLength; ++i) y = client.Run("f", kernel, {y});
  client.UploadTo(x, {1});
  EXPECT_EQ(FirstValue(executor, y), kLength + 1);
  executor.WaitUntilIdle(kForever);
}

TEST(DispatchHereTest, ManyThreadsSubmitAtOnce) {
  FakeDevice device;
  DeviceExecutor executor(device, 0, {.slice = kOneSlice});
  const auto kernel = SteadyKernel(1, 1, microseconds(1), AddOne);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Client client({&executor});
      ArrayPtr y = client.Upload({0});
      for (int i = 0; i < 2000; ++i) {
        y = client.Run("f", kernel, {y});
        if (i % 10 == 0) (void)Final(y);
      }
      EXPECT_EQ(FirstValue(executor, y), 2000);
    });
  }
  for (std::thread& thread : threads) thread.join();
  executor.WaitUntilIdle(kForever);
  EXPECT_EQ(executor.counters().executions, 8000u);
}

}  // namespace
}  // namespace acceld::runtime
