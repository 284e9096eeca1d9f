#include "server/runtime/gang/gang_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/threads/mutex.h"
#include "server/runtime/device_executor.h"
#include "server/runtime/gang/gang.h"
#include "tests/support/eventually.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"
#include "tests/unit/runtime/gang/gang_client.h"

// When gangs begin that want the same devices.
namespace acceld::runtime {
namespace {

using ::acceld::testing::Eventually;
using ::acceld::testing::LoadedKernel;
using ::acceld::testing::SteadyKernel;
using ::testing::Each;

// Of executions that could make host calls, and make none.
class SilentHost final : public HostCallSender {
 public:
  absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t) override {
    return absl::UnimplementedError("no host calls");
  }
  absl::StatusOr<uint64_t> Ask(const kernels::HostCall&, std::vector<SharedBytes>,
                               Answer) override {
    return absl::UnimplementedError("no host calls");
  }
  void Withdraw(uint64_t) override {}
  void OnEnd(const absl::Status&) override {}
};

class GangSchedulerTest : public ::testing::Test {
 protected:
  // A gang whose members wait at the door. The first one notes the name when it begins.
  GangLaunch Prepare(GangClient& session, const std::vector<int>& devices, char name,
                     const Door& door) {
    const auto waits = [door](const LaunchContext&) {
      door.Pass();
      return absl::OkStatus();
    };
    std::vector<Executable> members(devices.size(), LoadedKernel(0, 1, waits));
    members[0] = LoadedKernel(0, 1, [this, name, waits](const LaunchContext& context) {
      {
        const MutexLock lock(mutex_);
        order_ += name;
      }
      return waits(context);
    });
    return session.Prepare(devices, members);
  }
  // Starts such a gang; its end is awaited by Order.
  GangLaunch Start(GangClient& session, const std::vector<int>& devices, char name,
                   const Door& door) {
    GangLaunch launch = Prepare(session, devices, name, door);
    session.Submit(launch);
    launches_.push_back(launch);
    return launch;
  }
  GangLaunch Start(GangClient& session, const std::vector<int>& devices, char name) {
    return Start(session, devices, name, open_);
  }
  GangScheduler::Counters counters() { return cluster_.gangs().counters(); }
  std::string OrderSoFar() {
    const MutexLock lock(mutex_);
    return order_;
  }
  // Returns the order in which the gangs have begun, once all have ended.
  std::string Order() {
    for (const GangLaunch& launch : launches_) (void)Ends(launch);
    cluster_.WaitUntilIdle();
    EXPECT_EQ(counters().running, 0);
    EXPECT_EQ(counters().waiting, 0);
    return OrderSoFar();
  }

  GangSchedulerTest() { open_.Open(); }

  Mutex mutex_;
  std::string order_ ABSL_GUARDED_BY(mutex_);
  std::vector<GangLaunch> launches_;
  Door open_;
  Cluster cluster_{4};
  GangClient a_{cluster_, 1}, b_{cluster_, 2}, c_{cluster_, 3};
};

TEST_F(GangSchedulerTest, WhatSharesADeviceWaitsAndWhatSharesNoneDoesNot) {
  Door door;
  Start(a_, {0, 1}, 'a', door);
  Start(b_, {1, 2}, 'b');
  Start(c_, {3}, 'c');
  EXPECT_TRUE(Eventually([&] { return counters().running == 1; }));
  EXPECT_EQ(counters().waiting, 1);
  EXPECT_EQ(cluster_.gangs().RunningOn(0), 1);
  EXPECT_EQ(cluster_.gangs().RunningOn(2), 0);
  EXPECT_TRUE(Eventually([&] { return OrderSoFar().size() == 2; }));
  door.Open();
  EXPECT_EQ(Order().back(), 'b');
  EXPECT_EQ(counters().begun, 3u);
}

TEST_F(GangSchedulerTest, AGangOfAllDevicesIsNotOvertakenForEver) {
  Door door;
  Start(a_, {0, 1}, 'a', door);
  Start(b_, {0, 1, 2, 3}, 'b');
  for (int i = 0; i < 5; ++i) {
    Start(a_, {0, 1}, '1');
    Start(c_, {2, 3}, '2');
  }
  EXPECT_EQ(counters().running, 1);
  EXPECT_EQ(counters().waiting, 11);
  door.Open();
  EXPECT_EQ(Order().substr(0, 2), "ab");
}

TEST_F(GangSchedulerTest, AGangThatIsCancelledLetsThoseBehindItBegin) {
  Door door;
  Start(a_, {0, 1}, 'a', door);
  const GangLaunch between = Start(b_, {1, 2}, 'b');
  Start(c_, {2, 3}, 'c');
  EXPECT_EQ(counters().waiting, 2);
  between.gang->Cancel(absl::AbortedError("nobody wants it"));
  EXPECT_EQ(counters().waiting, 0);
  EXPECT_TRUE(Eventually([&] { return OrderSoFar().find('c') != std::string::npos; }));
  EXPECT_THAT(Ends(between), Each(absl::AbortedError("nobody wants it")));
  door.Open();
  EXPECT_EQ(Order().size(), 2u);
}

TEST_F(GangSchedulerTest, SomeOfOneQueueAreOnTheDevicesAtATime) {
  Door door;
  for (const char name : {'1', '2', '3', '4', '5', '6'}) Start(a_, {0, 1}, name, door);
  EXPECT_EQ(cluster_.gangs().RunningOn(0), 4);
  EXPECT_EQ(cluster_.gangs().RunningOn(1), 4);
  EXPECT_EQ(counters().waiting, 2);
  door.Open();
  EXPECT_EQ(Order(), "123456");
}

TEST_F(GangSchedulerTest, ButNotWithOtherDevicesOrInAnotherOrderOfThem) {
  Door door;
  Start(a_, {0, 1}, '1', door);
  Start(a_, {1, 0}, '2');
  Start(a_, {0, 1, 2}, '3');
  EXPECT_EQ(counters().running, 1);
  EXPECT_EQ(counters().waiting, 2);
  door.Open();
  EXPECT_EQ(Order(), "123");
}

// Executors begin other tasks of the queue while such a run waits for its client.
TEST_F(GangSchedulerTest, NorWithHostCalls) {
  Door door;
  Start(a_, {0, 1}, '1', door);
  const GangLaunch calls = Prepare(a_, {0, 1}, '2', open_);
  for (const auto& task : calls.tasks) task->execution()->host = std::make_shared<SilentHost>();
  a_.Submit(calls);
  launches_.push_back(calls);
  Start(a_, {0, 1}, '3');
  EXPECT_EQ(counters().running, 1);
  EXPECT_EQ(counters().waiting, 2);
  door.Open();
  EXPECT_EQ(Order(), "123");
  EXPECT_THAT(Ends(calls), Each(absl::OkStatus()));
}

TEST_F(GangSchedulerTest, QueuesTakeTurns) {
  Door door;
  for (int i = 0; i < 8; ++i) Start(a_, {0, 1}, 'a', door);
  Start(b_, {1, 0}, 'b');
  Start(b_, {1, 0}, 'b');
  door.Open();
  // Those that have begun already are four.
  EXPECT_EQ(Order(), "aaaababaaa");
}

TEST_F(GangSchedulerTest, HigherClassesHaveMoreTurnsAndLowerOnesHaveSome) {
  GangClient urgent(cluster_, 4, Priority::kInteractive), batch(cluster_, 5, Priority::kBatch);
  Door door;
  Start(urgent, {0, 1}, 'u', door);
  Start(batch, {0, 1}, 'b');
  Start(batch, {0, 1}, 'b');
  for (int i = 0; i < 10; ++i) Start(urgent, {0, 1}, 'u');
  door.Open();
  EXPECT_EQ(Order(), "ub" + std::string(10, 'u') + "b");
}

// Two sessions with sets of devices that overlap, in opposite orders, beside executions in no gang.
TEST(GangSchedulerStressTest, OverlappingDevicesMakeNoDeadlock) {
  constexpr int kRounds = 1000;
  const std::vector<std::vector<int>> sets = {{0, 1}, {1, 0}, {0, 1, 2}, {2, 1}};
  std::vector<std::vector<Executable>> sums;
  for (const std::vector<int>& devices : sets) {
    std::vector<Executable>& members = sums.emplace_back();
    const auto count = static_cast<int>(devices.size());
    for (int i = 0; i < count; ++i) {
      members.push_back(SteadyKernel(0, 1, std::chrono::microseconds(20),
                                     [i, count](const LaunchContext& context) -> absl::Status {
                                       ACCELD_ASSIGN_OR_RETURN(
                                           Result(context),
                                           Sum(context, count, static_cast<float>(i + 1)));
                                       return absl::OkStatus();
                                     }));
    }
  }
  std::atomic<int> running{2};
  std::atomic<int> others{0};
  Cluster cluster(3, {.slice = std::chrono::milliseconds(2)});
  const auto check = [&](const GangLaunch& launch) {
    const auto count = static_cast<float>(launch.outputs.size());
    for (const ArrayPtr& output : launch.outputs) {
      EXPECT_EQ(FirstValue(cluster.executor(output->device()), output), count * (count + 1) / 2);
    }
  };
  std::vector<std::thread> threads;
  for (const bool backwards : {false, true}) {
    threads.emplace_back([&, backwards] {
      GangClient session(cluster, backwards ? 2 : 1);
      std::deque<GangLaunch> launches;
      for (int round = 0; round < kRounds; ++round) {
        const auto set = static_cast<size_t>(backwards ? 3 - round % 4 : round % 4);
        launches.push_back(session.Start(sets[set], sums[set]));
        if (launches.size() < 8) continue;
        check(launches.front());
        launches.pop_front();
      }
      for (const GangLaunch& launch : launches) check(launch);
      running.fetch_sub(1);
    });
  }
  threads.emplace_back([&] {
    Client client(cluster.executors());
    const auto kernel = LoadedKernel(0, 1, Nothing);
    while (running > 0) {
      for (int device = 0; device < 3; ++device) {
        EXPECT_TRUE(Final(client.Run("g", kernel, {}, device)).ok());
        others.fetch_add(1);
      }
    }
  });
  for (std::thread& thread : threads) thread.join();
  cluster.WaitUntilIdle();
  EXPECT_GT(others, 0);
  EXPECT_EQ(cluster.gangs().counters().begun, 2u * kRounds);
  EXPECT_EQ(cluster.gangs().counters().running, 0);
}

}  // namespace
}  // namespace acceld::runtime
