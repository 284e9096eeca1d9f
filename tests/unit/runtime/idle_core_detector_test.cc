#include "server/hal/cpu/idle_core_detector.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "server/hal/cpu/host_info.h"

namespace acceld::hal::cpu {
namespace {

constexpr std::chrono::milliseconds kWhile{100};

TEST(IdleProcessTest, SeesWhetherOtherThreadsLeaveACore) {
  IdleCoreDetector process;
  process.HasIdleCore();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16 * AvailableCores(); ++i) {
    // They read it seldom: the thread sanitizer locks what it knows of an atomic, and readers that
    // never pause would keep the store below waiting.
    threads.emplace_back([&] {
      while (!stop.load()) {
        for (int i = 0; i < 1'000'000; ++i) asm volatile("" ::: "memory");
      }
    });
  }
  // Other processes may take the cores for a while.
  bool leaves_a_core = true;
  for (int poll = 0; poll < 100 && leaves_a_core; ++poll) {
    std::this_thread::sleep_for(kWhile);
    leaves_a_core = process.HasIdleCore();
  }
  EXPECT_FALSE(leaves_a_core);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  process.HasIdleCore();
  std::this_thread::sleep_for(kWhile);
  EXPECT_TRUE(process.HasIdleCore());
}

TEST(IdleProcessTest, DoesNotCountTheThreadThatAsks) {
  IdleCoreDetector process;
  process.HasIdleCore();
  const auto end = std::chrono::steady_clock::now() + kWhile;
  while (std::chrono::steady_clock::now() < end) continue;
  EXPECT_TRUE(process.HasIdleCore());
}

}  // namespace
}  // namespace acceld::hal::cpu
