#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "common/threads/future.h"
#include "server/hal/cpu/cpu_gang.h"
#include "tests/unit/hal/gang/participants.h"
#include "tests/unit/status_matchers.h"

// How a launch of several participants is interrupted, and how it ends when one of them fails.
namespace acceld::hal::cpu {
namespace {

using ::acceld::testing::Exchange;
using ::acceld::testing::RunParticipants;
using ::acceld::testing::RunParticipantsInline;
using ::acceld::testing::SameTypeCollective;
using kernels::Collective;
using Kind = Collective::Kind;

// Long enough that a participant which waits has gone to sleep.
constexpr std::chrono::milliseconds kUntilAsleep{20};
// Elements of an exchange that the member which comes last does alone, and of one that is shared.
constexpr int64_t kFew = 4, kMany = 1 << 20;

Collective AllReduce(int64_t num_participants, int64_t count = kFew) {
  std::vector<int64_t> group;
  for (int64_t i = 0; i < num_participants; ++i) group.push_back(i);
  return SameTypeCollective(Kind::kAllReduce, {group}, {ir::DType::kI32, {count}});
}

// Takes part in a collective with ones, and returns the first element of the sum.
absl::StatusOr<int32_t> Sum(CpuGang& gang, int participant, const Collective& collective,
                            int64_t site, RunControl* control = nullptr) {
  const std::vector<int32_t> operand(static_cast<size_t>(collective.operands[0].num_elements()), 1);
  std::vector<int32_t> result(operand.size());
  ACCELD_RETURN_IF_ERROR(Exchange(gang, participant, collective, site, operand, result, control));
  return result[0];
}

TEST(CpuGangEndsTest, CancelEndsAParticipantThatWaitsAndAllOthers) {
  for (const auto delay : {std::chrono::milliseconds(0), kUntilAsleep}) {
    CpuGang gang(3);
    RunControl control;
    std::thread canceller([&] {
      std::this_thread::sleep_for(delay);
      control.Cancel();
    });
    const auto statuses = RunParticipants(gang, 2, [&](int p) {
      return Sum(gang, p, AllReduce(3), 0, p == 1 ? &control : nullptr).status();
    });
    canceller.join();
    for (const absl::Status& status : statuses) {
      EXPECT_THAT(status, FailsWith(absl::StatusCode::kCancelled, "participant 1 failed"));
    }
    EXPECT_EQ(Sum(gang, 2, AllReduce(3), 0).status(), statuses[0]);
  }
}

TEST(CpuGangEndsTest, AParticipantPausesWhileItWaitsAndTheOthersGoOn) {
  for (const int64_t count : {kFew, kMany}) {
    CpuGang gang(2);
    const Collective collective = AllReduce(2, count);
    RunControl control;
    Promise<Unit> promise;
    const Event paused = promise.future();
    std::atomic<bool> has_ended{false};
    std::thread waiting([&] {
      const auto sum = Sum(gang, 0, collective, 0, &control);
      ASSERT_THAT(sum, IsOk());
      EXPECT_EQ(*sum, 2);
      has_ended = true;
    });
    std::this_thread::sleep_for(kUntilAsleep);
    control.Pause([&] { promise.Set(Unit{}); });
    (void)paused.Await();
    // The paused participant has come, so the other one gets its result.
    const auto sum = Sum(gang, 1, collective, 0);
    ASSERT_THAT(sum, IsOk());
    EXPECT_EQ(*sum, 2);
    std::this_thread::sleep_for(kUntilAsleep);
    EXPECT_FALSE(has_ended);
    control.Resume();
    waiting.join();
    EXPECT_GE(control.paused_time(), kUntilAsleep);
  }
}

TEST(CpuGangEndsTest, APausedParticipantCanBeCancelled) {
  CpuGang gang(2);
  RunControl control;
  Promise<Unit> promise;
  const Event paused = promise.future();
  std::thread waiting([&] {
    EXPECT_THAT(Sum(gang, 0, AllReduce(2), 0, &control),
                FailsWith(absl::StatusCode::kCancelled, "participant 0 failed"));
  });
  control.Pause([&] { promise.Set(Unit{}); });
  (void)paused.Await();
  control.Cancel();
  waiting.join();
}

// Participants pause at any time, and are resumed soon: nothing is lost.
TEST(CpuGangEndsTest, ParticipantsPauseAtAnyTime) {
  constexpr int kCount = 3, kRounds = 500;
  CpuGang gang(kCount);
  RunControl controls[kCount];
  std::atomic<bool> is_over{false};
  std::thread pausing([&] {
    std::mt19937 random(1);
    while (!is_over) {
      RunControl& control = controls[random() % kCount];
      control.Pause([] {});
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
      control.Resume();
    }
  });
  const auto statuses = RunParticipants(gang, kCount, [&](int p) -> absl::Status {
    for (int round = 0; round < kRounds; ++round) {
      const int64_t count = round % 50 == 0 ? kMany / 16 : kFew;
      ACCELD_ASSIGN_OR_RETURN(const int32_t sum,
                              Sum(gang, p, AllReduce(kCount, count), round, &controls[p]));
      if (sum != kCount) return absl::DataLossError(absl::StrCat("round ", round));
    }
    return absl::OkStatus();
  });
  is_over = true;
  pausing.join();
  for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
}

// Wherever a participant is cancelled, all end with the same error.
TEST(CpuGangEndsTest, ParticipantsAreCancelledAtAnyTime) {
  constexpr int kCount = 4;
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    CpuGang gang(kCount);
    RunControl controls[kCount];
    const auto delay = std::chrono::microseconds(random() % 2000);
    const auto victim = static_cast<size_t>(random() % kCount);
    std::thread canceller([&] {
      std::this_thread::sleep_for(delay);
      controls[victim].Cancel();
    });
    const auto statuses = RunParticipants(gang, kCount, [&](int p) {
      for (int64_t site = 0;; ++site) {
        // As generated code does between collectives.
        RunControl& control = controls[p];
        if (control.interrupted().load() && !control.WaitWhilePaused()) {
          gang.Fail(p, absl::CancelledError("execution was cancelled"));
        }
        const int64_t count = site % 8 == 7 ? kMany / 16 : kFew;
        const absl::Status status =
            Sum(gang, p, AllReduce(kCount, count), site % 16, &control).status();
        if (!status.ok()) return status;
      }
    });
    canceller.join();
    for (const absl::Status& status : statuses) {
      EXPECT_THAT(status, FailsWith(absl::StatusCode::kCancelled,
                                    absl::StrCat("participant ", victim, " failed: ")));
      EXPECT_EQ(status, statuses[0]);
    }
  }
}

TEST(CpuGangEndsTest, AbortEndsAllWithTheFirstReason) {
  CpuGang gang(4);
  const absl::Status reason = absl::UnavailableError("no device");
  std::thread aborting([&] {
    std::this_thread::sleep_for(kUntilAsleep);
    gang.Abort(reason);
    gang.Abort(absl::InternalError("too late"));
  });
  const auto statuses =
      RunParticipants(gang, 3, [&](int p) { return Sum(gang, p, AllReduce(4), 0).status(); });
  aborting.join();
  for (const absl::Status& status : statuses) EXPECT_EQ(status, reason);
  EXPECT_EQ(Sum(gang, 3, AllReduce(4), 0).status(), reason);
  // Also where it would not wait.
  const Collective permute = SameTypeCollective(Kind::kPermute, {}, {ir::DType::kI32, {kFew}});
  EXPECT_EQ(Sum(gang, 0, permute, 1).status(), reason);
}

TEST(CpuGangEndsTest, TheErrorOfAParticipantBecomesThatOfTheOthers) {
  CpuGang gang(3);
  const auto statuses = RunParticipants(gang, 3, [&](int p) -> absl::Status {
    if (p == 2) return absl::DataLossError("broken");
    return Sum(gang, p, AllReduce(3), 0).status();
  });
  for (const size_t p : {0, 1}) {
    EXPECT_EQ(statuses[p], absl::DataLossError("participant 2 failed: broken"));
  }
}

TEST(CpuGangEndsTest, ADeadlockIsFoundAtOnceAndSaysWhoWaitsWhere) {
  Collective gather = AllReduce(4);
  gather.kind = Kind::kAllGather;
  gather.results[0].dims[0] *= 4;
  for (const auto& run_all : {RunParticipants, RunParticipantsInline}) {
    CpuGang gang(4);
    const auto statuses = run_all(gang, 4, [&](int p) {
      std::vector<int32_t> operand(kFew), result(4 * kFew);
      return p % 2 == 0 ? Exchange(gang, p, AllReduce(4), 5, operand, result)
                        : Exchange(gang, p, gather, 9, operand, result);
    });
    for (const absl::Status& status : statuses) {
      EXPECT_EQ(status,
                absl::InternalError(
                    "deadlock: participants 0, 2 wait in all_reduce of tensor<4xi32> (step 5), "
                    "participants 1, 3 in all_gather of tensor<4xi32> (step 9)"));
    }
  }
}

TEST(CpuGangEndsTest, WhoWaitsForAParticipantThatHasEndedIsInADeadlock) {
  const absl::Status deadlock = absl::InternalError(
      "deadlock: participant 0 waits in all_reduce of tensor<4xi32> (step 3), "
      "participants 1, 2 have ended");
  for (const auto delay : {std::chrono::milliseconds(0), kUntilAsleep}) {
    CpuGang gang(3);
    gang.Finish(1);
    std::thread waiting([&] { EXPECT_EQ(Sum(gang, 0, AllReduce(3), 3).status(), deadlock); });
    std::this_thread::sleep_for(delay);
    gang.Finish(2);
    waiting.join();
  }
}

TEST(CpuGangEndsTest, WhoEndsAfterAFailureChangesNothing) {
  CpuGang gang(2);
  const absl::Status reason = absl::AbortedError("nobody wants it");
  auto sum = std::make_unique<Collective>(AllReduce(2));
  std::thread waiting([&] { EXPECT_EQ(Sum(gang, 0, *sum, 3).status(), reason); });
  std::this_thread::sleep_for(kUntilAsleep);
  gang.Abort(reason);
  waiting.join();
  sum.reset();
  gang.Finish(1);
  EXPECT_EQ(Sum(gang, 0, AllReduce(2), 4).status(), reason);
}

TEST(CpuGangEndsTest, ADeadlockNamesOneOfManyOperands) {
  CpuGang gang(2);
  gang.Finish(1);
  Collective sums = AllReduce(2);
  sums.operands.resize(3, sums.operands[0]);
  sums.results = sums.operands;
  int32_t values[3][kFew] = {};
  const void* const operands[] = {values[0], values[0], values[0]};
  void* const results[] = {values[1], values[1], values[2]};
  EXPECT_EQ(gang.Exchange(0, nullptr, sums, 7, operands, results),
            absl::InternalError("deadlock: participant 0 waits in all_reduce of tensor<4xi32> and "
                                "2 more (step 7), participant 1 has ended"));
}

TEST(CpuGangEndsTest, NothingIsADeadlockWhileAParticipantRuns) {
  CpuGang gang(3);
  // Participant 2 waits for 1, and 0 for both, until 1 comes.
  const Collective pair = SameTypeCollective(Kind::kPermute, {{2, 1}}, {ir::DType::kI32, {kFew}});
  const auto statuses = RunParticipants(gang, 3, [&](int p) -> absl::Status {
    if (p == 1) std::this_thread::sleep_for(kUntilAsleep);
    if (p != 0) ACCELD_RETURN_IF_ERROR(Sum(gang, p, pair, 0).status());
    ACCELD_RETURN_IF_ERROR(Sum(gang, p, AllReduce(3), 1).status());
    gang.Finish(p);
    return absl::OkStatus();
  });
  for (const absl::Status& status : statuses) EXPECT_THAT(status, IsOk());
}

}  // namespace
}  // namespace acceld::hal::cpu
