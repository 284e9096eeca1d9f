#include "common/threads/future.h"

#include <atomic>
#include <memory>
#include <thread>

#include "gtest/gtest.h"

namespace acceld {
namespace {

TEST(FutureTest, AwaitReturnsWhatAnotherThreadSets) {
  Promise<int> promise;
  const Future<int> future = promise.future();
  std::thread setter([&promise] { promise.Set(7); });
  EXPECT_EQ(*future.Await(), 7);
  EXPECT_TRUE(future.IsReady());
  setter.join();
}

TEST(FutureTest, AwaitUntilGivesUpAtTheDeadline) {
  Promise<int> promise;
  const Future<int> future = promise.future();
  EXPECT_EQ(future.AwaitUntil(std::chrono::steady_clock::now()), nullptr);
  promise.Set(7);
  const absl::StatusOr<int>* value = future.AwaitUntil(std::chrono::steady_clock::now());
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(**value, 7);
}

TEST(FutureTest, CallbackAfterTheValueRunsAtOnce) {
  const Future<int> future(5);
  int seen = 0;
  future.OnReady([&](const absl::StatusOr<int>& value) { seen = *value; });
  EXPECT_EQ(seen, 5);
}

TEST(FutureTest, DroppedPromiseCancelsItsFutures) {
  Future<int> future;
  {
    Promise<int> promise;
    future = promise.future();
  }
  EXPECT_EQ(future.Await().status().code(), absl::StatusCode::kCancelled);
}

TEST(FutureTest, MoveAssignmentAbandonsTheOverwrittenPromise) {
  Promise<int> first;
  const Future<int> first_future = first.future();
  Promise<int> second;
  const Future<int> second_future = second.future();
  first = std::move(second);
  EXPECT_EQ(first_future.Await().status().code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(second_future.IsReady());
  first.Set(2);
  EXPECT_EQ(*second_future.Await(), 2);
}

// The callback may free everything that led to it.
TEST(FutureTest, CallbackMayDestroyTheOwnerOfThePromise) {
  auto owner = std::make_unique<Promise<int>>();
  bool called = false;
  owner->future().OnReady([&](const absl::StatusOr<int>&) {
    owner.reset();
    called = true;
  });
  owner->Set(1);
  EXPECT_TRUE(called);
  EXPECT_EQ(owner, nullptr);
}

TEST(FutureTest, EveryCallbackRunsOnceWhileSettingRaces) {
  constexpr int kRounds = 200;
  constexpr int kThreads = 4;
  for (int round = 0; round < kRounds; ++round) {
    Promise<int> promise;
    const Future<int> future = promise.future();
    std::atomic<int> calls = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back(
          [&] { future.OnReady([&](const absl::StatusOr<int>& value) { calls += *value; }); });
    }
    promise.Set(1);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(calls, kThreads);
  }
}

}  // namespace
}  // namespace acceld
