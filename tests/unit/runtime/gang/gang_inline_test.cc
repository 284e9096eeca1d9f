#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "server/runtime/gang/gang.h"
#include "tests/support/eventually.h"
#include "tests/unit/runtime/executor_client.h"
#include "tests/unit/runtime/fake_device.h"
#include "tests/unit/runtime/gang/gang_client.h"

// Gangs so short that the thread that submits them dispatches and runs them.
namespace acceld::runtime {
namespace {

using ::acceld::testing::Eventually;
using ::acceld::testing::Kernel;
using ::acceld::testing::LoadedKernel;
using ::acceld::testing::SteadyKernel;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::Each;

// Sums over two members, and counts the runs on the thread of the test.
struct CountedSums {
  std::atomic<int> here{0};
  const std::thread::id self = std::this_thread::get_id();

  Kernel kernel() {
    return [this](const LaunchContext& context) -> absl::Status {
      here.fetch_add(std::this_thread::get_id() == self ? 1 : 0);
      ACCELD_ASSIGN_OR_RETURN(Result(context), Sum(context, 2, Argument(context)));
      // A second exchange, behind which the members depend on each other again.
      ACCELD_ASSIGN_OR_RETURN(Result(context), Sum(context, 2, Result(context)));
      return absl::OkStatus();
    };
  }
};

// Two devices with an input each, 1 and 2.
struct TwoDevices {
  Cluster cluster{2};
  GangClient session{cluster, 1};
  const std::vector<std::vector<ArrayPtr>> inputs = {{session.client().Upload({1}, 0)},
                                                     {session.client().Upload({2}, 1)}};

  TwoDevices() {
    for (const auto& of_member : inputs) EXPECT_TRUE(Final(of_member[0]).ok());
  }
  // Runs a gang whose members give 6 each.
  void RunSums(const Executable& executable) {
    const GangLaunch launch = session.Start({0, 1}, executable, inputs);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(FirstValue(cluster.executor(i), launch.outputs[static_cast<size_t>(i)]), 6);
    }
  }
};

TEST(GangInlineTest, AVeryShortGangRunsOnTheThreadThatSubmitsIt) {
  CountedSums sums;
  TwoDevices two;
  const auto kernel = SteadyKernel(1, 1, microseconds(1), sums.kernel());
  // The dispatch threads may be about to wait.
  EXPECT_TRUE(Eventually([&] {
    const int before = sums.here;
    const GangLaunch launch = two.session.Start({0, 1}, kernel, two.inputs);
    const bool is_done = launch.outputs[0]->state() == Array::State::kDefined &&
                         launch.outputs[1]->state() == Array::State::kDefined;
    EXPECT_THAT(Ends(launch), Each(absl::OkStatus()));
    two.cluster.WaitUntilIdle();
    return is_done && sums.here == before + 2;
  }));
  two.RunSums(kernel);
  two.cluster.WaitUntilIdle();
  EXPECT_EQ(two.cluster.gangs().counters().running, 0);
}

TEST(GangInlineTest, OtherGangsRunOnTheirStreams) {
  CountedSums sums;
  TwoDevices two;
  const auto unknown = LoadedKernel(1, 1, sums.kernel());
  const auto longer = SteadyKernel(1, 1, milliseconds(1), sums.kernel());
  // After more rounds it would be known to be short.
  for (int round = 0; round < 5; ++round) {
    two.RunSums(unknown);
    two.RunSums(longer);
    two.cluster.WaitUntilIdle();
  }
  EXPECT_EQ(sums.here, 0);
}

TEST(GangInlineTest, AVeryShortGangWaitsForADeviceThatIsBusy) {
  CountedSums sums;
  TwoDevices two;
  Door door;
  const ArrayPtr busy = two.session.client().Run("busy",
                                                 LoadedKernel(0, 1,
                                                              [door](const auto&) {
                                                                door.Pass();
                                                                return absl::OkStatus();
                                                              }),
                                                 {}, 1);
  door.AwaitArrival();
  const auto kernel = SteadyKernel(1, 1, microseconds(1), sums.kernel());
  const GangLaunch launch = two.session.Start({0, 1}, kernel, two.inputs);
  EXPECT_NE(launch.outputs[0]->state(), Array::State::kDefined);
  door.Open();
  EXPECT_THAT(Ends(launch), Each(absl::OkStatus()));
  EXPECT_EQ(sums.here, 0);
  EXPECT_TRUE(Final(busy).ok());
}

TEST(GangInlineTest, TheFailureOfOneMemberIsThatOfAllAndTheNextGangRuns) {
  CountedSums sums;
  TwoDevices two;
  const auto broken = SteadyKernel(1, 1, microseconds(1), [](const LaunchContext& context) {
    ACCELD_ASSIGN_OR_RETURN(const float sum, Sum(context, 2, Argument(context)));
    if (Argument(context) == 2) return absl::DataLossError("broken");
    return Sum(context, 2, sum).status();
  });
  const auto kernel = SteadyKernel(1, 1, microseconds(1), sums.kernel());
  for (int round = 0; round < 20; ++round) {
    const std::vector<absl::Status> ends = Ends(two.session.Start({0, 1}, broken, two.inputs));
    for (const absl::Status& end : ends) EXPECT_EQ(end.code(), absl::StatusCode::kDataLoss) << end;
    EXPECT_EQ(ends[0], ends[1]);
    two.RunSums(kernel);
    two.cluster.WaitUntilIdle();
  }
}

TEST(GangInlineTest, AMemberForWhichThereIsNoMemoryFailsAllAndTheNextGangRuns) {
  Cluster cluster(2, {.memory_wait = milliseconds(10), .slice = kOneSlice}, 16 << 10);
  GangClient session(cluster, 1);
  constexpr int64_t kElements = 3 << 10;  // 12 KiB
  const auto large = SteadyKernel(0, kElements, microseconds(1), [](const LaunchContext& context) {
    return Sum(context, 2, 1).status();
  });
  for (int round = 0; round < 5; ++round) {
    ArrayPtr holds = session.client().Upload(std::vector<float>(kElements), 1);
    ASSERT_TRUE(Final(holds).ok());
    cluster.WaitUntilIdle();
    const std::vector<absl::Status> ends = Ends(session.Start({0, 1}, large));
    for (const absl::Status& end : ends) {
      EXPECT_EQ(end.code(), absl::StatusCode::kResourceExhausted) << end;
    }
    EXPECT_EQ(ends[0], ends[1]);
    holds.reset();
    cluster.WaitUntilIdle();
    EXPECT_THAT(Ends(session.Start({0, 1}, large)), Each(absl::OkStatus()));
    cluster.WaitUntilIdle();
  }
}

// Two sessions submit from their threads, a third thread cancels.
TEST(GangInlineTest, SessionsAndCancelsRace) {
  Cluster cluster(3);
  const auto kernel = SteadyKernel(0, 1, microseconds(1), [](const LaunchContext& context) {
    ACCELD_ASSIGN_OR_RETURN(const float sum, Sum(context, 2, 1));
    return Sum(context, 2, sum).status();
  });
  std::vector<std::thread> threads;
  for (const int shift : {0, 1}) {
    threads.emplace_back([&, shift] {
      GangClient session(cluster, static_cast<uint64_t>(1 + shift));
      for (int round = 0; round < 500; ++round) {
        const GangLaunch launch = session.Prepare({shift, shift + 1}, {kernel, kernel});
        std::thread canceller;
        if (round % 8 == 0) {
          canceller = std::thread([&] { launch.gang->Cancel(absl::AbortedError("enough")); });
        }
        session.Submit(launch);
        for (const absl::Status& end : Ends(launch)) {
          EXPECT_TRUE(end.ok() || (round % 8 == 0 && end == absl::AbortedError("enough"))) << end;
        }
        if (canceller.joinable()) canceller.join();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  cluster.WaitUntilIdle();
  EXPECT_EQ(cluster.gangs().counters().running, 0);
  EXPECT_EQ(cluster.gangs().counters().waiting, 0);
}

}  // namespace
}  // namespace acceld::runtime
