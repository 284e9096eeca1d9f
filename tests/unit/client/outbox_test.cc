#include "client/transport/channel/outbox.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace acceld::client {
namespace {

constexpr auto kBlock = CommandOutbox::WhenFull::kBlock;
constexpr auto kGrow = CommandOutbox::WhenFull::kGrow;

v1::Command Await(uint64_t id) {
  v1::Command command;
  command.mutable_await()->set_request_id(id);
  return command;
}

TEST(CommandOutbox, BatchesWhatAccumulatedInOrder) {
  CommandOutbox outbox(100);
  for (uint64_t i = 0; i < 10; ++i) ASSERT_EQ(*outbox.Append(Await(i), kBlock), i + 1);
  CommandOutbox::SharedBatch batch;
  ASSERT_NE(batch = outbox.Take(), nullptr);
  ASSERT_EQ(batch->commands_size(), 10);
  for (uint64_t i = 0; i < 10; ++i) EXPECT_EQ(batch->commands(i).await().request_id(), i);
}

TEST(CommandOutbox, ReleasesFollowAllEarlierCommands) {
  CommandOutbox outbox(4);  // Batches of two.
  for (uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(outbox.Append(Await(i), kBlock).ok());
  outbox.Release(7);
  outbox.Release(8);
  CommandOutbox::SharedBatch batch;
  ASSERT_NE(batch = outbox.Take(), nullptr);
  EXPECT_EQ(batch->commands_size(), 2);
  EXPECT_FALSE(batch->commands(1).has_release());
  ASSERT_NE(batch = outbox.Take(), nullptr);
  ASSERT_EQ(batch->commands_size(), 2);
  EXPECT_EQ(batch->commands(1).release().handles_size(), 2);
}

TEST(CommandOutbox, ReleasesAreNotHeldBackByAQueueThatNeverEmpties) {
  CommandOutbox outbox(8);  // Batches of four.
  uint64_t appended = 0;
  const auto append_and_release = [&] {
    ++appended;
    ASSERT_TRUE(outbox.Append(Await(appended), kBlock).ok());
    outbox.Release(appended);
  };
  for (int i = 0; i < 5; ++i) append_and_release();
  uint64_t released = 0;
  for (int round = 0; round < 100; ++round) {
    const CommandOutbox::SharedBatch batch = outbox.Take();
    ASSERT_NE(batch, nullptr);
    ASSERT_EQ(batch->commands_size(), 5);
    for (const uint64_t handle : batch->commands(4).release().handles()) {
      EXPECT_EQ(handle, ++released);
    }
    EXPECT_EQ(released, appended - 1);  // The last one came after its command.
    outbox.Credit(5);
    for (int i = 0; i < 4; ++i) append_and_release();
  }
}

TEST(CommandOutbox, FullWindowBlocksUntilCredited) {
  CommandOutbox outbox(2);
  ASSERT_TRUE(outbox.Append(Await(1), kBlock).ok());
  ASSERT_TRUE(outbox.Append(Await(2), kBlock).ok());
  ASSERT_TRUE(outbox.Append(Await(3), kGrow).ok());
  std::thread blocked([&] { EXPECT_TRUE(outbox.Append(Await(4), kBlock).ok()); });
  CommandOutbox::SharedBatch batch;
  for (uint64_t i = 1; i <= 4; ++i) {
    while ((batch = outbox.Take()) == nullptr) {
      ASSERT_NE(outbox.WaitForWork(std::chrono::steady_clock::time_point::max()),
                CommandOutbox::Wakeup::kEnd);
    }
    ASSERT_EQ(batch->commands_size(), 1);
    EXPECT_EQ(batch->commands(0).await().request_id(), i);
    outbox.Credit(1);
  }
  blocked.join();
  EXPECT_TRUE(outbox.WaitCredited(4).ok());
}

TEST(CommandOutbox, FewReleasesWaitForABatchToJoin) {
  CommandOutbox outbox(100);
  const auto now = [] { return std::chrono::steady_clock::now(); };
  outbox.Release(7);
  const auto start = now();
  // Alone they go after a moment, long before the deadline.
  EXPECT_EQ(outbox.WaitForWork(start + std::chrono::hours(1)), CommandOutbox::Wakeup::kReleases);
  EXPECT_GE(now() - start, CommandOutbox::kReleaseLinger / 2);
  for (size_t i = 0; i < CommandOutbox::kManyReleases; ++i) outbox.Release(100 + i);
  const CommandOutbox::SharedBatch batch = outbox.Take();
  ASSERT_NE(batch, nullptr);
  ASSERT_EQ(batch->commands_size(), 1);
  EXPECT_EQ(batch->commands(0).release().handles_size(), 1 + CommandOutbox::kManyReleases);
}

TEST(CommandOutbox, TheWriterHearsThatSomebodyElseWasQuicker) {
  CommandOutbox outbox(100);
  std::atomic<bool> stop = false;
  std::thread quick([&] {
    while (!stop) {
      ASSERT_TRUE(outbox.Append(Await(1), kBlock).ok());
      const CommandOutbox::SharedBatch batch = outbox.Take();
      if (batch != nullptr) outbox.Credit(batch->commands_size());
    }
  });
  while (outbox.WaitForWork(std::chrono::steady_clock::time_point::max()) !=
         CommandOutbox::Wakeup::kTaken) {
    const CommandOutbox::SharedBatch batch = outbox.Take();
    if (batch != nullptr) outbox.Credit(batch->commands_size());
  }
  stop = true;
  quick.join();
}

TEST(CommandOutbox, InLazyModeTheWriterHearsOfAnAppendOnlyIfItAwaitsOne) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  for (const bool release : {false, true}) {
    CommandOutbox outbox(100);
    outbox.SetLazy(true);
    std::thread other([&] {
      if (release) {
        outbox.Release(7);
      } else {
        ASSERT_TRUE(outbox.Append(Await(1), kBlock).ok());
      }
    });
    EXPECT_EQ(outbox.WaitForWork(now() + std::chrono::hours(1), CommandOutbox::Until::kAppend),
              CommandOutbox::Wakeup::kAppended);
    other.join();
    // What nobody takes is work after a moment.
    EXPECT_EQ(outbox.WaitForWork(now() + std::chrono::milliseconds(5)),
              release ? CommandOutbox::Wakeup::kReleases : CommandOutbox::Wakeup::kWork);
    ASSERT_NE(outbox.Take(), nullptr);
    EXPECT_EQ(outbox.WaitForWork(now() + std::chrono::milliseconds(5)),
              CommandOutbox::Wakeup::kTime);
  }
}

TEST(CommandOutbox, FailureWakesEverybodyAndStays) {
  CommandOutbox outbox(2);
  ASSERT_TRUE(outbox.Append(Await(1), kBlock).ok());
  ASSERT_TRUE(outbox.Append(Await(2), kBlock).ok());
  std::thread appender([&] { EXPECT_FALSE(outbox.Append(Await(3), kBlock).ok()); });
  std::thread waiter([&] { EXPECT_FALSE(outbox.WaitCredited(2).ok()); });
  outbox.Fail(absl::UnavailableError("first"));
  outbox.Fail(absl::UnavailableError("second"));
  appender.join();
  waiter.join();
  CommandOutbox::SharedBatch batch;
  EXPECT_EQ(outbox.Take(), nullptr);
  EXPECT_EQ(outbox.status().message(), "first");
}

TEST(CommandOutbox, CommandAboveTheMessageLimitIsRefused) {
  CommandOutbox outbox(2);
  v1::Command command;
  command.mutable_put()->mutable_literal()->set_data(
      std::string(CommandOutbox::kMaxCommandBytes, 'x'));
  EXPECT_EQ(outbox.Append(std::move(command), kBlock).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(CommandOutbox, WhatDidNotArriveIsSentAgainInOrder) {
  CommandOutbox outbox(8);  // Batches of four.
  outbox.Retain();
  for (uint64_t i = 1; i <= 8; ++i) ASSERT_TRUE(outbox.Append(Await(i), kBlock).ok());
  ASSERT_NE(outbox.Take(), nullptr);
  ASSERT_NE(outbox.Take(), nullptr);
  outbox.Credit(1);
  ASSERT_EQ(*outbox.Append(Await(9), kBlock), 9u);
  outbox.Resume(2);
  std::vector<uint64_t> again;
  while (CommandOutbox::SharedBatch batch = outbox.Take()) {
    for (const v1::Command& command : batch->commands()) {
      again.push_back(command.await().request_id());
    }
  }
  EXPECT_EQ(again, (std::vector<uint64_t>{3, 4, 5, 6, 7, 8, 9}));
  EXPECT_TRUE(outbox.WaitCredited(2).ok());
}

TEST(CommandOutbox, WhatArrivedIsNotSentAgain) {
  CommandOutbox outbox(8);
  outbox.Retain();
  for (uint64_t i = 1; i <= 6; ++i) ASSERT_TRUE(outbox.Append(Await(i), kBlock).ok());
  while (outbox.Take() != nullptr) {
  }
  outbox.Resume(6);
  EXPECT_EQ(outbox.Take(), nullptr);
  ASSERT_EQ(*outbox.Append(Await(7), kBlock), 7u);
  EXPECT_EQ(outbox.Take()->commands_size(), 1);
}

TEST(CommandOutbox, ReleasesAreSentAgainToo) {
  CommandOutbox outbox(8);
  outbox.Retain();
  ASSERT_TRUE(outbox.Append(Await(1), kBlock).ok());
  outbox.Release(5);
  ASSERT_EQ(outbox.Take()->commands_size(), 2);
  outbox.Resume(1);
  const CommandOutbox::SharedBatch again = outbox.Take();
  ASSERT_EQ(again->commands_size(), 1);
  EXPECT_EQ(again->commands(0).release().handles(0), 5u);
}

}  // namespace
}  // namespace acceld::client
