#include "common/thread_priority.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace acceld {
namespace {

int NiceOfThisThread() { return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())); }

TEST(ThreadPriorityTest, OnlyThisThreadStepsBackAndOnlyOnce) {
  const int before = NiceOfThisThread();
  std::thread([before] {
    LowerThreadPriority();
    const int lower = std::min(before + 5, 19);
    EXPECT_EQ(NiceOfThisThread(), lower);
    // Those that it makes begin where it is.
    std::thread([lower] {
      LowerThreadPriority();
      EXPECT_EQ(NiceOfThisThread(), lower);
    }).join();
  }).join();
  EXPECT_EQ(NiceOfThisThread(), before);
}

}  // namespace
}  // namespace acceld
