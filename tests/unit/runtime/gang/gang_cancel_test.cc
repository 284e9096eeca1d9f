#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "server/runtime/device_executor.h"
#include "server/runtime/gang/gang.h"
#include "tests/support/eventually.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"
#include "tests/unit/runtime/gang/gang_client.h"

// Launches on several devices that are cancelled, as a whole or through one of their members.
namespace acceld::runtime {
namespace {

using ::acceld::testing::Eventually;
using ::acceld::testing::Kernel;
using ::acceld::testing::LoadedKernel;
using std::chrono::milliseconds;
using ::testing::Each;

const absl::Status kReason = absl::AbortedError("nobody wants it");

class GangCancelTest : public ::testing::Test {
 protected:
  ~GangCancelTest() override {
    cluster_.WaitUntilIdle();
    EXPECT_EQ(cluster_.gangs().counters().running, 0);
    EXPECT_EQ(cluster_.gangs().counters().waiting, 0);
  }
  // A kernel that notes that it runs, and meets the others until its launch ends.
  Executable Endless(int members) {
    return LoadedKernel(0, 1, [this, meet = MeetForever(members)](const LaunchContext& context) {
      begun_.fetch_add(1);
      return meet(context);
    });
  }
  void Cancel(const GangLaunch& launch, size_t member, const absl::Status& reason = kReason) {
    cluster_.executor(launch.outputs[member]->device()).Cancel(launch.tasks[member], reason);
  }
  // Returns whether both devices execute gangs of the session.
  bool DevicesWork() {
    const auto meet =
        LoadedKernel(0, 1, [](const auto& context) { return Sum(context, 2, 1).status(); });
    return Ends(session_.Start({0, 1}, meet)) == std::vector(2, absl::OkStatus());
  }

  std::atomic<int> begun_{0};
  Cluster cluster_{2};
  GangClient session_{cluster_, 1};
};

TEST_F(GangCancelTest, OneThatWaitsForItsInputs) {
  Client& client = session_.client();
  const ArrayPtr late = client.NewArray(1, 1);
  for (const size_t member : {0, 1}) {
    const GangLaunch launch =
        session_.Start({0, 1}, LoadedKernel(1, 1, SumOf(2)), {{client.Upload({1}, 0)}, {late}});
    Cancel(launch, member);
    EXPECT_THAT(Ends(launch), Each(kReason));
  }
  cluster_.WaitUntilIdle();
  client.UploadTo(late, {1});
  EXPECT_TRUE(Final(late).ok());
  EXPECT_EQ(cluster_.gangs().counters().begun, 0u);
  EXPECT_TRUE(DevicesWork());
}

TEST_F(GangCancelTest, OneThatWaitsForItsExecutable) {
  const Executable kernel = Endless(2);
  const GangLaunch launch = session_.Prepare({0, 1}, {kernel, kernel});
  launch.tasks[1]->execution()->executable = nullptr;
  session_.client().Submit(launch.tasks[0]);
  session_.client().Submit(launch.tasks[1], /*executable_ready=*/false);
  Cancel(launch, 1);
  EXPECT_THAT(Ends(launch), Each(kReason));
  cluster_.executor(1).Provide(launch.tasks[1], kernel);
  EXPECT_TRUE(DevicesWork());
  EXPECT_EQ(begun_, 0);
}

TEST_F(GangCancelTest, OneThatIsQueuedWhileAnotherWaitsForIt) {
  Gate gate;
  Client other(cluster_.executors());
  const ArrayPtr busy = other.Run("gate", gate.kernel, {}, 1);
  gate.door.AwaitArrival();
  for (const size_t member : {1, 0}) {
    begun_ = 0;
    const GangLaunch launch = session_.Start({0, 1}, Endless(2));
    EXPECT_TRUE(Eventually([&] { return begun_ == 1; }));
    Cancel(launch, member);
    EXPECT_THAT(Ends(launch), Each(kReason));
  }
  gate.door.Open();
  EXPECT_TRUE(Final(busy).ok());
  EXPECT_TRUE(DevicesWork());
  EXPECT_EQ(begun_, 1);
}

TEST_F(GangCancelTest, OneWhileAllRun) {
  for (int round = 0; round < 100; ++round) {
    begun_ = 0;
    const GangLaunch launch = session_.Start({0, 1}, Endless(2));
    if (round % 2 == 0) {
      // Members of the previous launch may have begun late.
      EXPECT_TRUE(Eventually([&] { return begun_ >= 2; }));
    }
    Cancel(launch, static_cast<size_t>(round / 2 % 2));
    EXPECT_THAT(Ends(launch), Each(kReason));
  }
  EXPECT_TRUE(DevicesWork());
}

TEST_F(GangCancelTest, OneWhoseRunDoesNotListen) {
  Door door;
  const Executable deaf = LoadedKernel(0, 1, [door](const auto&) {
    door.Pass();
    return absl::OkStatus();
  });
  const GangLaunch launch = session_.Start({0, 1}, {Endless(2), deaf});
  door.AwaitArrival();
  EXPECT_TRUE(Eventually([&] { return begun_ == 1; }));
  Cancel(launch, 1);
  EXPECT_THAT(Ends(launch), Each(kReason));
  // Until then device 1 is occupied.
  EXPECT_EQ(cluster_.gangs().RunningOn(1), 1);
  door.Open();
  EXPECT_TRUE(DevicesWork());
}

TEST_F(GangCancelTest, AllAtADeadline) {
  const absl::Status late = absl::DeadlineExceededError("too late");
  const GangLaunch running = session_.Start({0, 1}, Endless(2));
  const GangLaunch queued = session_.Start({1, 0}, Endless(2));
  EXPECT_TRUE(Eventually([&] { return begun_ == 2; }));
  EXPECT_EQ(cluster_.gangs().counters().waiting, 1);
  queued.gang->Cancel(late);
  EXPECT_THAT(Ends(queued), Each(late));
  EXPECT_EQ(cluster_.gangs().counters().waiting, 0);
  running.gang->Cancel(late);
  EXPECT_THAT(Ends(running), Each(late));
  running.gang->Cancel(kReason);
  EXPECT_TRUE(DevicesWork());
  EXPECT_EQ(begun_, 2);
}

TEST_F(GangCancelTest, BeforeTheyAreSubmitted) {
  const Executable kernel = Endless(2);
  const GangLaunch one = session_.Prepare({0, 1}, {kernel, kernel});
  Cancel(one, 1);
  const GangLaunch all = session_.Prepare({0, 1}, {kernel, kernel});
  all.gang->Cancel(kReason);
  for (const GangLaunch& launch : {one, all}) {
    EXPECT_EQ(launch.outputs[0]->state(), Array::State::kPending);
    session_.Submit(launch);
    EXPECT_THAT(Ends(launch), Each(kReason));
  }
  EXPECT_EQ(cluster_.gangs().counters().begun, 0u);
  EXPECT_EQ(begun_, 0);
}

TEST_F(GangCancelTest, TheFirstReasonCountsForAll) {
  const ArrayPtr late = session_.client().NewArray(1, 1);
  const Executable kernel = LoadedKernel(1, 1, SumOf(2));
  const GangLaunch launch = session_.Prepare({0, 1}, {kernel, kernel}, {{late}, {late}});
  Cancel(launch, 1);
  Cancel(launch, 0, absl::InternalError("again"));
  session_.Submit(launch);
  EXPECT_THAT(Ends(launch), Each(kReason));
}

TEST_F(GangCancelTest, ALaunchLeavesNothing) {
  std::weak_ptr<Gang> gang;
  {
    const GangLaunch launch = session_.Start({0, 1}, Endless(2));
    gang = launch.gang;
    Cancel(launch, 0);
    EXPECT_THAT(Ends(launch), Each(kReason));
  }
  EXPECT_TRUE(Eventually([&] { return gang.expired(); }));
  cluster_.WaitUntilIdle();
  EXPECT_EQ(cluster_.device(0).memory().used_bytes, 0);
  EXPECT_EQ(cluster_.device(1).memory().used_bytes, 0);
}

TEST_F(GangCancelTest, ASessionThatEndsTakesItsGangsWithIt) {
  const absl::Status closed = absl::CancelledError("the session is closed");
  GangClient other(cluster_, 2);
  Client& client = session_.client();
  const ArrayPtr late = client.NewArray(1, 1);
  const auto sum = LoadedKernel(1, 1, SumOf(2));
  std::vector<GangLaunch> launches;
  for (int i = 0; i < 10; ++i) launches.push_back(session_.Start({0, 1}, Endless(2)));
  launches.push_back(session_.Start({1, 0}, Endless(2)));
  launches.push_back(session_.Start({0, 1}, sum, {{client.Upload({1}, 0)}, {late}}));
  // One that is in the middle of its submission.
  const GangLaunch half = session_.Prepare({0, 1}, {sum, sum}, {{late}, {late}});
  client.Submit(half.tasks[0]);
  const GangLaunch of_other = other.Start(
      {0, 1}, LoadedKernel(0, 1, [](const auto& context) { return Sum(context, 2, 1).status(); }));
  client.Cancel();
  client.Submit(half.tasks[1]);
  for (const GangLaunch& launch : launches) EXPECT_THAT(Ends(launch), Each(closed));
  EXPECT_THAT(Ends(half), Each(closed));
  EXPECT_THAT(Ends(of_other), Each(absl::OkStatus()));
  late->Fail(closed);
}

TEST(GangCancelRaceTest, CancelsRaceWithEverything) {
  Cluster cluster(3, {.slice = milliseconds(1)});
  const std::vector<std::vector<int>> sets = {{0, 1}, {2, 1, 0}, {2, 0}};
  std::vector<std::thread> threads;
  for (uint64_t number = 1; number <= 2; ++number) {
    threads.emplace_back([&cluster, &sets, number] {
      GangClient session(cluster, number);
      for (int round = 0; round < 100; ++round) {
        std::vector<GangLaunch> launches;
        for (const std::vector<int>& devices : sets) {
          const auto members = static_cast<int>(devices.size());
          const Executable kernel =
              LoadedKernel(0, 1, [members](const LaunchContext& context) -> absl::Status {
                for (int i = 0; i < 3; ++i) {
                  ACCELD_RETURN_IF_ERROR(Sum(context, members, 1).status());
                }
                return absl::OkStatus();
              });
          launches.push_back(
              session.Prepare(devices, std::vector<Executable>(devices.size(), kernel)));
        }
        std::thread cancelling([&] {
          const auto i = static_cast<size_t>(round) % sets.size();
          const auto member = static_cast<size_t>(round) % sets[i].size();
          cluster.executor(sets[i][member]).Cancel(launches[i].tasks[member], kReason);
          if (round % 5 == 0) launches[(i + 1) % sets.size()].gang->Cancel(kReason);
        });
        for (const GangLaunch& launch : launches) session.Submit(launch);
        cancelling.join();
        for (const GangLaunch& launch : launches) {
          for (const absl::Status& end : Ends(launch)) {
            EXPECT_TRUE(end.ok() || end == kReason) << end;
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  cluster.WaitUntilIdle();
  EXPECT_EQ(cluster.gangs().counters().running, 0);
  EXPECT_EQ(cluster.gangs().counters().waiting, 0);
}

// The last to end must not use the executors of the others any more when all are idle.
TEST(GangCancelRaceTest, ExecutorsMayGoWhenAllAreIdle) {
  const auto fails = LoadedKernel(0, 1, [](const auto&) { return absl::DataLossError("broken"); });
  for (int round = 0; round < 50; ++round) {
    Cluster cluster(2);
    GangClient session(cluster, 1);
    std::vector<GangLaunch> launches;
    for (int i = 0; i < 3; ++i) launches.push_back(session.Start({0, 1}, fails));
    if (round % 2 == 0) session.client().Cancel();
  }
}

}  // namespace
}  // namespace acceld::runtime
