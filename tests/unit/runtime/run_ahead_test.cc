#include "server/runtime/schedule/run_ahead.h"

#include <gtest/gtest.h>

#include "server/hal/cost_estimate.h"

namespace acceld::runtime {
namespace {

using std::chrono::microseconds;
using TimePoint = RunAhead::TimePoint;

constexpr TimePoint kStart{std::chrono::hours(1)};

TEST(RunAheadTest, ShortWorkIsGivenUntilTheWindowIsFull) {
  RunAhead ahead(64, microseconds(200));
  int given = 0;
  for (; ahead.IsOpen(kStart); ++given) ahead.Add(microseconds(30), kStart);
  EXPECT_EQ(given, 7);
  EXPECT_FALSE(ahead.WantsRefill(kStart));
  for (int i = 0; i < 4; ++i) ahead.FinishFirst(kStart);
  EXPECT_TRUE(ahead.WantsRefill(kStart));
}

TEST(RunAheadTest, TheCountIsBoundedHoweverShortTheWork) {
  RunAhead ahead(4, microseconds(200));
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(ahead.IsOpen(kStart));
    ahead.Add(std::chrono::nanoseconds(1), kStart);
  }
  EXPECT_FALSE(ahead.IsOpen(kStart));
  EXPECT_EQ(ahead.RefillTime(), TimePoint::max());
  ahead.DropLast();
  EXPECT_TRUE(ahead.IsOpen(kStart));
}

TEST(RunAheadTest, LongWorkIsFollowedUpShortlyBeforeItsEnd) {
  RunAhead ahead(64, microseconds(200));
  ahead.Add(microseconds(10'000), kStart);
  EXPECT_FALSE(ahead.IsOpen(kStart));
  EXPECT_FALSE(ahead.IsOpen(kStart + microseconds(5'000)));
  EXPECT_EQ(ahead.RefillTime(), kStart + microseconds(9'900));
  EXPECT_TRUE(ahead.IsOpen(ahead.RefillTime()));
  EXPECT_TRUE(ahead.WantsRefill(ahead.RefillTime()));
  ahead.Add(microseconds(10'000), ahead.RefillTime());
  EXPECT_FALSE(ahead.IsOpen(kStart + microseconds(60'000)));
}

TEST(RunAheadTest, NothingGoesBehindWorkOfUnknownCost) {
  RunAhead ahead(64, microseconds(200));
  ahead.Add(microseconds(10), kStart);
  EXPECT_TRUE(ahead.IsOpen(kStart));
  ahead.Add(RunAhead::kUnknown, kStart);
  EXPECT_FALSE(ahead.IsOpen(kStart + std::chrono::minutes(10)));
  ahead.FinishFirst(kStart);
  EXPECT_FALSE(ahead.IsOpen(kStart));
  ahead.FinishFirst(kStart);
  EXPECT_TRUE(ahead.IsOpen(kStart));
}

TEST(RunAheadTest, WorkThatOverrunsSaysNothingAboutWhatIsBehindIt) {
  RunAhead ahead(64, microseconds(200));
  ahead.Add(microseconds(1), kStart);
  for (int i = 0; i < 5; ++i) ahead.Add(microseconds(50), kStart);
  EXPECT_FALSE(ahead.IsOpen(kStart + std::chrono::seconds(1)));
  EXPECT_EQ(ahead.RefillTime(), TimePoint::max());
}

TEST(CostEstimateTest, FollowsWhatIsMeasuredButNotOneOutlier) {
  hal::CostEstimate cost;
  EXPECT_EQ(cost.ns(), 0);
  cost.Record(1000);
  EXPECT_EQ(cost.ns(), 1000);
  cost.Record(50'000'000);
  EXPECT_LT(cost.ns(), 5000);
  for (int i = 0; i < 20; ++i) cost.Record(50'000'000);
  EXPECT_NEAR(static_cast<double>(cost.ns()), 50e6, 1e6);
  for (int i = 0; i < 60; ++i) cost.Record(10);
  EXPECT_LT(cost.ns(), 20);
  cost.Record(0);
  EXPECT_GT(cost.ns(), 0);
}

}  // namespace
}  // namespace acceld::runtime
