#include "server/cache/compile_pool.h"

#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/future.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

// How much the thread that runs a job gives way.
struct Niceness {
  Mutex mutex;
  std::vector<int> of_ann ABSL_GUARDED_BY(mutex), of_bob ABSL_GUARDED_BY(mutex);
};

TEST(CompilePoolTest, JobsOfWhoHasManyGiveWayAndThoseOfOthersDoNot) {
  const int usual = getpriority(PRIO_PROCESS, 0);
  Niceness seen;
  Promise<Unit> promise;
  const Future<Unit> may_end = promise.future();
  {
    CompilePool pool(2, 1000);
    const auto submit = [&](const std::string& identity, std::vector<int>& niceness) {
      const auto job = std::make_shared<CompileJob>([&] {
        (void)may_end.Await();
        MutexLock lock(seen.mutex);
        niceness.push_back(getpriority(PRIO_PROCESS, 0));
      });
      ASSERT_TRUE(pool.Submit(job, {Asker{identity}}).ok());
    };
    for (int i = 0; i < 20; ++i) submit("ann", seen.of_ann);
    submit("bob", seen.of_bob);
    EXPECT_LE(pool.stats().running, 2u);
    promise.Set(Unit{});
  }
  MutexLock lock(seen.mutex);
  EXPECT_THAT(seen.of_bob, ElementsAre(usual));
  EXPECT_EQ(seen.of_ann.size(), 20u);
  EXPECT_THAT(seen.of_ann, IsSupersetOf({usual, std::min(usual + 10, 19)}));
}

TEST(CompilePoolTest, FewJobsAtATimeAreNobodysMany) {
  const int usual = getpriority(PRIO_PROCESS, 0);
  CompilePool pool(2, 1000);
  for (int round = 0; round < 20; ++round) {
    std::vector<Future<Unit>> ends;
    for (size_t i = 0; i < CompileSchedule::kMany; ++i) {
      auto end = std::make_shared<Promise<Unit>>();
      ends.push_back(end->future());
      const auto job = std::make_shared<CompileJob>([end, usual] {
        EXPECT_EQ(getpriority(PRIO_PROCESS, 0), usual);
        end->Set(Unit{});
      });
      ASSERT_TRUE(pool.Submit(job, {Asker{"ann"}}).ok());
    }
    for (const Future<Unit>& end : ends) (void)end.Await();
  }
}

TEST(CompilePoolTest, WhatIsQueuedIsRunBeforeItStops) {
  std::atomic<int> ended{0};
  {
    CompilePool pool(3, 1000);
    for (int i = 0; i < 100; ++i) {
      const auto job = std::make_shared<CompileJob>([&] { ended.fetch_add(1); });
      ASSERT_TRUE(pool.Submit(job, {Asker{i % 3 == 0 ? "ann" : "bob"}}).ok());
    }
  }
  EXPECT_EQ(ended.load(), 100);
}

}  // namespace
}  // namespace acceld::cache
