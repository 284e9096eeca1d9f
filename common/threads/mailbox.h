#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/memory/memory_segment.h"
#include "common/status.h"
#include "common/threads/busy_poll.h"

namespace acceld {

// A buffer in shared memory that holds one message at a time, beside a socket that carries all
// other messages.
//
// While the receiver polls, a message in the mailbox saves both sides their system calls. The
// sender puts a message there only if the receiver has received all earlier ones, and takes it back
// if another message is to follow before the receiver has taken it. So messages keep their order,
// whichever way they go, and none of them waits for a receiver that sleeps.
//
// Neither side trusts what the other side writes: the bytes of a message are copied once before
// they are used, and a wrong number has no effect but on what its writer gets to see.
struct Mailbox {
  static constexpr size_t kMaxBytes = 3904;

  // 0: empty. Otherwise the message's number and its size, in the lowest 16 bits.
  alignas(64) std::atomic<uint64_t> state;
  std::atomic<uint32_t> sender_core_plus_1;  // The core of the last Put, plus 1; 0: unknown.
  alignas(64) std::atomic<uint32_t> receiver_polls;  // 1: the receiver calls Take before it sleeps.
  alignas(64) std::atomic<uint64_t> received;        // messages so far, by mailbox or socket
  alignas(64) std::atomic<uint64_t> words[kMaxBytes / sizeof(uint64_t)];
};
static_assert(sizeof(Mailbox) == 4096);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// The size of a pair of mailboxes, one for each direction.
constexpr size_t kMailboxPairBytes = 2 * sizeof(Mailbox);
enum class MailDirection { kToDaemon, kToClient };
// Returns the mailbox of one direction in a segment that holds a pair; nullptr when the segment is
// too small.
Mailbox* MailboxIn(const MemorySegment& segment, MailDirection direction);

// The daemon sends a segment with a pair of mailboxes as the first packet on a new packet socket;
// an empty segment says that it has none. ReceiveMailboxes, which the client calls, blocks until
// the packet comes. If it returns an error of MemorySegment::Map, the client may go on without
// mailboxes.
absl::Status SendMailboxes(int socket, const MemorySegment& boxes);
absl::StatusOr<MemorySegment> ReceiveMailboxes(int socket);

// The sender's side of a mailbox. Not thread-safe.
class MailSender {
 public:
  // If `box` is nullptr, Put always returns false.
  explicit MailSender(Mailbox* box) : box_(box) {}

  // Puts a message into the mailbox. Returns false if that is not possible: the message then has to
  // go by the socket. Retract must be called first, and what it returns must be sent ahead of
  // `message`.
  bool Put(absl::string_view message);
  // Takes the last message back, if the receiver has not taken it yet, and returns it; else "".
  // What it returns must be sent before any other message.
  std::string Retract();
  // Notes that a message is sent by the socket.
  void NoteSent() { ++sent_; }

 private:
  Mailbox* const box_;
  uint64_t sent_ = 0;
  uint64_t pending_state_ =
      0;  // `state` while the last message may be in the mailbox; 0: it is not.
  std::string last_;
};

// The receiver's side of a mailbox. Not thread-safe, except HasMail.
class MailReceiver {
 public:
  explicit MailReceiver(Mailbox* box) : box_(box) {}

  // Sets whether the receiver promises to call Take before it sleeps. A message that is in the
  // mailbox when the promise ends has to be taken nevertheless.
  void SetPolling(bool receiver_polls);
  bool HasMail() const { return box_ != nullptr && box_->state.load() != 0; }
  // Polls the mailbox and the socket for as long as `poll` says. Returns whether either has a
  // message, or the socket has ended.
  bool AwaitEither(int socket, BusyPoll& poll) const;
  // The core on which the sender was last, as the sender says; -1: unknown.
  int sender_core() const;
  // Takes the message out of the mailbox. The view is valid until the next call. UNAVAILABLE: there
  // is none. INVALID_ARGUMENT: its size is out of range.
  absl::StatusOr<absl::string_view> Take();
  // Notes that a message has come by the socket.
  void NoteReceived();

 private:
  Mailbox* const box_;
  // Polls the mailbox, for some ten microseconds at most, and returns HasMail. Polls it only once
  // if the sender was last on this thread's core, which it then needs for sending.
  bool PollMailbox() const;

  uint64_t received_ = 0;
  bool last_was_mail_ = false;  // Whether the last message came by mailbox.
  alignas(8) char message_[Mailbox::kMaxBytes];
};

}  // namespace acceld
