#include "server/lifetime/idle_exit.h"

#include <atomic>

#include "gtest/gtest.h"
#include "tests/support/eventually.h"

namespace acceld::lifetime {
namespace {

using std::chrono::milliseconds;
using testing::Eventually;

// What a daemon does, as far as IdleExit sees it.
struct FakeDaemon {
  std::atomic<uint64_t> open{0}, begun{0}, polls{0};
  std::atomic<bool> draining{false};
  std::atomic<int> pauses{0}, resumes{0}, exits{0};
  // Calls begin and end between any two polls.
  std::atomic<bool> has_short_calls{false};
  // Somebody comes just before it is paused.
  std::atomic<bool> is_late{false};

  IdleExit::Hooks Hooks() {
    return {.current_use =
                [this] {
                  ++polls;
                  if (has_short_calls) ++begun;
                  return IdleExit::Use{.open = open, .begun = begun, .draining = draining};
                },
            .pause =
                [this] {
                  ++pauses;
                  if (is_late.exchange(false)) open = 1;
                },
            .resume = [this] { ++resumes; },
            .exit = [this] { ++exits; }};
  }
  void AwaitPolls(uint64_t more) {
    const uint64_t until = polls + more;
    ASSERT_TRUE(Eventually([&] { return polls >= until; }));
  }
};

TEST(IdleExitTest, ADaemonThatNobodyUsesEndsOnce) {
  FakeDaemon daemon;
  const IdleExit idle(milliseconds(20), daemon.Hooks());
  EXPECT_TRUE(Eventually([&] { return daemon.exits == 1; }));
  EXPECT_EQ(daemon.pauses, 1);
  EXPECT_EQ(daemon.resumes, 0);
}

TEST(IdleExitTest, WhatIsOpenAndWhatHasBegunKeepIt) {
  FakeDaemon daemon;
  daemon.open = 1;
  const IdleExit idle(milliseconds(10), daemon.Hooks());
  daemon.AwaitPolls(5);
  EXPECT_EQ(daemon.pauses, 0);
  daemon.has_short_calls = true;
  daemon.open = 0;
  daemon.AwaitPolls(20);
  EXPECT_EQ(daemon.pauses, 0);
  EXPECT_EQ(daemon.exits, 0);
  daemon.has_short_calls = false;
  EXPECT_TRUE(Eventually([&] { return daemon.exits == 1; }));
}

TEST(IdleExitTest, WhoComesInTheLastMomentKeepsIt) {
  FakeDaemon daemon;
  daemon.is_late = true;
  const IdleExit idle(milliseconds(10), daemon.Hooks());
  EXPECT_TRUE(Eventually([&] { return daemon.resumes == 1; }));
  daemon.AwaitPolls(5);
  EXPECT_EQ(daemon.exits, 0);
  daemon.open = 0;
  EXPECT_TRUE(Eventually([&] { return daemon.exits == 1; }));
}

TEST(IdleExitTest, OneThatDrainsEndsWithItsLastSession) {
  FakeDaemon daemon;
  daemon.open = 1;
  daemon.draining = true;
  const IdleExit idle(std::chrono::hours(1), daemon.Hooks());
  daemon.AwaitPolls(2);
  EXPECT_EQ(daemon.exits, 0);
  daemon.open = 0;
  EXPECT_TRUE(Eventually([&] { return daemon.exits == 1; }));
  EXPECT_EQ(daemon.resumes, 0);
}

}  // namespace
}  // namespace acceld::lifetime
