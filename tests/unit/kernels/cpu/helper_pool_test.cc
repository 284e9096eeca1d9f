#include "kernels/cpu/support/helper_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "common/threads/core_mover.h"

namespace acceld::kernels::cpu {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

bool HasCores() { return std::thread::hardware_concurrency() > 1; }

// Whether `ready` came true in time.
template <typename Ready>
bool Await(const Ready& ready, Clock::duration longest) {
  const Clock::time_point end = Clock::now() + longest;
  while (!ready()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

TEST(HelperPoolTest, WorkIsDoneByTheCallerAloneWhereNoHelpersAreWanted) {
  HelperPool pool;
  std::set<std::thread::id> threads;
  pool.Run(0, [&] { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(HelperPoolTest, HelpersJoinWhileTheCallerWorksAndNoneIsInsideAfterwards) {
  HelperPool pool;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> entered{0}, left{0};
    pool.Run(3, [&] {
      ++entered;
      EXPECT_TRUE(Await([&] { return entered == 4; }, std::chrono::seconds(30)));
      ++left;
    });
    EXPECT_EQ(entered, 4);
    EXPECT_EQ(left, 4);
  }
}

TEST(HelperPoolTest, CallersShareThePool) {
  HelperPool pool;
  std::atomic<int> calls{0};
  std::array<std::thread, 4> callers;
  for (std::thread& caller : callers) {
    caller = std::thread([&] {
      for (int round = 0; round < 200; ++round) pool.Run(2, [&] { ++calls; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_GE(calls, 4 * 200);
  EXPECT_LE(calls, 4 * 200 * 3);
}

// In how many of so many rounds a helper that slept has begun on another core than the caller's.
int Partings(HelperPool& pool, int rounds) {
  int parted = 0;
  for (int round = 0; round < rounds; ++round) {
    std::this_thread::sleep_for(milliseconds(3));  // so that it sleeps again
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> helpers_core{-1};
    bool differs = false;
    pool.Run(1, [&] {
      if (std::this_thread::get_id() != caller) {
        helpers_core = CurrentCore();
        return;
      }
      // Does not sleep: the core is not given away.
      const Clock::time_point end = Clock::now() + milliseconds(2);
      while (helpers_core < 0 && Clock::now() < end) continue;
      differs = helpers_core >= 0 && helpers_core != CurrentCore();
    });
    parted += differs;
  }
  return parted;
}

TEST(HelperPoolTest, AHelperThatSleptGoesToAnotherCoreThanTheCallers) {
  if (!HasCores()) GTEST_SKIP() << "there is one core";
  constexpr int kRounds = 20;
  HelperPool pool;
  int parted = 0;
  // The system may be busy for a while.
  for (int attempt = 0; attempt < 5; ++attempt) parted = std::max(parted, Partings(pool, kRounds));
  EXPECT_GE(parted, kRounds * 3 / 4);
}

}  // namespace
}  // namespace acceld::kernels::cpu
