#include "client/transport/outbox.h"

#include <thread>

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
  v1::CommandBatch batch;
  ASSERT_TRUE(outbox.Take(batch));
  ASSERT_EQ(batch.commands_size(), 10);
  for (uint64_t i = 0; i < 10; ++i) EXPECT_EQ(batch.commands(i).await().request_id(), i);
}

TEST(CommandOutbox, ReleasesFollowAllEarlierCommands) {
  CommandOutbox outbox(4);  // Batches of two.
  for (uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(outbox.Append(Await(i), kBlock).ok());
  outbox.Release(7);
  outbox.Release(8);
  v1::CommandBatch batch;
  ASSERT_TRUE(outbox.Take(batch));
  EXPECT_EQ(batch.commands_size(), 2);
  EXPECT_FALSE(batch.commands(1).has_release());
  ASSERT_TRUE(outbox.Take(batch));
  ASSERT_EQ(batch.commands_size(), 2);
  EXPECT_EQ(batch.commands(1).release().handles_size(), 2);
}

TEST(CommandOutbox, FullWindowBlocksUntilCredited) {
  CommandOutbox outbox(2);
  ASSERT_TRUE(outbox.Append(Await(1), kBlock).ok());
  ASSERT_TRUE(outbox.Append(Await(2), kBlock).ok());
  ASSERT_TRUE(outbox.Append(Await(3), kGrow).ok());
  std::thread blocked([&] { EXPECT_TRUE(outbox.Append(Await(4), kBlock).ok()); });
  v1::CommandBatch batch;
  for (uint64_t i = 1; i <= 4; ++i) {
    ASSERT_TRUE(outbox.Take(batch));
    ASSERT_EQ(batch.commands_size(), 1);
    EXPECT_EQ(batch.commands(0).await().request_id(), i);
    outbox.Credit(1);
  }
  blocked.join();
  EXPECT_TRUE(outbox.WaitCredited(4).ok());
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
  v1::CommandBatch batch;
  EXPECT_FALSE(outbox.Take(batch));
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

}  // namespace
}  // namespace acceld::client
