#include "common/threads/mailbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/net/message_socket.h"
#include "common/net/packet_socket.h"

namespace acceld {
namespace {

class MailboxTest : public ::testing::Test {
 protected:
  MemorySegment segment_ = *MemorySegment::Create(kMailboxPairBytes);
  Mailbox* const box_ = MailboxIn(segment_, MailDirection::kToDaemon);
  MailSender sender_{box_};
  MailReceiver receiver_{box_};
};

TEST_F(MailboxTest, CarriesMessagesOfAnySizeUpToItsOwn) {
  receiver_.SetPolling(true);
  for (const size_t size : {size_t{1}, size_t{7}, size_t{8}, size_t{9}, Mailbox::kMaxBytes}) {
    const std::string message(size, static_cast<char>('a' + size % 26));
    ASSERT_TRUE(sender_.Put(message)) << size;
    EXPECT_TRUE(receiver_.HasMail());
    EXPECT_EQ(*receiver_.Take(), message);
    EXPECT_FALSE(receiver_.HasMail());
    EXPECT_EQ(sender_.Retract(), "");
  }
  EXPECT_FALSE(sender_.Put(""));
  EXPECT_FALSE(sender_.Put(std::string(Mailbox::kMaxBytes + 1, 'x')));
}

TEST_F(MailboxTest, TakesNothingForAReceiverThatDoesNotLook) {
  EXPECT_FALSE(sender_.Put("early"));
  receiver_.SetPolling(true);
  receiver_.SetPolling(false);
  EXPECT_FALSE(sender_.Put("late"));
  EXPECT_TRUE(absl::IsUnavailable(receiver_.Take().status()));
}

TEST_F(MailboxTest, GivesBackWhatNobodyHasTaken) {
  receiver_.SetPolling(true);
  ASSERT_TRUE(sender_.Put("one"));
  EXPECT_FALSE(sender_.Put("two"));  // There is room for one.
  EXPECT_EQ(sender_.Retract(), "one");
  EXPECT_TRUE(absl::IsUnavailable(receiver_.Take().status()));
  // It may be put again, as nothing has been sent meanwhile.
  EXPECT_TRUE(sender_.Put("onetwo"));
  EXPECT_EQ(*receiver_.Take(), "onetwo");
}

TEST_F(MailboxTest, TakesNothingAheadOfWhatIsInTheSocket) {
  receiver_.SetPolling(true);
  sender_.NoteSent();
  EXPECT_FALSE(sender_.Put("two"));
  receiver_.NoteReceived();
  EXPECT_TRUE(sender_.Put("two"));
}

TEST_F(MailboxTest, ASizeThatNoMessageHasIsRefused) {
  for (const uint64_t size : {uint64_t{0}, uint64_t{Mailbox::kMaxBytes + 1}, uint64_t{0xffff}}) {
    box_->state.store(uint64_t{1} << 16 | size);
    EXPECT_TRUE(absl::IsInvalidArgument(receiver_.Take().status())) << size;
  }
}

TEST_F(MailboxTest, WithoutAMailboxEverythingGoesByTheSocket) {
  MailSender sender(nullptr);
  MailReceiver receiver(nullptr);
  receiver.SetPolling(true);
  EXPECT_FALSE(sender.Put("one"));
  EXPECT_EQ(sender.Retract(), "");
  EXPECT_FALSE(receiver.HasMail());
  EXPECT_TRUE(absl::IsUnavailable(receiver.Take().status()));
}

TEST_F(MailboxTest, TheirMemoryIsHandedOverAsTheFirstThingOnASocket) {
  SocketPair pair = *CreatePacketSocketPair();
  ASSERT_TRUE(SendMailboxes(pair.one.get(), segment_).ok());
  const auto mapped = ReceiveMailboxes(pair.other.get());
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  receiver_.SetPolling(true);
  MailSender other_side(MailboxIn(*mapped, MailDirection::kToDaemon));
  EXPECT_TRUE(other_side.Put("from there"));
  EXPECT_EQ(*receiver_.Take(), "from there");
  // None.
  ASSERT_TRUE(SendMailboxes(pair.one.get(), MemorySegment()).ok());
  const auto none = ReceiveMailboxes(pair.other.get());
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(MailboxIn(*none, MailDirection::kToDaemon), nullptr);
  // Something else.
  ASSERT_TRUE(SendPacket(pair.one.get(), "hello").ok());
  EXPECT_FALSE(ReceiveMailboxes(pair.other.get()).ok());
}

// Numbers, some of them sent when all before have been received and others behind one another, to
// one that now looks and now sleeps on the socket.
TEST_F(MailboxTest, MessagesKeepTheirOrderWhicheverWayTheyGo) {
  constexpr int kMessages = 20'000;
  SocketPair pair = *CreatePacketSocketPair();
  std::atomic<int> received{0};
  int by_mail = 0;
  std::thread sending([&] {
    for (int i = 0; i < kMessages; ++i) {
      while (i % 8 < 4 && received < i) std::this_thread::yield();
      std::string message = sender_.Retract();
      absl::StrAppend(&message, i, ",");
      if (sender_.Put(message)) continue;
      sender_.NoteSent();
      size_t sent = 0;
      EXPECT_TRUE(SendMessage(pair.one.get(), message, sent, Blocking::kYes).ok());
    }
    // What lies there is taken before the receiver sleeps: nothing has to follow it.
  });
  MessageReceiver from_socket(SIZE_MAX);
  for (int expected = 0, round = 0; expected < kMessages; ++round) {
    if (round % 3 != 0) {
      receiver_.SetPolling(true);
      for (int i = 0; i < round % 50 && !receiver_.HasMail(); ++i) std::this_thread::yield();
      receiver_.SetPolling(false);
    }
    absl::StatusOr<absl::string_view> message = receiver_.Take();
    if (message.ok()) {
      ++by_mail;
    } else {
      message = from_socket.Receive(pair.other.get(), Blocking::kYes);
      ASSERT_TRUE(message.ok()) << message.status();
      receiver_.NoteReceived();
    }
    for (absl::string_view rest = *message; !rest.empty(); ++expected) {
      int number = -1;
      ASSERT_TRUE(absl::SimpleAtoi(rest.substr(0, rest.find(',')), &number));
      ASSERT_EQ(number, expected);
      rest.remove_prefix(rest.find(',') + 1);
    }
    received = expected;
  }
  sending.join();
  EXPECT_GT(by_mail, 0);
}

}  // namespace
}  // namespace acceld
