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

// A place in shared memory for one message at a time, beside a socket that carries all others.
//
// While the receiver looks, a message that lies there saves both sides their system calls. It is
// put there only when everything before it has been received, and it is taken back when something
// is to follow before it was taken; so messages keep their order, whichever way they go, and none
// waits for a receiver that sleeps.
//
// What the other side writes is not trusted: it is copied once, and a wrong number spoils nothing
// but what that side gets to see.
struct Mailbox {
  static constexpr size_t kMaxBytes = 3904;

  // 0: empty. Otherwise the message's number and its size, in the lowest 16 bits.
  alignas(64) std::atomic<uint64_t> state;
  std::atomic<uint32_t> sender_core_plus_1;  // Where the sender last put a message; 0: unknown.
  alignas(64) std::atomic<uint32_t> looks;   // The receiver takes what lies here before it sleeps.
  alignas(64) std::atomic<uint64_t> received;  // messages so far, by either way
  alignas(64) std::atomic<uint64_t> words[kMaxBytes / sizeof(uint64_t)];
};
static_assert(sizeof(Mailbox) == 4096);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// Two of them, one for each direction.
constexpr size_t kMailboxPairBytes = 2 * sizeof(Mailbox);
enum class MailDirection { kToDaemon, kToClient };
// nullptr when the segment is too small.
Mailbox* MailboxIn(const MemorySegment& segment, MailDirection direction);

// The daemon sends them first on a new socket of packets; an empty segment if there are none, which
// the client understands. Map errors are the client's to ignore: it may go on without.
absl::Status SendMailboxes(int socket, const MemorySegment& boxes);
absl::StatusOr<MemorySegment> ReceiveMailboxes(int socket);

// The sender's side. One thread at a time.
class MailSender {
 public:
  // Without a mailbox nothing is ever put.
  explicit MailSender(Mailbox* box) : box_(box) {}

  // Whether the message is on its way. Otherwise it has to go by the socket, behind what TakeBack
  // gives. TakeBack comes first.
  bool Put(absl::string_view message);
  // The last message that was put, if it has not been taken: it must be sent before any other.
  std::string TakeBack();
  // A message goes by the socket.
  void NoteSent() { ++sent_; }

 private:
  Mailbox* const box_;
  uint64_t sent_ = 0;
  uint64_t lying_ = 0;  // What `state` was set to for the message that may lie there.
  std::string last_;
};

// The receiver's side. One thread at a time, but for HasMail.
class MailReceiver {
 public:
  explicit MailReceiver(Mailbox* box) : box_(box) {}

  // From now on the receiver promises to Take before it sleeps, or no longer; what lies there after
  // that is to be taken all the same.
  void Look(bool looks);
  bool HasMail() const { return box_ != nullptr && box_->state.load() != 0; }
  // Looks out for mail, and for what comes by the socket. Whether there is any.
  bool AwaitEither(int socket, BusyPoll& poll) const;
  // Where the sender was last, as it says. -1: it does not.
  int sender_core() const;
  // The message; it stays until the next call. UNAVAILABLE: there is none. INVALID_ARGUMENT: its
  // size is none.
  absl::StatusOr<absl::string_view> Take();
  // A message has come by the socket.
  void NoteReceived();

 private:
  Mailbox* const box_;
  // HasMail, after some ten microseconds at most if the sender may put something meanwhile: not if
  // it needs this core for that.
  bool LookOut() const;

  uint64_t received_ = 0;
  bool was_mail_ = false;  // The last message.
  alignas(8) char message_[Mailbox::kMaxBytes];
};

}  // namespace acceld
