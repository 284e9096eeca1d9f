#include "common/threads/thread_pool.h"

#include <atomic>
#include <vector>

#include "common/threads/future.h"
#include "gtest/gtest.h"

namespace acceld {
namespace {

TEST(ThreadPoolTest, OneThreadRunsWorkInTheOrderOfSubmission) {
  std::vector<int> order;
  {
    ThreadPool pool("test", 1, 100);
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(pool.Submit([&order, i] { order.push_back(i); }).ok());
    }
  }
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[i], i);
}

TEST(ThreadPoolTest, FullQueueRefusesInsteadOfWaiting) {
  Promise<Unit> started;
  Promise<Unit> release;
  const Future<Unit> has_started = started.future();
  std::atomic<int> ran = 0;
  {
    ThreadPool pool("test", 1, 2);
    ASSERT_TRUE(pool.Submit([&, gate = release.future()] {
                      started.Set(Unit{});
                      (void)gate.Await();
                    })
                    .ok());
    (void)has_started.Await();
    EXPECT_TRUE(pool.Submit([&] { ++ran; }).ok());
    EXPECT_TRUE(pool.Submit([&] { ++ran; }).ok());
    EXPECT_EQ(pool.Submit([&] { ++ran; }).code(), absl::StatusCode::kResourceExhausted);
    release.Set(Unit{});
  }
  EXPECT_EQ(ran, 2);
}

TEST(ThreadPoolTest, ThreadsRunAtTheSameTime) {
  // Each of the two waits for the other.
  Promise<Unit> first;
  Promise<Unit> second;
  const Future<Unit> first_done = first.future();
  const Future<Unit> second_done = second.future();
  {
    ThreadPool pool("test", 2, 2);
    ASSERT_TRUE(pool.Submit([&] {
                      first.Set(Unit{});
                      (void)second_done.Await();
                    })
                    .ok());
    ASSERT_TRUE(pool.Submit([&] {
                      (void)first_done.Await();
                      second.Set(Unit{});
                    })
                    .ok());
  }
  EXPECT_TRUE(second_done.IsReady());
}

TEST(ThreadPoolTest, DestructorRunsWhatIsQueued) {
  std::atomic<int> ran = 0;
  {
    ThreadPool pool("test", 3, 1000);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(pool.Submit([&] { ++ran; }).ok());
  }
  EXPECT_EQ(ran, 1000);
}

}  // namespace
}  // namespace acceld
