#include "common/threads/fair_pool.h"

#include <future>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld {
namespace {

using ::testing::HasSubstr;

// A pool of one thread, kept busy until it is told to go on, and what it ran in which order.
class FairPoolTest : public ::testing::Test {
 protected:
  FairPoolTest() {
    std::promise<void> begun;
    const auto wait = [this, &begun] {
      begun.set_value();
      go_on_.get_future().wait();
    };
    EXPECT_TRUE(pool_.Submit({"busy"}, wait).ok());
    begun.get_future().wait();
  }
  absl::Status Submit(const FairPool::Requester& requester) {
    return pool_.Submit(requester, [this, name = requester.name] { order_ += name; });
  }
  std::string Order() {
    go_on_.set_value();
    pool_.Stop();
    return order_;
  }

  std::promise<void> go_on_;
  std::string order_;  // of the pool's one thread
  FairPool pool_{"test", 1, 40, 25};
};

TEST_F(FairPoolTest, AskersHaveTurnsHoweverMuchOneHasQueued) {
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(Submit({"a"}).ok());
  EXPECT_TRUE(Submit({"b"}).ok());
  EXPECT_TRUE(Submit({"b"}).ok());
  const std::string order = Order();
  EXPECT_EQ(order.size(), 10u);
  EXPECT_LE(order.rfind('b'), 4u) << order;
}

TEST_F(FairPoolTest, WhatIsUrgentGoesFirst) {
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Submit({"a"}).ok());
  EXPECT_TRUE(Submit({"i", Priority::kInteractive}).ok());
  EXPECT_EQ(Order().find('i'), 0u);
}

TEST_F(FairPoolTest, NobodyTakesTheWholeQueue) {
  int queued = 0;
  absl::Status status;
  while (queued < 40 && (status = Submit({"a"})).ok()) ++queued;
  EXPECT_EQ(queued, 10);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("a has 10 entries queued, its share of 40"));
  EXPECT_TRUE(Submit({"b"}).ok());
  // Admins may, to the end.
  while (queued < 40 && (status = Submit({.name = "admin", .has_share = false})).ok()) ++queued;
  EXPECT_THAT(std::string(status.message()), HasSubstr("of 40 entries are queued"));
  (void)Order();
}

TEST_F(FairPoolTest, WhatIsQueuedRunsBeforeItStops) {
  EXPECT_TRUE(Submit({"a"}).ok());
  EXPECT_TRUE(Submit({"b"}).ok());
  EXPECT_EQ(Order().size(), 2u);
  EXPECT_EQ(Submit({"a"}).code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace acceld
