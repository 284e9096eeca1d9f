#include "server/hal/cuda/nccl/collective_order.h"

#include <gtest/gtest.h>

// Which participants of a launch wait for which.
namespace acceld::hal::cuda {
namespace {

using State = CollectiveOrder::State;
using kernels::Collective;

class CollectiveOrderTest : public ::testing::Test {
 protected:
  CollectiveOrderTest() {
    for (int i = 0; i < kCount; ++i) order_.SetState(i, State::kEnqueuing);
  }
  void Enqueue(int participant, int64_t site, const std::vector<std::vector<int64_t>>& groups,
               Collective::Kind kind = Collective::Kind::kAllReduce) {
    const Collective collective{.kind = kind, .groups = groups};
    order_.Enqueue(participant, site, collective, *RoleOf(collective, participant, kCount));
  }
  void SetAll(State state) {
    for (int i = 0; i < kCount; ++i) order_.SetState(i, state);
  }

  static constexpr int kCount = 4;
  const std::vector<std::vector<int64_t>> all_ = {{0, 1, 2, 3}}, pairs_ = {{0, 1}, {2, 3}};
  CollectiveOrder order_{kCount};
};

TEST_F(CollectiveOrderTest, ThoseWhoHaveNotComeAreAwaited) {
  Enqueue(0, 1, pairs_);
  EXPECT_FALSE(order_.IsAwaited(0));
  EXPECT_TRUE(order_.IsAwaited(1));
  EXPECT_FALSE(order_.IsAwaited(2));
  EXPECT_TRUE(order_.IsAnyAwaited(State::kEnqueuing));
  EXPECT_FALSE(order_.IsAnyAwaited(State::kEnded));
  Enqueue(1, 1, pairs_);
  EXPECT_FALSE(order_.IsAnyAwaited());
}

TEST_F(CollectiveOrderTest, ALoopThatIsAheadIsAwaitedAsOftenAsItIsAhead) {
  for (int i = 0; i < 3; ++i) Enqueue(2, 1, pairs_);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(order_.IsAwaited(3)) << i;
    Enqueue(3, 1, pairs_);
  }
  EXPECT_FALSE(order_.IsAnyAwaited());
}

TEST_F(CollectiveOrderTest, DifferentOrdersAreADeadlock) {
  Enqueue(0, 1, all_);
  Enqueue(0, 2, pairs_);
  Enqueue(1, 2, pairs_);
  Enqueue(1, 1, all_);
  for (const int other : {2, 3}) {
    Enqueue(other, 1, all_);
    Enqueue(other, 2, pairs_);
  }
  SetAll(State::kWaiting);
  order_.SetState(3, State::kEnqueuing);
  EXPECT_FALSE(order_.IsDeadlocked());
  order_.SetState(3, State::kEnded);
  EXPECT_TRUE(order_.IsDeadlocked());
  EXPECT_EQ(order_.DeadlockText(),
            "deadlock: participants 0, 2, 3 wait in all_reduce (step 1), participant 1 in "
            "all_reduce (step 2)");
}

TEST_F(CollectiveOrderTest, ACollectiveWhoseOtherMemberHasEndedIsADeadlock) {
  Enqueue(0, 7, pairs_, Collective::Kind::kAllGather);
  order_.SetState(0, State::kWaiting);
  for (const int other : {1, 2, 3}) order_.SetState(other, State::kEnded);
  EXPECT_TRUE(order_.IsDeadlocked());
  EXPECT_EQ(order_.DeadlockText(),
            "deadlock: participant 0 waits in all_gather (step 7), participants 1, 2, 3 have "
            "ended");
}

TEST_F(CollectiveOrderTest, ThoseWhoWaitForTheirOwnDevicesOnlyGoOn) {
  SetAll(State::kWaiting);
  EXPECT_FALSE(order_.IsDeadlocked());
  SetAll(State::kEnded);
  EXPECT_FALSE(order_.IsDeadlocked());
}

TEST_F(CollectiveOrderTest, PermutesAreCompletePairByPair) {
  const std::vector<std::vector<int64_t>> ring = {{0, 1}, {1, 2}, {2, 0}, {3, 3}};
  for (const int participant : {0, 1, 2, 3}) {
    Enqueue(participant, 1, ring, Collective::Kind::kPermute);
  }
  EXPECT_FALSE(order_.IsAnyAwaited());
  SetAll(State::kEnded);
  EXPECT_FALSE(order_.IsDeadlocked());
  Enqueue(0, 1, ring, Collective::Kind::kPermute);
  EXPECT_TRUE(order_.IsAwaited(1));
  EXPECT_TRUE(order_.IsAwaited(2));
  EXPECT_FALSE(order_.IsAwaited(3));
}

}  // namespace
}  // namespace acceld::hal::cuda
