#include "common/threads/busy_poll.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace acceld {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Goes on by a microsecond whenever it is polled, and when a test says so: what is measured does
// not depend on when the threads of the test get a core.
struct TestClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<TestClock>;
  static constexpr bool is_steady = true;

  static time_point now() { return time += microseconds(1); }
  static void Pass(duration passed) { time += passed; }

  static inline time_point time{std::chrono::hours(1)};
};
using TestBusyPoll = BasicBusyPoll<TestClock>;

bool HasCores() { return std::thread::hardware_concurrency() > 1; }

TEST(BusyPollTest, IsGivenUpWhenWhatIsWaitedForIsLateSeveralTimesInARow) {
  BusyPoll poll(microseconds(50));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(poll.should_poll(), HasCores()) << i;
    poll.RecordWait(milliseconds(1));
  }
  EXPECT_FALSE(poll.should_poll());
}

TEST(BusyPollTest, IsTakenUpAgainOnceItWouldHavePaid) {
  BusyPoll poll(microseconds(50));
  for (int i = 0; i < 100; ++i) poll.RecordWait(milliseconds(1));
  ASSERT_FALSE(poll.should_poll());
  poll.RecordWait(microseconds(60));  // It came within the window; waking up took the rest.
  EXPECT_EQ(poll.should_poll(), HasCores());
}

TEST(BusyPollTest, BeginsShortlyBeforeWhatIsRegularlyLate) {
  BusyPoll poll(microseconds(100), milliseconds(5));
  EXPECT_EQ(poll.sleep_before_poll().count(), 0);
  poll.RecordWait(milliseconds(2));
  EXPECT_EQ(poll.sleep_before_poll().count(), 0);  // It may have been late only once.
  poll.RecordWait(milliseconds(3));
  EXPECT_EQ(poll.sleep_before_poll(), microseconds(1950));
  poll.RecordWait(milliseconds(4));
  EXPECT_EQ(poll.sleep_before_poll(), microseconds(2950));
  EXPECT_EQ(poll.should_poll(), HasCores());
  poll.RecordWait(microseconds(10));
  EXPECT_EQ(poll.sleep_before_poll().count(), 0);
  for (int i = 0; i < 3; ++i) poll.RecordWait(milliseconds(6));
  EXPECT_FALSE(poll.should_poll());
}

TEST(BusyPollTest, IsNeverDoneWithoutAWindow) {
  BusyPoll poll(microseconds(0));
  poll.RecordWait(microseconds(0));
  EXPECT_FALSE(poll.should_poll());
}

TEST(BusyPollTest, IsNotDoneForAWhileAfterTheCoreWasTakenForLongWhenItCame) {
  TestBusyPoll poll(milliseconds(100));
  int polls = 0;
  EXPECT_TRUE(poll.Await([&] { return ++polls == 5; }));
  // As if another thread had run between two polls.
  const auto after_another = [&](bool has_come) {
    polls = 0;
    return poll.Await([&polls, has_come] {
      if (++polls == 1) TestClock::Pass(milliseconds(30));
      return polls == 2 && has_come;
    });
  };
  EXPECT_FALSE(after_another(false));
  EXPECT_EQ(poll.should_poll(), HasCores());
  EXPECT_TRUE(after_another(true));
  EXPECT_FALSE(poll.should_poll());
}

TEST(BusyPollTest, PausesGrowWhereTheCoreIsTakenAgainAndAgain) {
  TestBusyPoll poll(milliseconds(100));
  const auto lose = [&] {
    int polls = 0;
    EXPECT_TRUE(poll.Await([&polls] {
      if (++polls == 1) TestClock::Pass(milliseconds(2));
      return polls == 2;
    }));
  };
  // In waits, so that who waits often polls again soon.
  for (const int pause : {50, 200, 400, 400}) {
    lose();
    for (int i = 0; i < pause; ++i) {
      EXPECT_FALSE(poll.should_poll()) << i << " of " << pause;
      poll.RecordWait(microseconds(10));
    }
    // As long as some times what was lost, too.
    EXPECT_FALSE(poll.should_poll());
    TestClock::Pass(milliseconds(110));
    EXPECT_EQ(poll.should_poll(), HasCores());
  }
}

TEST(BusyPollTest, PollingEndsWithWhatIsWaitedForOrWithTheWindow) {
  int polls = 0;
  EXPECT_TRUE(PollFor(std::chrono::hours(1), [&] { return ++polls == 5; }));
  EXPECT_EQ(polls, 5);
  EXPECT_FALSE(PollFor(microseconds(100), [] { return false; }));
  // Even without a window there is one poll.
  EXPECT_TRUE(PollFor(microseconds(0), [] { return true; }));
}

}  // namespace
}  // namespace acceld
