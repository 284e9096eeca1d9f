#include "server/runtime/gang/gang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/runtime/device_executor.h"
#include "tests/support/eventually.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"
#include "tests/unit/runtime/gang/gang_client.h"

// Launches on several devices. Their cancellation is in gang_cancel_test.cc.
namespace acceld::runtime {
namespace {

using ::acceld::testing::Eventually;
using ::acceld::testing::Kernel;
using ::acceld::testing::LoadedKernel;
using ::acceld::testing::SteadyKernel;
using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr milliseconds kSlice(2);

// A kernel that also counts how many have begun.
Executable Counting(std::atomic<int>& begun, int arguments, Kernel kernel) {
  return LoadedKernel(arguments, 1,
                      [&begun, kernel = std::move(kernel)](const LaunchContext& context) {
                        begun.fetch_add(1);
                        return kernel(context);
                      });
}

// A kernel that computes 5 until it is told to stop, and polls as generated code does.
Executable ComputesUntil(const std::atomic<bool>& stop) {
  return LoadedKernel(0, 1, [&stop](const LaunchContext& context) -> absl::Status {
    while (!stop.load()) {
      if (IsInterrupted(context) && !context.interrupt_handler->WaitWhilePaused()) {
        return absl::CancelledError("stopped");
      }
    }
    Result(context) = 5;
    return absl::OkStatus();
  });
}

TEST(GangTest, MembersExchangeValuesAndAllHaveResults) {
  Cluster cluster(3);
  GangClient session(cluster, 1);
  Client& client = session.client();
  std::weak_ptr<Gang> gang;
  {
    const GangLaunch launch =
        session.Start({0, 1, 2}, LoadedKernel(1, 1, SumOf(3)),
                      {{client.Upload({1}, 0)}, {client.Upload({2}, 1)}, {client.Upload({4}, 2)}});
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(FirstValue(cluster.executor(i), launch.outputs[static_cast<size_t>(i)]), 7);
    }
    gang = launch.gang;
  }
  cluster.WaitUntilIdle();
  EXPECT_EQ(cluster.gangs().counters().begun, 1u);
  EXPECT_EQ(cluster.gangs().counters().running, 0);
  EXPECT_TRUE(Eventually([&] { return gang.expired(); }));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(Eventually([&] { return cluster.device(i).memory().used_bytes == 0; }));
  }
}

TEST(GangTest, MembersBeginWhenTheInputsOfAllAreThere) {
  std::atomic<int> begun{0};
  Cluster cluster(2);
  GangClient session(cluster, 1);
  Client& client = session.client();
  const ArrayPtr late = client.NewArray(1, 1);
  const GangLaunch launch =
      session.Start({0, 1}, Counting(begun, 1, SumOf(2)), {{client.Upload({1}, 0)}, {late}});
  // What is in no gang goes on.
  const ArrayPtr x = client.Upload({1});
  EXPECT_EQ(FirstValue(cluster.executor(0), client.Run("g", LoadedKernel(1, 1, AddOne), {x})), 2);
  EXPECT_EQ(begun, 0);
  EXPECT_EQ(cluster.gangs().counters().begun, 0u);
  client.UploadTo(late, {2});
  EXPECT_EQ(FirstValue(cluster.executor(0), launch.outputs[0]), 3);
  EXPECT_EQ(FirstValue(cluster.executor(1), launch.outputs[1]), 3);
  EXPECT_EQ(begun, 2);
}

TEST(GangTest, InputsOfOtherDevicesAreAwaitedUntilTheyAreFinal) {
  std::atomic<int> begun{0};
  Cluster cluster(2);
  GangClient session(cluster, 1);
  Client& client = session.client();
  Door door;
  const auto producer = LoadedKernel(0, 1, [door](const LaunchContext& context) {
    door.Pass();
    Result(context) = 5;
    return absl::OkStatus();
  });
  const ArrayPtr x = client.Run("producer", producer, {}, 1);
  door.AwaitArrival();
  ASSERT_TRUE(Eventually([&] { return x->state() == Array::State::kScheduled; }));
  const GangLaunch launch =
      session.Start({0, 1}, Counting(begun, 1, SumOf(2)), {{x}, {client.Upload({1}, 1)}});
  EXPECT_EQ(cluster.gangs().counters().begun, 0u);
  door.Open();
  EXPECT_EQ(FirstValue(cluster.executor(0), launch.outputs[0]), 6);
  EXPECT_EQ(FirstValue(cluster.executor(1), launch.outputs[1]), 6);
}

TEST(GangTest, MembersBeginWhenTheExecutablesOfAllAreThere) {
  std::atomic<int> begun{0};
  Cluster cluster(2);
  GangClient session(cluster, 1);
  const Executable kernel = Counting(begun, 0, [](const LaunchContext& context) -> absl::Status {
    ACCELD_ASSIGN_OR_RETURN(Result(context), Sum(context, 2, 4));
    return absl::OkStatus();
  });
  const GangLaunch launch = session.Prepare({0, 1}, {kernel, kernel});
  launch.tasks[1]->execution()->executable = nullptr;
  session.client().Submit(launch.tasks[1], /*executable_ready=*/false);
  session.client().Submit(launch.tasks[0]);
  EXPECT_EQ(cluster.gangs().counters().begun, 0u);
  cluster.executor(1).Provide(launch.tasks[1], kernel);
  EXPECT_EQ(FirstValue(cluster.executor(0), launch.outputs[0]), 8);
  EXPECT_EQ(FirstValue(cluster.executor(1), launch.outputs[1]), 8);
}

TEST(GangTest, AnExecutableThatCannotBeHadForOneDeviceFailsAll) {
  std::atomic<int> begun{0};
  Cluster cluster(2);
  GangClient session(cluster, 1);
  // Even if no member waited for another.
  const Executable kernel = Counting(begun, 0, Nothing);
  const GangLaunch launch = session.Prepare({0, 1}, {kernel, kernel});
  launch.tasks[1]->execution()->executable = nullptr;
  session.client().Submit(launch.tasks[0]);
  session.client().Submit(launch.tasks[1], /*executable_ready=*/false);
  cluster.executor(1).Provide(launch.tasks[1], absl::UnimplementedError("no lowering"));
  EXPECT_THAT(Ends(launch), Each(absl::UnimplementedError("program f: no lowering")));
  cluster.WaitUntilIdle();
  EXPECT_EQ(begun, 0);
  EXPECT_EQ(cluster.gangs().counters().running, 0);
}

TEST(GangTest, TheFailureOfOneIsThatOfAll) {
  Cluster cluster(3);
  GangClient session(cluster, 1);
  Client& client = session.client();
  const Executable sum = LoadedKernel(1, 1, SumOf(3));
  const Executable fails =
      LoadedKernel(1, 1, [](const auto&) { return absl::DataLossError("broken"); });
  const std::vector<std::vector<ArrayPtr>> inputs = {
      {client.Upload({1}, 0)}, {client.Upload({2}, 1)}, {client.Upload({4}, 2)}};
  for (int round = 0; round < 50; ++round) {
    const GangLaunch launch = session.Start({0, 1, 2}, {sum, fails, sum}, inputs);
    const std::vector<absl::Status> ends = Ends(launch);
    EXPECT_EQ(ends[0].code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(ends[0].message()), HasSubstr("program f: "));
    EXPECT_THAT(std::string(ends[0].message()), HasSubstr("broken"));
    EXPECT_THAT(ends, Each(ends[0]));
  }
  const GangLaunch next = session.Start({0, 1, 2}, sum, inputs);
  EXPECT_EQ(FirstValue(cluster.executor(2), next.outputs[2]), 7);
  cluster.WaitUntilIdle();
  EXPECT_EQ(cluster.gangs().counters().running, 0);
}

TEST(GangTest, AnInputThatHasFailedFailsAllAndNoneRuns) {
  std::atomic<int> begun{0};
  Cluster cluster(2);
  GangClient session(cluster, 1);
  Client& client = session.client();
  const ArrayPtr bad = client.Run(
      "bad", LoadedKernel(0, 1, [](const auto&) { return absl::DataLossError("broken"); }), {}, 1);
  EXPECT_EQ(Final(bad), absl::DataLossError("program bad: broken"));
  for (const size_t poisoned : {0, 1}) {
    std::vector<std::vector<ArrayPtr>> inputs = {{client.Upload({1}, 0)}, {client.Upload({1}, 1)}};
    inputs[poisoned] = {bad};
    const GangLaunch launch = session.Start({0, 1}, Counting(begun, 1, Nothing), inputs);
    EXPECT_THAT(Ends(launch), Each(bad->error()));
  }
  cluster.WaitUntilIdle();
  EXPECT_EQ(begun, 0);
}

TEST(GangTest, AnInputThatIsNeverMadeFailsAllAndNoneRuns) {
  std::atomic<int> begun{0};
  Cluster cluster(2);
  GangClient session(cluster, 1);
  Client& client = session.client();
  const auto [maker, bad] = client.RunLater("bad", {});
  const GangLaunch launch =
      session.Start({1, 0}, Counting(begun, 1, Nothing), {{client.Upload({1}, 1)}, {bad}});
  cluster.executor(0).Provide(maker, absl::UnimplementedError("no lowering"));
  EXPECT_THAT(Ends(launch), Each(absl::UnimplementedError("program bad: no lowering")));
  cluster.WaitUntilIdle();
  EXPECT_EQ(begun, 0);
}

// The other members must not get values that were computed from it.
TEST(GangTest, AnInputThatFailsAfterTheLaunchFailsAll) {
  std::atomic<bool> has_sum{false};
  Cluster cluster(2);
  GangClient session(cluster, 1);
  Client& client = session.client();
  Door door;
  const auto fails = LoadedKernel(0, 1, [door](const auto&) {
    door.Pass();
    return absl::DataLossError("broken");
  });
  fails->cost.Record(1);  // So that others are launched behind it.
  const auto sum = SteadyKernel(1, 1, std::chrono::microseconds(1),
                                [&](const LaunchContext& context) -> absl::Status {
                                  ACCELD_RETURN_IF_ERROR(Sum(context, 2, 1).status());
                                  has_sum = true;
                                  return absl::OkStatus();
                                });
  const ArrayPtr bad = client.Run("bad", fails, {}, 1);
  door.AwaitArrival();
  const GangLaunch launch = session.Start({0, 1}, sum, {{client.Upload({1}, 0)}, {bad}});
  ASSERT_TRUE(Eventually([&] { return launch.outputs[1]->state() != Array::State::kPending; }));
  EXPECT_EQ(launch.outputs[1]->state(), Array::State::kScheduled);
  door.Open();
  EXPECT_THAT(Ends(launch), Each(absl::DataLossError("program bad: broken")));
  cluster.WaitUntilIdle();
  EXPECT_FALSE(has_sum);
}

TEST(GangTest, GangsOfOneQueueRunInTheOrderInWhichTheyAreReady) {
  std::vector<int> order[2];
  Cluster cluster(2);
  GangClient session(cluster, 1);
  Client other(cluster.executors());
  std::vector<GangLaunch> launches;
  std::vector<ArrayPtr> others;
  for (int i = 0; i < 100; ++i) {
    std::vector<Executable> members;
    for (std::vector<int>& of_device : order) {
      members.push_back(SteadyKernel(0, 1, std::chrono::microseconds(1),
                                     [&of_device, i](const LaunchContext& context) {
                                       of_device.push_back(i);
                                       return Sum(context, 2, 1).status();
                                     }));
    }
    launches.push_back(session.Start({0, 1}, members));
    others.push_back(other.Run("g", LoadedKernel(0, 1, Nothing), {}, i % 3 == 0 ? 0 : 1));
  }
  for (const GangLaunch& launch : launches) EXPECT_THAT(Ends(launch), Each(absl::OkStatus()));
  for (const ArrayPtr& y : others) EXPECT_TRUE(Final(y).ok());
  cluster.WaitUntilIdle();
  std::vector<int> expected;
  for (int i = 0; i < 100; ++i) expected.push_back(i);
  EXPECT_EQ(order[0], expected);
  EXPECT_EQ(order[1], expected);
}

TEST(GangTest, AGangReadsWhatAnotherIsGoingToWrite) {
  Cluster cluster(2);
  GangClient session(cluster, 1);
  Client& client = session.client();
  const auto step = SteadyKernel(
      1, 1, std::chrono::microseconds(10), [](const LaunchContext& context) -> absl::Status {
        ACCELD_ASSIGN_OR_RETURN(const float sum, Sum(context, 2, Argument(context)));
        Result(context) = sum / 2 + 1;
        return absl::OkStatus();
      });
  std::vector<ArrayPtr> values = {client.Upload({1}, 0), client.Upload({3}, 1)};
  for (int i = 0; i < 100; ++i) {
    values = session.Start({0, 1}, step, {{values[0]}, {values[1]}}).outputs;
  }
  EXPECT_EQ(FirstValue(cluster.executor(0), values[0]), 102);
  EXPECT_EQ(FirstValue(cluster.executor(1), values[1]), 102);
}

TEST(GangTest, OthersHaveTheDeviceWhileAMemberWaits) {
  std::atomic<int> begun{0};
  Cluster cluster(2, {.slice = kSlice});
  GangClient session(cluster, 1);
  Client other(cluster.executors());
  Door door;
  const Kernel meet = [](const LaunchContext& context) { return Sum(context, 2, 1).status(); };
  const Executable late = LoadedKernel(0, 1, [door, meet](const LaunchContext& context) {
    door.Pass();
    return meet(context);
  });
  const GangLaunch launch = session.Start({0, 1}, {Counting(begun, 0, meet), late});
  EXPECT_TRUE(Eventually([&] { return begun == 1; }));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(Final(other.Run("g", LoadedKernel(0, 1, Nothing), {}, 0)).ok());
  }
  EXPECT_EQ(launch.outputs[0]->state(), Array::State::kScheduled);
  EXPECT_GE(cluster.executor(0).counters().suspensions, 1u);
  door.Open();
  EXPECT_THAT(Ends(launch), Each(absl::OkStatus()));
}

TEST(GangTest, MembersHaveTheirTurnsOnDevicesThatAreBusy) {
  std::atomic<bool> stop{false};
  Cluster cluster(2, {.slice = kSlice});
  GangClient session(cluster, 1);
  Client greedy(cluster.executors());
  std::vector<ArrayPtr> endless;
  const auto meet = LoadedKernel(0, 1, [](const LaunchContext& context) -> absl::Status {
    for (int i = 0; i < 20; ++i) ACCELD_RETURN_IF_ERROR(Sum(context, 2, 1).status());
    return absl::OkStatus();
  });
  for (const int device : {1, 0}) {
    endless.push_back(greedy.Run("endless", ComputesUntil(stop), {}, device));
    for (int i = 0; i < 10; ++i) {
      EXPECT_THAT(Ends(session.Start({0, 1}, meet)), Each(absl::OkStatus()));
    }
    EXPECT_EQ(endless.back()->state(), Array::State::kScheduled);
  }
  stop = true;
  for (const ArrayPtr& y : endless) EXPECT_TRUE(Final(y).ok());
}

// The second gang must not overtake the first on device 0, whose member there has to wait for what
// a suspended execution is going to write: on device 1 it could not.
TEST(GangTest, AMemberThatIsHeldBackIsNotOvertaken) {
  std::atomic<bool> stop{false};
  std::atomic<int> begun{0};
  Cluster cluster(2, {.slice = kSlice});
  GangClient session(cluster, 1);
  Client other(cluster.executors());
  const ArrayPtr x = other.Run("producer", ComputesUntil(stop), {}, 0);
  ASSERT_TRUE(Eventually([&] { return x->state() == Array::State::kScheduled; }));
  const ArrayPtr one = session.client().Upload({1}, 1);
  const GangLaunch first = session.Start({0, 1}, Counting(begun, 1, SumOf(2)), {{x}, {one}});
  ASSERT_TRUE(Eventually([&] { return begun == 1; }));
  const ArrayPtr two = session.client().Upload({2}, 0);
  const GangLaunch second = session.Start({0, 1}, Counting(begun, 1, SumOf(2)), {{two}, {one}});
  // The session is scheduled several times.
  EXPECT_TRUE(Eventually([&] { return cluster.executor(0).counters().suspensions >= 3; }));
  EXPECT_EQ(begun, 1);
  stop = true;
  EXPECT_EQ(FirstValue(cluster.executor(0), first.outputs[0]), 6);
  EXPECT_EQ(FirstValue(cluster.executor(0), second.outputs[0]), 3);
}

TEST(GangTest, AMemberForWhichThereIsNoMemoryFailsAll) {
  Cluster cluster(2, {.memory_wait = milliseconds(50), .slice = kOneSlice}, int64_t{1} << 20);
  GangClient session(cluster, 1);
  Client& client = session.client();
  const std::vector<std::vector<ArrayPtr>> inputs = {{client.Upload({1}, 0)},
                                                     {client.Upload({2}, 1)}};
  const auto large = LoadedKernel(1, 1, SumOf(2), /*arena_bytes=*/4 << 20);
  const std::vector<absl::Status> ends = Ends(session.Start({0, 1}, large, inputs));
  EXPECT_EQ(ends[0].code(), absl::StatusCode::kResourceExhausted) << ends[0];
  EXPECT_EQ(ends[1], ends[0]);
  const GangLaunch small = session.Start({0, 1}, LoadedKernel(1, 1, SumOf(2)), inputs);
  EXPECT_EQ(FirstValue(cluster.executor(0), small.outputs[0]), 3);
}

// Device 1 is full until an execution ends, behind which the member is dispatched.
TEST(GangTest, AMemberMayWaitForMemory) {
  constexpr int64_t kElements = int64_t{150} << 10;  // 600 KiB
  std::atomic<int> begun{0};
  Cluster cluster(2, {.memory_wait = std::chrono::hours(1), .slice = kOneSlice}, int64_t{1} << 20);
  GangClient session(cluster, 1);
  Door door;
  const auto holds = LoadedKernel(0, kElements, [door](const auto&) {
    door.Pass();
    return absl::OkStatus();
  });
  holds->cost.Record(1);  // So that others are dispatched behind it.
  (void)session.client().Run("holds", holds, {}, 1);
  door.AwaitArrival();
  const auto large = LoadedKernel(0, kElements, [&](const LaunchContext& context) {
    begun.fetch_add(1);
    return Sum(context, 2, 1).status();
  });
  const GangLaunch launch = session.Start({0, 1}, large);
  const GangLaunch cancelled = session.Start({0, 1}, large);
  EXPECT_TRUE(Eventually([&] { return begun == 1; }));
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(launch.outputs[1]->state(), Array::State::kPending);
  cluster.executor(1).Cancel(cancelled.tasks[1], absl::AbortedError("nobody wants it"));
  EXPECT_THAT(Ends(cancelled), Each(absl::AbortedError("nobody wants it")));
  door.Open();
  EXPECT_THAT(Ends(launch), Each(absl::OkStatus()));
}

}  // namespace
}  // namespace acceld::runtime
