#include "common/threads/mailbox.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/net/packet_socket.h"
#include "common/threads/core_mover.h"

namespace acceld {
namespace {

constexpr int kSizeBits = 16;
constexpr uint64_t kSizeMask = (uint64_t{1} << kSizeBits) - 1;
constexpr size_t kWordBytes = sizeof(uint64_t);
constexpr absl::string_view kMailboxesMark = "mailboxes";

}  // namespace

Mailbox* MailboxIn(const MemorySegment& segment, MailDirection direction) {
  if (segment.size_bytes() < kMailboxPairBytes) return nullptr;
  // New memory is all zeros, which is an empty mailbox whose receiver does not poll.
  auto* const boxes = reinterpret_cast<Mailbox*>(segment.data());
  return direction == MailDirection::kToDaemon ? boxes : boxes + 1;
}

absl::Status SendMailboxes(int socket, const MemorySegment& boxes) {
  return SendPacket(socket, kMailboxesMark, boxes.data() != nullptr ? boxes.fd() : -1);
}

absl::StatusOr<MemorySegment> ReceiveMailboxes(int socket) {
  char mark[kMailboxesMark.size() + 1];
  ACCELD_ASSIGN_OR_RETURN(Packet packet,
                          ReceivePacket(socket, absl::MakeSpan(mark), Blocking::kYes));
  if (absl::string_view(mark, packet.size_bytes) != kMailboxesMark) {
    return absl::InternalError("the daemon does not begin with mailboxes");
  }
  if (!packet.passed.valid()) return MemorySegment();
  ACCELD_ASSIGN_OR_RETURN(MemorySegment boxes, MemorySegment::Map(std::move(packet.passed)));
  boxes.CloseFile();
  return boxes;
}

// Each side writes one word and then reads the other side's word: the sender writes `state` and
// reads `receiver_polls`, the receiver writes `receiver_polls` and reads `state`. These four
// accesses are sequentially consistent, so that of a sender that puts a message and a receiver that
// stops polling at least one notices the other.

bool MailSender::Put(absl::string_view message) {
  if (box_ == nullptr) return false;
  box_->sender_core_plus_1.store(static_cast<uint32_t>(CurrentCore()) + 1,
                                 std::memory_order_relaxed);
  if (message.empty() || message.size() > Mailbox::kMaxBytes) return false;
  if (box_->receiver_polls.load() == 0 || box_->state.load() != 0) return false;
  if (box_->received.load(std::memory_order_acquire) != sent_) return false;
  for (size_t begin = 0; begin < message.size(); begin += kWordBytes) {
    const absl::string_view part = message.substr(begin, kWordBytes);
    uint64_t word = 0;
    std::memcpy(&word, part.data(), part.size());
    box_->words[begin / kWordBytes].store(word, std::memory_order_relaxed);
  }
  pending_state_ = (sent_ + 1) << kSizeBits | message.size();
  box_->state.store(pending_state_);
  if (box_->receiver_polls.load() == 0) {
    uint64_t expected = pending_state_;
    pending_state_ = 0;
    if (box_->state.compare_exchange_strong(expected, 0)) return false;
  }
  last_.assign(message.data(), message.size());
  ++sent_;
  return true;
}

std::string MailSender::Retract() {
  uint64_t expected = std::exchange(pending_state_, 0);
  if (expected == 0 || !box_->state.compare_exchange_strong(expected, 0)) return "";
  --sent_;
  return std::exchange(last_, std::string());
}

void MailReceiver::SetPolling(bool receiver_polls) {
  if (box_ != nullptr) box_->receiver_polls.store(receiver_polls ? 1 : 0);
}

bool MailReceiver::PollMailbox() const {
  if (box_ == nullptr) return false;
  // The answer to a short request should come within these polls: a system call in between makes a
  // round trip longer by a third.
  constexpr int kPolls = 256;
  const int receiver_polls = sender_core() == CurrentCore() ? 1 : kPolls;
  for (int i = 0; i < receiver_polls; ++i) {
    if (HasMail()) return true;
    CpuRelax();
  }
  return false;
}

bool MailReceiver::AwaitEither(int socket, BusyPoll& poll) const {
  // Polling the socket is a system call, and after a message by mailbox the next one mostly comes
  // so, too.
  const int part_window = last_was_mail_ ? 2 : 1;
  int receiver_polls = 0;
  const auto comes = [&] {
    return PollMailbox() || (++receiver_polls % part_window == 0 && HasPacket(socket));
  };
  return poll.Await(comes) || HasPacket(socket);
}

int MailReceiver::sender_core() const {
  if (box_ == nullptr) return -1;
  return static_cast<int>(box_->sender_core_plus_1.load(std::memory_order_relaxed) - 1);
}

absl::StatusOr<absl::string_view> MailReceiver::Take() {
  if (box_ == nullptr) return absl::UnavailableError("there is no mailbox");
  uint64_t state = box_->state.load();
  if (state == 0) return absl::UnavailableError("the mailbox is empty");
  const size_t size = state & kSizeMask;
  if (size == 0 || size > Mailbox::kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a message of ", size, " bytes in a mailbox of ", Mailbox::kMaxBytes));
  }
  for (size_t begin = 0; begin < size; begin += kWordBytes) {
    const uint64_t word = box_->words[begin / kWordBytes].load(std::memory_order_relaxed);
    std::memcpy(message_ + begin, &word, kWordBytes);
  }
  if (!box_->state.compare_exchange_strong(state, 0)) {
    return absl::UnavailableError("the message was taken back");
  }
  NoteReceived();
  last_was_mail_ = true;
  return absl::string_view(message_, size);
}

void MailReceiver::NoteReceived() {
  last_was_mail_ = false;
  if (box_ != nullptr) box_->received.store(++received_, std::memory_order_release);
}

}  // namespace acceld
