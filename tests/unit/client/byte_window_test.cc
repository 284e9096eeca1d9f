#include "client/transport/bulk/byte_window.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ByteWindowTest, WhatDoesNotFitStartsInOrderWhenThereIsRoom) {
  ByteWindow window(100);
  std::vector<int> started;
  for (int i = 0; i < 4; ++i) window.Enter(40, [&started, i] { started.push_back(i); });
  EXPECT_THAT(started, ElementsAre(0, 1));
  EXPECT_FALSE(window.TryEnter(1));  // It would overtake.
  window.Leave(40);
  EXPECT_THAT(started, ElementsAre(0, 1, 2));
  window.Leave(40);
  EXPECT_THAT(started, ElementsAre(0, 1, 2, 3));
  EXPECT_TRUE(window.TryEnter(20));
  EXPECT_FALSE(window.TryEnter(1));
}

TEST(ByteWindowTest, WhatIsLargerThanTheLimitGoesAlone) {
  ByteWindow window(100);
  std::vector<int> started;
  EXPECT_TRUE(window.TryEnter(10));
  window.Enter(1000, [&] { started.push_back(0); });
  window.Enter(10, [&] { started.push_back(1); });
  EXPECT_THAT(started, IsEmpty());
  window.Leave(10);
  EXPECT_THAT(started, ElementsAre(0));
  window.Leave(1000);
  EXPECT_THAT(started, ElementsAre(0, 1));
}

// As all that wait do when the connection is lost; each on the stack of the one before, they would
// overflow it.
TEST(ByteWindowTest, AMillionThatEndAtOnceUseOneStack) {
  ByteWindow window(1);
  int started = 0;
  EXPECT_TRUE(window.TryEnter(1));
  for (int i = 0; i < 1'000'000; ++i) {
    window.Enter(1, [&] {
      ++started;
      window.Leave(1);
    });
  }
  window.Leave(1);
  EXPECT_EQ(started, 1'000'000);
}

TEST(ByteWindowTest, ThreadsStayUnderTheLimit) {
  ByteWindow window(100);
  std::atomic<int64_t> under_way{0};
  std::atomic<int> started{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        window.Enter(30, [&] {
          EXPECT_LE(under_way.fetch_add(30) + 30, 100);
          started.fetch_add(1);
          under_way.fetch_sub(30);
          window.Leave(30);
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(started, 20'000);
}

}  // namespace
}  // namespace acceld::client
