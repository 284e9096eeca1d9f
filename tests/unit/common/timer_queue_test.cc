#include "common/threads/timer_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include "common/threads/future.h"

namespace acceld {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::ElementsAre;

TimerQueue::TimePoint Now() { return std::chrono::steady_clock::now(); }

// Set by a timer, awaited by the test.
class Signal {
 public:
  void Set() { promise_.Set(Unit{}); }
  void Await() const { (void)set_.Await(); }

 private:
  Promise<Unit> promise_;
  Event set_ = promise_.future();
};

// Keeps the timers' thread busy until it is opened.
class Gate {
 public:
  explicit Gate(TimerQueue& timers) {
    timers.At(TimerQueue::TimePoint::min(), [opened = open_] { opened->Await(); });
  }
  void Open() { open_->Set(); }

 private:
  std::shared_ptr<Signal> open_ = std::make_shared<Signal>();
};

TEST(TimerQueueTest, RunsCallbacksInTheOrderOfTheirTimesAndNotBefore) {
  TimerQueue timers("timers", 10);
  Gate gate(timers);
  const auto start = Now();
  std::vector<int> order;
  bool early = false;
  Signal last;
  const auto note = [&](int who, milliseconds after) {
    timers.At(start + after, [&, who, after] {
      early = early || Now() < start + after;
      order.push_back(who);
      if (order.size() == 4) last.Set();
    });
  };
  note(4, milliseconds(30));
  note(2, milliseconds(20));
  note(3, milliseconds(20));
  note(1, milliseconds(10));
  gate.Open();
  last.Await();
  EXPECT_THAT(order, ElementsAre(1, 2, 3, 4));
  EXPECT_FALSE(early);
}

TEST(TimerQueueTest, ATimeThatIsPastRunsSoonThoughOthersAreFar) {
  TimerQueue timers("timers", 10);
  timers.At(TimerQueue::TimePoint::max(), [] { FAIL(); });
  timers.At(Now() + hours(1), [] { FAIL(); });
  Signal signal;
  timers.At(TimerQueue::TimePoint::min(), [&] { signal.Set(); });
  signal.Await();
}

TEST(TimerQueueTest, ACancelledTimerNeverRunsAndLetsGoOfItsCallback) {
  TimerQueue timers("timers", 10);
  Gate gate(timers);
  auto held = std::make_shared<int>(1);
  const uint64_t due = timers.At(Now(), [] { FAIL(); });
  const uint64_t far = timers.At(Now() + hours(1), [held] {});
  EXPECT_TRUE(timers.Cancel(due));
  EXPECT_TRUE(timers.Cancel(far));
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_FALSE(timers.Cancel(far));
  EXPECT_FALSE(timers.Cancel(0));
  EXPECT_FALSE(timers.Cancel(12345));
  Signal later;
  timers.At(Now(), [&] { later.Set(); });
  gate.Open();
  later.Await();
}

TEST(TimerQueueTest, AFullQueueRefusesAndTakesAgainWhenThereIsRoom) {
  TimerQueue timers("timers", 2);
  const uint64_t first = timers.At(Now() + hours(1), [] {});
  EXPECT_NE(timers.At(Now() + hours(1), [] {}), 0u);
  EXPECT_EQ(timers.At(Now(), [] { FAIL(); }), 0u);
  EXPECT_TRUE(timers.Cancel(first));
  Signal signal;
  EXPECT_NE(timers.At(Now(), [&] { signal.Set(); }), 0u);
  signal.Await();
}

TEST(TimerQueueTest, CallbacksMaySetAndCancelTimers) {
  TimerQueue timers("timers", 10);
  Signal done;
  const uint64_t far = timers.At(Now() + hours(1), [] { FAIL(); });
  std::atomic<uint64_t> self{0};
  bool cancelled_far = false, cancelled_self = true;
  self = timers.At(Now() + milliseconds(1), [&] {
    cancelled_far = timers.Cancel(far);
    cancelled_self = timers.Cancel(self);
    timers.At(Now(), [&] { done.Set(); });
  });
  done.Await();
  EXPECT_TRUE(cancelled_far);
  EXPECT_FALSE(cancelled_self);
}

TEST(TimerQueueTest, TheDestructorDropsWhatIsLeft) {
  auto held = std::make_shared<int>(1);
  {
    TimerQueue timers("timers", 10);
    timers.At(Now() + hours(1), [held] { FAIL(); });
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(TimerQueueTest, ATimerEitherRunsOrIsCancelled) {
  constexpr int kTimers = 2000;
  std::atomic<int> ran{0};
  int cancelled = 0;
  TimerQueue timers("timers", kTimers);
  Signal last;
  std::vector<uint64_t> ids;
  for (int i = 0; i < kTimers; ++i) {
    ids.push_back(timers.At(Now(), [&] { ++ran; }));
    ASSERT_NE(ids.back(), 0u);
    if (i >= 10) cancelled += timers.Cancel(ids[static_cast<size_t>(i) - 10]);
    cancelled += timers.Cancel(ids.back());
  }
  while (timers.At(Now(), [&] { last.Set(); }) == 0) std::this_thread::yield();
  last.Await();
  EXPECT_EQ(ran + cancelled, kTimers);
}

}  // namespace
}  // namespace acceld
