#include "common/threads/thread_priority.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "gtest/gtest.h"
#include "tests/support/daemon/as_user.h"

namespace acceld {
namespace {

int Nice() { return getpriority(PRIO_PROCESS, 0); }

// Whether this thread may lower its nice value.
bool MayGoBefore() {
  bool may = false;
  std::thread([&] { may = setpriority(PRIO_PROCESS, 0, Nice() - kMessageNice) == 0; }).join();
  return may;
}

TEST(ThreadPriorityTest, ThreadsThatCarryMessagesGoBeforeThoseTheyStart) {
  if (Nice() != 0 || !MayGoBefore()) GTEST_SKIP() << "the system does not permit it here";
  std::thread([] {
    PrioritizeMessageThread();
    EXPECT_EQ(Nice(), -kMessageNice);
    std::thread([] { EXPECT_EQ(Nice(), 0); }).join();
  }).join();
  EXPECT_EQ(Nice(), 0);
}

TEST(ThreadPriorityTest, NothingChangesWhereTheSystemDoesNotPermitIt) {
  if (Nice() != 0) GTEST_SKIP() << "this test itself has a nice value";
  // What permits it: the capability, and a limit that stands in for it.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NICE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NICE, &none), 0);
  testing::AsUser(getuid() == 0 ? 12345 : getuid(), [] {
    PrioritizeMessageThread();
    EXPECT_EQ(Nice(), 0);
  });
  EXPECT_EQ(setrlimit(RLIMIT_NICE, &before), 0);
}

TEST(ThreadPriorityTest, AProcessThatGivesWayDoesSoWithAllItsThreads) {
  std::thread([] {
    ASSERT_EQ(setpriority(PRIO_PROCESS, 0, 15), 0);
    PrioritizeMessageThread();
    EXPECT_EQ(Nice(), 15);
  }).join();
}

TEST(ThreadPriorityTest, ShortSlicesChangeNoNiceValue) {
  std::thread([] {
    const int before = Nice();
    PreferShortSlices();
    EXPECT_EQ(Nice(), before);
  }).join();
}

}  // namespace
}  // namespace acceld
