#include "server/hal/cpu/idle_core_detector.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "server/hal/cpu/host_info.h"

namespace acceld::hal::cpu {
namespace {

using std::chrono::milliseconds;
using Times = IdleCoreDetector::Times;

// A machine with four cores, all of which the process may use.
class FourCores {
 public:
  // The parts of a core's time, in percent, that threads use.
  struct Load {
    int asking_thread = 0;
    int other_threads = 0;
    int other_processes = 0;
  };

  // Lets time pass, with calls of the detector every 10 ms. Returns what the last one said.
  bool HasIdleCoreAfter(milliseconds time, const Load& load) {
    bool has_idle_core = true;
    for (milliseconds passed{0}; passed < time; passed += kTick) {
      const int used = load.asking_thread + load.other_threads + load.other_processes;
      times_.now += kTick;
      times_.thread += kTick * load.asking_thread / 100;
      times_.process += kTick * (load.asking_thread + load.other_threads) / 100;
      if (times_.idle.has_value()) *times_.idle += kTick * (400 - used) / 100;
      has_idle_core = detector_.HasIdleCore();
    }
    return has_idle_core;
  }

 protected:
  explicit FourCores(const Times& times) : times_(times) {}

 private:
  static constexpr milliseconds kTick{10};

  Times times_;
  IdleCoreDetector detector_{4, [this] { return times_; }};
};

struct Machine : FourCores {
  Machine() : FourCores({.now = kUp, .process = {}, .thread = {}, .idle = 3 * kUp}) {}
  static constexpr std::chrono::hours kUp{1};
};

struct MachineWithoutIdleTimes : FourCores {
  MachineWithoutIdleTimes()
      : FourCores({.now = Machine::kUp, .process = {}, .thread = {}, .idle = absl::nullopt}) {}
};

constexpr milliseconds kMoment{10}, kWhile{500};

TEST(IdleCoreDetectorTest, SeesAtOnceWhetherOtherThreadsLeaveACore) {
  Machine machine;
  EXPECT_TRUE(machine.HasIdleCoreAfter(kMoment, {.other_threads = 300}));
  EXPECT_FALSE(machine.HasIdleCoreAfter(kMoment, {.other_threads = 330}));
  EXPECT_TRUE(machine.HasIdleCoreAfter(kMoment, {.other_threads = 300}));
}

TEST(IdleCoreDetectorTest, SeesAfterAWhileWhetherOtherProcessesLeaveACore) {
  Machine machine;
  EXPECT_TRUE(machine.HasIdleCoreAfter(kWhile, {.other_processes = 300}));
  EXPECT_FALSE(machine.HasIdleCoreAfter(kWhile, {.other_processes = 330}));
  EXPECT_TRUE(machine.HasIdleCoreAfter(kWhile, {.other_processes = 300}));
}

TEST(IdleCoreDetectorTest, CountsOtherThreadsAndOtherProcessesTogether) {
  Machine machine;
  EXPECT_FALSE(machine.HasIdleCoreAfter(kWhile, {.other_threads = 200, .other_processes = 150}));
  EXPECT_TRUE(machine.HasIdleCoreAfter(kWhile, {.other_threads = 150, .other_processes = 150}));
}

TEST(IdleCoreDetectorTest, DoesNotCountTheThreadThatAsks) {
  Machine machine;
  EXPECT_TRUE(machine.HasIdleCoreAfter(kWhile, {.asking_thread = 100, .other_processes = 300}));
  EXPECT_TRUE(machine.HasIdleCoreAfter(kWhile, {.asking_thread = 100, .other_threads = 300}));
}

TEST(IdleCoreDetectorTest, JudgesByTheProcessWhereTheSystemDoesNotTellIdleTimes) {
  MachineWithoutIdleTimes machine;
  EXPECT_TRUE(machine.HasIdleCoreAfter(kWhile, {.other_processes = 400}));
  EXPECT_FALSE(machine.HasIdleCoreAfter(kWhile, {.other_threads = 400}));
}

TEST(IdleCoreDetectorTest, SeesThatThreadsKeepAllCoresOfThisMachineBusy) {
  IdleCoreDetector detector;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2 * AvailableCores(); ++i) {
    // They read it seldom: the thread sanitizer locks what it knows of an atomic, and readers that
    // never pause would keep the store below waiting.
    threads.emplace_back([&] {
      while (!stop.load()) {
        for (int i = 0; i < 1'000'000; ++i) asm volatile("" ::: "memory");
      }
    });
  }
  bool has_idle_core = true;
  for (int poll = 0; poll < 100 && has_idle_core; ++poll) {
    std::this_thread::sleep_for(milliseconds(100));
    has_idle_core = detector.HasIdleCore();
  }
  EXPECT_FALSE(has_idle_core);
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace acceld::hal::cpu
