#include "server/cache/compile_pool.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/threads/future.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/eventually.h"

namespace acceld::cache {
namespace {

using ::acceld::testing::Eventually;
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
    const auto submit = [&](const std::string& identity, std::vector<int> Niceness::* niceness) {
      const auto job = std::make_shared<CompileJob>([&, niceness] {
        (void)may_end.Await();
        MutexLock lock(seen.mutex);
        (seen.*niceness).push_back(getpriority(PRIO_PROCESS, 0));
      });
      ASSERT_TRUE(pool.Submit(job, {Requester{identity}}).ok());
    };
    for (int i = 0; i < 20; ++i) submit("ann", &Niceness::of_ann);
    submit("bob", &Niceness::of_bob);
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
    for (size_t i = 0; i < CompileSchedule::kManyQueued; ++i) {
      auto end = std::make_shared<Promise<Unit>>();
      ends.push_back(end->future());
      const auto job = std::make_shared<CompileJob>([end, usual] {
        EXPECT_EQ(getpriority(PRIO_PROCESS, 0), usual);
        end->Set(Unit{});
      });
      ASSERT_TRUE(pool.Submit(job, {Requester{"ann"}}).ok());
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
      ASSERT_TRUE(pool.Submit(job, {Requester{i % 3 == 0 ? "ann" : "bob"}}).ok());
    }
  }
  EXPECT_EQ(ended.load(), 100);
}

// A pool, and jobs that do not end before a test says so.
class CompilePoolOfBlockedJobsTest : public ::testing::Test {
 protected:
  ~CompilePoolOfBlockedJobsTest() override { Release(); }

  void Open(size_t threads) { pool_ = std::make_unique<CompilePool>(threads, 1000); }
  std::shared_ptr<CompileJob> Submit(const std::string& identity, std::function<void()> work) {
    auto job = std::make_shared<CompileJob>(std::move(work));
    EXPECT_TRUE(pool_->Submit(job, {Requester{identity}}).ok());
    return job;
  }
  std::shared_ptr<CompileJob> SubmitBlocked(const std::string& identity) {
    return Submit(identity, [this, identity] {
      Begin(identity);
      (void)may_end_.Await();
    });
  }
  // The end of a job that need not wait for anything but its turn.
  Future<Unit> SubmitShort(const std::string& identity) {
    auto end = std::make_shared<Promise<Unit>>();
    Future<Unit> ended = end->future();
    Submit(identity, [this, identity, end] {
      Begin(identity);
      end->Set(Unit{});
    });
    return ended;
  }
  void Begin(const std::string& identity) {
    MutexLock lock(mutex_);
    ++begun_[identity];
  }
  // Waits until so many jobs of an identity have begun.
  bool HasBegun(const std::string& identity, int count) {
    return Eventually([&] { return Begun(identity) >= count; });
  }
  int Begun(const std::string& identity) {
    MutexLock lock(mutex_);
    return begun_[identity];
  }
  static bool IsSoonReady(const Future<Unit>& end) {
    return Eventually([&] { return end.IsReady(); });
  }
  void Release() {
    if (!std::exchange(is_released_, true)) released_.Set(Unit{});
  }
  // Long enough for an extra job to begin, if there is one. A test does not depend on it to pass.
  static void GiveTime() { std::this_thread::sleep_for(3 * CompilePool::kExtraThreadDelay); }

  Promise<Unit> released_;
  const Future<Unit> may_end_ = released_.future();
  bool is_released_ = false;
  Mutex mutex_;
  std::map<std::string, int> begun_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<CompilePool> pool_;
};

TEST_F(CompilePoolOfBlockedJobsTest, WhoHasNothingRunningDoesNotWaitForAnothersLongJobs) {
  Open(2);
  SubmitBlocked("ann");
  SubmitBlocked("ann");
  ASSERT_TRUE(HasBegun("ann", 2));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(IsSoonReady(SubmitShort("bob")));
  std::vector<Future<Unit>> ends;
  for (int i = 0; i < 100; ++i) ends.push_back(SubmitShort(i % 2 == 0 ? "bob" : "cid"));
  for (const Future<Unit>& end : ends) ASSERT_TRUE(IsSoonReady(end));
  EXPECT_TRUE(Eventually([&] { return pool_->stats().running == 2; }));
}

TEST_F(CompilePoolOfBlockedJobsTest, WhoHasManyDoesNotWaitEither) {
  Open(1);
  std::vector<Future<Unit>> ends;
  for (int i = 0; i < 20; ++i) SubmitBlocked("ann");
  ASSERT_TRUE(HasBegun("ann", 1));
  for (const char* identity : {"bob", "cid"}) {
    for (int i = 0; i < 20; ++i) ends.push_back(SubmitShort(identity));
  }
  for (const Future<Unit>& end : ends) ASSERT_TRUE(IsSoonReady(end));
  EXPECT_EQ(Begun("ann"), 1);
}

TEST_F(CompilePoolOfBlockedJobsTest, WhoJoinsAJobThatWaitsDoesNotWaitEither) {
  Open(1);
  SubmitBlocked("ann");
  ASSERT_TRUE(HasBegun("ann", 1));
  const auto job = SubmitBlocked("ann");
  pool_->AddRequester(job, Requester{"bob"});
  ASSERT_TRUE(HasBegun("ann", 2));
}

TEST_F(CompilePoolOfBlockedJobsTest, WhoHasAJobThatRunsWaitsForItsTurn) {
  Open(2);
  for (int i = 0; i < 3; ++i) SubmitBlocked("ann");
  ASSERT_TRUE(HasBegun("ann", 2));
  for (int i = 0; i < 2; ++i) SubmitBlocked("bob");
  ASSERT_TRUE(HasBegun("bob", 1));
  GiveTime();
  EXPECT_EQ(Begun("ann"), 2);
  EXPECT_EQ(Begun("bob"), 1);
  EXPECT_EQ(pool_->stats().queued, 2u);
}

TEST_F(CompilePoolOfBlockedJobsTest, NoMoreExtraJobsRunThanTheBound) {
  Open(2);
  SubmitBlocked("ann");
  SubmitBlocked("ann");
  ASSERT_TRUE(HasBegun("ann", 2));
  const size_t bound = 2 + CompilePool::MaxExtra(2);
  EXPECT_EQ(bound, 6u);
  for (int i = 0; i < 20; ++i) SubmitBlocked(std::to_string(i));
  EXPECT_TRUE(Eventually([&] { return pool_->stats().running == bound; }));
  GiveTime();
  EXPECT_EQ(pool_->stats().running, bound);
  EXPECT_EQ(pool_->stats().queued, 16u);
  Release();
  pool_->Stop();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Begun(std::to_string(i)), 1);
}

TEST_F(CompilePoolOfBlockedJobsTest, WhatIsQueuedIsRunWhenItStopsWithExtraJobs) {
  Open(1);
  SubmitBlocked("ann");
  for (int i = 0; i < 2; ++i) {
    for (const char* identity : {"bob", "cid"}) SubmitBlocked(identity);
  }
  ASSERT_TRUE(HasBegun("bob", 1));
  ASSERT_TRUE(HasBegun("cid", 1));
  std::thread stopping([this] { pool_->Stop(); });
  Release();
  stopping.join();
  EXPECT_EQ(Begun("bob"), 2);
  EXPECT_EQ(Begun("cid"), 2);
  EXPECT_EQ(pool_->stats().running, 0u);
}

TEST_F(CompilePoolOfBlockedJobsTest, WhoComesWhileItStopsIsRefused) {
  Open(1);
  SubmitBlocked("ann");
  ASSERT_TRUE(HasBegun("ann", 1));
  SubmitBlocked("bob");
  ASSERT_TRUE(HasBegun("bob", 1));
  std::thread stopping([this] { pool_->Stop(); });
  const auto refused = [this] {
    const auto job = std::make_shared<CompileJob>([] {});
    return absl::IsUnavailable(pool_->Submit(job, {Requester{"cid"}}));
  };
  while (!refused()) std::this_thread::yield();
  Release();
  stopping.join();
}

TEST_F(CompilePoolOfBlockedJobsTest, NoThreadIsStartedWhileNobodyNeedsIt) {
  Open(3);
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  const auto before = threads();
  for (const char* identity : {"ann", "bob", "cid"}) SubmitBlocked(identity);
  for (const char* identity : {"ann", "bob", "cid"}) EXPECT_TRUE(HasBegun(identity, 1));
  SubmitBlocked("ann");
  EXPECT_EQ(threads(), before);
  SubmitBlocked("dan");
  EXPECT_TRUE(HasBegun("dan", 1));
  EXPECT_GT(threads(), before);
}

}  // namespace
}  // namespace acceld::cache
