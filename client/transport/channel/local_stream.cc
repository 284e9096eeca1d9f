#include "client/transport/channel/local_stream.h"

#include <sys/socket.h>

#include <utility>

#include "client/transport/bulk/segment_channel.h"
#include "client/transport/dial/call_status.h"

namespace acceld::client {
namespace {

constexpr std::chrono::seconds kPatience{5};

}  // namespace

absl::StatusOr<std::unique_ptr<LocalStream>> LocalStream::Open(const SocketEndpoint& endpoint,
                                                               absl::string_view session_token) {
  ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<SegmentChannel> connection,
                          SegmentChannel::Open(endpoint, session_token, kPatience));
  ACCELD_ASSIGN_OR_RETURN(UniqueFd socket, connection->OpenChannel());
  ACCELD_ASSIGN_OR_RETURN(MemorySegment boxes, ReceiveMailboxes(socket.get()));
  return std::unique_ptr<LocalStream>(
      new LocalStream("unix:" + endpoint.path, std::move(socket), std::move(boxes)));
}

LocalStream::LocalStream(std::string peer, UniqueFd socket, MemorySegment boxes)
    : peer_(std::move(peer)),
      socket_(std::move(socket)),
      boxes_(std::move(boxes)),
      outgoing_mail_(MailboxIn(boxes_, MailDirection::kToDaemon)),
      mail_(MailboxIn(boxes_, MailDirection::kToClient)) {}

bool LocalStream::Write(const v1::CommandBatch& batch) {
  // The concatenation of two serialized batches is one batch.
  writing_ = outgoing_mail_.Retract();
  if (!batch.AppendToString(&writing_)) return false;
  if (outgoing_mail_.Put(writing_)) return true;
  outgoing_mail_.NoteSent();
  size_t sent = 0;
  return SendMessage(socket_.get(), writing_, sent, Blocking::kYes).ok();
}

bool LocalStream::Read(v1::EventBatch& batch) {
  const auto begin = BusyPoll::Clock::now();
  const std::chrono::nanoseconds sleep_before_poll = poll_.sleep_before_poll();
  if (poll_.should_poll() &&
      !(sleep_before_poll.count() > 0 && HasPacket(socket_.get(), sleep_before_poll))) {
    mail_.SetPolling(true);
    (void)mail_.AwaitEither(socket_.get(), poll_);
    mail_.SetPolling(false);
  }
  // A message is put into the mailbox only after all earlier ones have been received, so it comes
  // first.
  absl::StatusOr<absl::string_view> message = mail_.Take();
  if (absl::IsUnavailable(message.status())) {
    message = receiver_.Receive(socket_.get(), Blocking::kYes);
    if (message.ok()) mail_.NoteReceived();
  }
  poll_.RecordWait(BusyPoll::Clock::now() - begin);
  return message.ok() && batch.ParseFromArray(message->data(), static_cast<int>(message->size()));
}

bool LocalStream::PollBriefly() {
  if (!poll_.should_poll()) return mail_.HasMail() || HasPacket(socket_.get(), {});
  mail_.SetPolling(true);
  const bool has_come = mail_.AwaitEither(socket_.get(), poll_);
  mail_.SetPolling(false);
  return has_come || mail_.HasMail();
}

void LocalStream::Cancel() { shutdown(socket_.get(), SHUT_RDWR); }

absl::Status LocalStream::Finish() { return EndedConnection(peer_); }

}  // namespace acceld::client
