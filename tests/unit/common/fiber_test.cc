#include "common/threads/fiber.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace acceld {
namespace {

using ::testing::ElementsAre;

TEST(FiberTest, RunsOnTheCallingThreadUntilItSuspendsItself) {
  std::vector<std::string> events;
  const auto fiber = *Fiber::Create([&] {
    events.push_back("begin");
    Fiber::Current()->Suspend();
    events.push_back("end");
  });
  EXPECT_THAT(events, ElementsAre());
  fiber->Resume();
  events.push_back("suspended");
  EXPECT_FALSE(fiber->has_ended());
  fiber->Resume();
  EXPECT_TRUE(fiber->has_ended());
  EXPECT_THAT(events, ElementsAre("begin", "suspended", "end"));
}

TEST(FiberTest, SeveralOnOneThreadTakeTurnsAndKeepTheirVariables) {
  constexpr int kFibers = 70, kTurns = 100;
  std::vector<int> order;
  std::vector<std::unique_ptr<Fiber>> fibers;
  for (int i = 0; i < kFibers; ++i) {
    fibers.push_back(*Fiber::Create([&order, i] {
      std::vector<int> own(100, i);
      for (int turn = 0; turn < kTurns; ++turn) {
        Fiber::Current()->Suspend();
        order.push_back(own[static_cast<size_t>(turn)]);
      }
    }));
  }
  while (!std::all_of(fibers.begin(), fibers.end(), [](auto& f) { return f->has_ended(); })) {
    for (const auto& fiber : fibers) fiber->Resume();
  }
  ASSERT_EQ(order.size(), size_t{kFibers * kTurns});
  for (size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<int>(i % kFibers));
}

TEST(FiberTest, TheCurrentOneIsKnownToItAlone) {
  EXPECT_EQ(Fiber::Current(), nullptr);
  const Fiber* seen_first = nullptr;
  const Fiber* seen_again = nullptr;
  const auto fiber = *Fiber::Create([&] {
    seen_first = Fiber::Current();
    Fiber::Current()->Suspend();
    seen_again = Fiber::Current();
  });
  fiber->Resume();
  EXPECT_EQ(Fiber::Current(), nullptr);
  fiber->Resume();
  EXPECT_EQ(seen_first, fiber.get());
  EXPECT_EQ(seen_again, fiber.get());
}

// Uses about so many KiB of stack.
int UseStack(int kilobytes) {
  volatile char bytes[1024];
  bytes[0] = static_cast<char>(kilobytes);
  return kilobytes <= 1 ? bytes[0] : UseStack(kilobytes - 1) + bytes[0];
}

TEST(FiberTest, HasAStackAsLargeAsThatOfAThread) {
  int result = 0;
  const auto fiber = *Fiber::Create([&] { result = UseStack(4096); });
  fiber->Resume();
  EXPECT_NE(result, 0);
}

TEST(FiberTest, ThoseOfSeveralThreadsAreIndependent) {
  std::vector<std::thread> threads;
  std::vector<int> sums(4);
  for (size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&sum = sums[t]] {
      for (int round = 0; round < 200; ++round) {
        std::vector<std::unique_ptr<Fiber>> fibers;
        for (int i = 0; i < 3; ++i) {
          fibers.push_back(*Fiber::Create([&sum] {
            ++sum;
            Fiber::Current()->Suspend();
            ++sum;
          }));
        }
        for (int turn = 0; turn < 2; ++turn) {
          for (const auto& fiber : fibers) fiber->Resume();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(sums, testing::Each(1200));
}

TEST(FiberTest, OneThatNeverBeganCanBeDestroyed) {
  bool ran = false;
  {
    const auto fiber = *Fiber::Create([&] { ran = true; });
  }
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace acceld
