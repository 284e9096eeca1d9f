#include "common/threads/core_mover.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace acceld {
namespace {

// The calling thread's.
cpu_set_t AllowedCores() {
  cpu_set_t cores;
  EXPECT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
  return cores;
}

void AllowOnly(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  ASSERT_EQ(sched_setaffinity(0, sizeof cores, &cores), 0);
}

// Runs `body` on a thread of its own, which may be moved about.
template <typename Body>
void OnThread(const Body& body) {
  std::thread(body).join();
}

// How many times in so many meetings on its core a thread that may use all of them has left it. Now
// and then the scheduler moves it too.
int Departures(CoreMover& mover, int meetings) {
  int departures = 0;
  for (int i = 0; i < meetings; ++i) {
    const cpu_set_t all = AllowedCores();
    const int core = CurrentCore();
    AllowOnly(core);
    EXPECT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
    mover.MoveOffCore(core);
    const cpu_set_t afterwards = AllowedCores();
    EXPECT_TRUE(CPU_EQUAL(&all, &afterwards));
    departures += CurrentCore() != core;
  }
  return departures;
}

TEST(CoreMoverTest, LeavesACoreForAnotherOneAndMayStillUseAll) {
  const cpu_set_t all = AllowedCores();
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "there is one core";
  OnThread([] {
    int departures = 0;
    for (int i = 0; i < 20; ++i) {
      CoreMover mover(1);
      departures += Departures(mover, 1);
    }
    EXPECT_GT(departures, 10);
  });
}

TEST(CoreMoverTest, StaysUntilItHasMetTheOtherThreadOften) {
  const cpu_set_t all = AllowedCores();
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "there is one core";
  OnThread([] {
    CoreMover mover(100);
    EXPECT_LT(Departures(mover, 99), 50);
    int departures = 0;
    for (int i = 0; i < 20; ++i) {
      CoreMover impatient(5);
      departures += Departures(impatient, 5) > 0;
    }
    EXPECT_GT(departures, 10);
  });
}

TEST(CoreMoverTest, StaysWhereItIsWhenThatIsAnotherCoreOrTheOnlyOneOrNone) {
  OnThread([] {
    const int core = CurrentCore();
    AllowOnly(core);
    CoreMover mover(1);
    for (const int met : {core, core + 1, -1, 1 << 30}) {
      mover.MoveOffCore(met);
      EXPECT_EQ(CurrentCore(), core);
      const cpu_set_t allowed = AllowedCores();
      EXPECT_EQ(CPU_COUNT(&allowed), 1);
    }
  });
}

}  // namespace
}  // namespace acceld
