#include "common/net/message_socket.h"

#include <chrono>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "tests/support/net/raw_packet.h"

namespace acceld {
namespace {

class MessageSocketTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<SocketPair> pair = CreatePacketSocketPair();
    ASSERT_TRUE(pair.ok()) << pair.status();
    here_ = std::move(pair->one);
    there_ = std::move(pair->other);
  }
  absl::Status Send(absl::string_view message) {
    size_t sent = 0;
    return SendMessage(here_.get(), message, sent, Blocking::kYes);
  }
  absl::StatusOr<std::string> Receive(Blocking blocking = Blocking::kYes) {
    const absl::StatusOr<absl::string_view> message = receiver_.Receive(there_.get(), blocking);
    if (!message.ok()) return message.status();
    return std::string(*message);
  }
  static std::string Long(size_t size) {
    std::string text(size, ' ');
    for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7919 >> 3);
    return text;
  }

  UniqueFd here_, there_;
  MessageReceiver receiver_{size_t{8} << 20};
};

TEST_F(MessageSocketTest, MessagesOfAnySizeStayWholeAndInOrder) {
  for (size_t size : {size_t{0}, size_t{1}, kMaxPacketBytes - 2, kMaxPacketBytes - 1,
                      kMaxPacketBytes, 3 * (kMaxPacketBytes - 1), size_t{5'000'000}}) {
    std::thread sender([&] {
      EXPECT_TRUE(Send(Long(size)).ok());
      EXPECT_TRUE(Send("then").ok());
    });
    EXPECT_EQ(*Receive(), Long(size)) << size;
    EXPECT_EQ(*Receive(), "then");
    sender.join();
  }
}

TEST_F(MessageSocketTest, WhatDoesNotFitNowIsSentLater) {
  const std::string message = Long(5'000'000);
  size_t sent = 0;
  int rounds = 0;
  absl::StatusOr<std::string> got = absl::UnavailableError("");
  while (absl::IsUnavailable(got.status())) {
    ++rounds;
    if (sent < message.size()) {
      const absl::Status status = SendMessage(here_.get(), message, sent, Blocking::kNo);
      EXPECT_EQ(status.ok(), sent == message.size());
      EXPECT_TRUE(status.ok() || absl::IsUnavailable(status)) << status;
    }
    got = Receive(Blocking::kNo);
  }
  EXPECT_GT(rounds, 5);
  EXPECT_EQ(*got, message);
}

TEST_F(MessageSocketTest, AMessageAboveTheMaximumIsRefused) {
  std::thread sender([&] { (void)Send(Long((size_t{8} << 20) + 1)); });
  EXPECT_EQ(Receive().status().code(), absl::StatusCode::kResourceExhausted);
  there_ = UniqueFd();
  sender.join();
}

TEST_F(MessageSocketTest, AMessageWithADescriptorIsNone) {
  const UniqueFd passed(dup(here_.get()));
  const ptrdiff_t before = testing::OpenDescriptors();
  for (const auto& batches : testing::WaysToPass(passed.get())) {
    const std::string packets[] = {std::string("\0last", 5), "\1more", "\7what"};
    for (const std::string& packet : packets) {
      if (batches.empty() && packet[0] != 7) continue;  // A message, or its beginning.
      ASSERT_TRUE(testing::SendRawPacket(here_.get(), packet, batches));
      EXPECT_EQ(Receive().status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_EQ(testing::OpenDescriptors(), before);
    }
  }
}

TEST_F(MessageSocketTest, WhatIsNoMessageIsSaidToBeNone) {
  ASSERT_TRUE(SendPacket(here_.get(), "garbage").ok());
  EXPECT_EQ(Receive().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(MessageSocketTest, TheEndIsSeenAfterWhatWasSent) {
  ASSERT_TRUE(Send("last").ok());
  here_ = UniqueFd();
  EXPECT_EQ(*Receive(Blocking::kNo), "last");
  EXPECT_TRUE(absl::IsCancelled(Receive(Blocking::kNo).status()));
}

TEST_F(MessageSocketTest, LastWordsAreHeardByOneThatAsksWhileTheyAreSaid) {
  // A race: as often as it can be had in a while.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  for (int i = 0; i < 20'000 && (i < 500 || std::chrono::steady_clock::now() < end); ++i) {
    SetUp();
    std::thread sender([&] {
      for (volatile int wait = i * 37 % 3000; wait > 0;) wait = wait - 1;
      EXPECT_TRUE(Send("goodbye").ok());
      here_ = UniqueFd();
    });
    absl::StatusOr<std::string> got = absl::UnavailableError("");
    while (absl::IsUnavailable(got.status())) got = Receive(Blocking::kNo);
    sender.join();
    ASSERT_TRUE(got.ok()) << got.status() << ", round " << i;
    EXPECT_EQ(*got, "goodbye");
  }
}

TEST_F(MessageSocketTest, LastWordsAreHeardAlsoFromOneThatHasNotReadEverything) {
  size_t sent = 0;
  ASSERT_TRUE(SendMessage(there_.get(), "unread", sent, Blocking::kYes).ok());
  ASSERT_TRUE(Send("goodbye").ok());
  here_ = UniqueFd();
  EXPECT_EQ(*Receive(), "goodbye");
  EXPECT_TRUE(absl::IsCancelled(Receive().status()));
}

}  // namespace
}  // namespace acceld
