#include "server/observability/history/history_ring.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::observability {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsNan;
using Slots = HistoryRing::Slots;

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// The last values of a series.
std::vector<float> Tail(const Series& series, ptrdiff_t count) {
  return {series.end() - count, series.end()};
}

TEST(HistoryRingTest, IsEmptyAtFirst) {
  const HistoryRing ring(2);
  EXPECT_EQ(ring.newest(), Slots(-1));
  const Series series = ring.Read(1, Slots(100));
  EXPECT_EQ(series.size(), 360u);
  EXPECT_THAT(series, Each(IsNan()));
}

TEST(HistoryRingTest, KeepsEachValueInTheOrderOfTime) {
  HistoryRing ring(2);
  ring.Add(Slots(100), {1, 10});
  ring.Add(Slots(101), {2, 20});
  EXPECT_THAT(Tail(ring.Read(0, Slots(101)), 3), ElementsAre(IsNan(), 1, 2));
  EXPECT_THAT(Tail(ring.Read(1, Slots(101)), 3), ElementsAre(IsNan(), 10, 20));
}

TEST(HistoryRingTest, ASlotHasAlwaysTheSameTime) {
  const HistoryRing::TimePoint time(std::chrono::seconds(1230));
  EXPECT_EQ(HistoryRing::SlotOf(time), Slots(123));
  EXPECT_EQ(HistoryRing::SlotOf(time + std::chrono::milliseconds(9'999)), Slots(123));
  EXPECT_EQ(HistoryRing::SlotOf(time + std::chrono::seconds(10)), Slots(124));
}

TEST(HistoryRingTest, TheNewestReplaceTheOldest) {
  HistoryRing ring(1);
  for (int i = 0; i < 1000; ++i) ring.Add(Slots(50 + i), {static_cast<float>(i)});
  const Series series = ring.Read(0, Slots(1049));
  ASSERT_EQ(series.size(), 360u);
  for (size_t i = 0; i < series.size(); ++i) EXPECT_EQ(series[i], static_cast<float>(640 + i));
}

TEST(HistoryRingTest, SlotsThatWerePassedOverAreEmpty) {
  HistoryRing ring(1);
  for (int i = 0; i < 500; ++i) ring.Add(Slots(i), {1});
  ring.Add(Slots(502), {2});
  EXPECT_THAT(Tail(ring.Read(0, Slots(502)), 4), ElementsAre(1, IsNan(), IsNan(), 2));
}

TEST(HistoryRingTest, AJumpOfMoreThanTheRingLeavesTheSampleAfterIt) {
  for (const int jump : {359, 360, 361, 1'000'000'000}) {
    HistoryRing ring(1);
    for (int i = 0; i < 500; ++i) ring.Add(Slots(i), {1});
    ring.Add(Slots(499 + jump), {2});
    Series series = ring.Read(0, Slots(499 + jump));
    EXPECT_EQ(series.back(), 2);
    // The sample before the jump is at the other end of the ring, or gone.
    EXPECT_EQ(std::isnan(series[0]), jump > 359) << jump;
    EXPECT_THAT(std::vector<float>(series.begin() + 1, series.end() - 1), Each(IsNan())) << jump;
  }
}

TEST(HistoryRingTest, AReaderAtALaterTimeSeesAGapAtTheEnd) {
  HistoryRing ring(1);
  for (int i = 0; i < 500; ++i) ring.Add(Slots(i), {static_cast<float>(i)});
  EXPECT_THAT(Tail(ring.Read(0, Slots(501)), 4), ElementsAre(498, 499, IsNan(), IsNan()));
  EXPECT_EQ(ring.Read(0, Slots(501))[0], 142);
  EXPECT_THAT(ring.Read(0, Slots(2000)), Each(IsNan()));
}

TEST(HistoryRingTest, AReaderAtAnEarlierTimeSeesWhatIsKeptOfThen) {
  HistoryRing ring(1);
  for (int i = 0; i < 500; ++i) ring.Add(Slots(i), {static_cast<float>(i)});
  const Series series = ring.Read(0, Slots(490));
  EXPECT_EQ(series.back(), 490);
  // The slots 131 to 139 have been replaced.
  EXPECT_TRUE(std::isnan(series[8]));
  EXPECT_EQ(series[9], 140);
}

TEST(HistoryRingTest, AValueMayBeUnknown) {
  HistoryRing ring(2);
  ring.Add(Slots(7), {kNone, 3});
  EXPECT_TRUE(std::isnan(ring.Read(0, Slots(7)).back()));
  EXPECT_EQ(ring.Read(1, Slots(7)).back(), 3);
}

}  // namespace
}  // namespace acceld::observability
