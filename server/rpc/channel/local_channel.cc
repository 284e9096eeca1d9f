#include "server/rpc/channel/local_channel.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <utility>

#include "common/utf8.h"
#include "server/rpc/channel/local_channels.h"
#include "server/rpc/decode/bounded_message.h"
#include "server/rpc/decode/parse_message.h"
#include "server/rpc/session/client_session.h"

namespace acceld::rpc {
namespace {

// Makes the mailboxes of a channel. Empty when the system has no memory for them; then all batches
// go through the socket.
MemorySegment NewMailboxes() {
  absl::StatusOr<MemorySegment> boxes = MemorySegment::Create(kMailboxPairBytes);
  if (!boxes.ok() || !boxes->AllocatePages().ok()) return {};
  return *std::move(boxes);
}

}  // namespace

absl::StatusOr<UniqueFd> LocalChannel::Open(const RpcContext& rpc,
                                            const std::shared_ptr<ClientSession>& session,
                                            LocalChannels& channels) {
  ACCELD_ASSIGN_OR_RETURN(SocketPair pair, CreatePacketSocketPair());
  MemorySegment boxes = NewMailboxes();
  ACCELD_RETURN_IF_ERROR(SendMailboxes(pair.one.get(), boxes));
  boxes.CloseFile();
  auto channel =
      std::make_shared<LocalChannel>(rpc, session, channels, std::move(pair.one), std::move(boxes));
  ACCELD_RETURN_IF_ERROR(channels.Add(channel, session->engine_session().info()));
  const absl::Status replaced = session->Replace(channel);
  if (!replaced.ok()) {
    channel->Finish(replaced);
    return replaced;
  }
  channel->OnReadPaused();
  return std::move(pair.other);
}

LocalChannel::LocalChannel(const RpcContext& rpc, const std::shared_ptr<ClientSession>& session,
                           LocalChannels& channels, UniqueFd socket, MemorySegment boxes)
    : Channel(rpc, session->owner(), session),
      channels_(channels),
      socket_(std::move(socket)),
      boxes_(std::move(boxes)),
      mail_(MailboxIn(boxes_, MailDirection::kToDaemon)),
      receiver_(static_cast<size_t>(rpc.options.max_message_bytes), session->receive_memory()),
      poll_(std::chrono::microseconds(rpc.options.channel_poll_us)),
      outgoing_mail_(MailboxIn(boxes_, MailDirection::kToClient)) {}

void LocalChannel::Watch() {
  if (ended_) return;
  // A message that is already in the mailbox has to be reported at once. If nothing is blocked the
  // socket has room to write, so epoll reports EPOLLOUT immediately.
  const bool has_news = blocked_ || (wants_read_ && mail_.HasMail());
  channels_.Watch(*this, (wants_read_ ? EPOLLIN | EPOLLRDHUP : 0u) | (has_news ? EPOLLOUT : 0u));
}

void LocalChannel::Read() {
  MutexLock lock(mutex_);
  wants_read_ = true;
  if (!serving_) Watch();
}

void LocalChannel::OnReadPaused() {
  MutexLock lock(mutex_);
  Watch();
}

bool LocalChannel::OnEvents(uint32_t events) {
  const bool is_gone = (events & (EPOLLHUP | EPOLLERR)) != 0;
  bool reads = false, written = false;
  {
    MutexLock lock(mutex_);
    if (ended_) return false;
    if (blocked_ && (events & EPOLLOUT) != 0) {
      blocked_ = false;
      written = SendRest();
    }
    if (is_gone || (events & (EPOLLIN | EPOLLRDHUP)) != 0 || mail_.HasMail()) {
      reads = std::exchange(wants_read_, false);
      serving_ |= reads;
    }
    if (!reads && !is_gone) Watch();
  }
  if (written) OnWritten();
  if (reads) {
    Serve();
  } else if (is_gone) {
    Finish(absl::CancelledError("its client is gone"));
  }
  return true;
}

void LocalChannel::Serve() {
  poll_.RecordWait(BusyPoll::Clock::now() - wait_began_at_);
  if (poll_.should_poll()) mail_.SetPolling(true);
  do {
    Receive();
  } while (PollForMore());
}

bool LocalChannel::PollForMore() {
  bool serving;
  {
    MutexLock lock(mutex_);
    // If no further batch is wanted yet, Read calls Watch when one is.
    serving = serving_ = std::exchange(wants_read_, false);
  }
  if (!serving) {
    mail_.SetPolling(false);
    if (!mail_.HasMail()) return false;
    // Read may have called Watch before this message came, in which case epoll will not report the
    // message.
    MutexLock lock(mutex_);
    if (wants_read_) Watch();
    return false;
  }
  wait_began_at_ = BusyPoll::Clock::now();
  if (!channels_.OtherChannelsWait()) {
    if (mail_.HasMail()) return true;
    if (poll_.should_poll() && HasNoPendingWork() && channels_.BeginPoll()) {
      mover_.MoveOffCore(mail_.sender_core());
      const bool has_come = mail_.AwaitEither(socket_.get(), poll_);
      channels_.EndPoll();
      if (has_come) return true;
    } else if (HasPacket(socket_.get())) {
      return true;
    }
  }
  mail_.SetPolling(false);
  MutexLock lock(mutex_);
  serving_ = false;
  wants_read_ = true;
  Watch();
  return false;
}

absl::StatusOr<absl::string_view> LocalChannel::NextMessage() {
  // The mailbox comes first: the client puts a message there only when all earlier ones have been
  // received.
  absl::StatusOr<absl::string_view> mail = mail_.Take();
  if (!absl::IsUnavailable(mail.status())) return mail;
  absl::StatusOr<absl::string_view> message = receiver_.Receive(socket_.get(), Blocking::kNo);
  if (message.ok()) mail_.NoteReceived();
  return message;
}

void LocalChannel::Receive() {
  const absl::StatusOr<absl::string_view> message = NextMessage();
  if (absl::IsUnavailable(message.status())) return Read();
  if (absl::IsCancelled(message.status())) return OnClientClosed();
  if (!message.ok()) return Refuse(message.status());
  v1::CommandBatch batch;
  const absl::Status decoded = BoundedMessage<v1::CommandBatch>::DecodeTo(
      batch, static_cast<int64_t>(message->size()), [&message](v1::CommandBatch& decoded_batch) {
        return ParseMessage(*message, decoded_batch);
      });
  if (!decoded.ok()) return Refuse(decoded);
  OnBatch(batch, message->size());
}

bool LocalChannel::Write(const v1::EventBatch& batch) {
  MutexLock lock(mutex_);
  // A message that the client has not taken from the mailbox must be sent first. Two serialized
  // batches, one behind the other, are one serialized batch with the events of both.
  writing_ = outgoing_mail_.Retract();
  (void)batch.AppendToString(&writing_);  // fails only above 2 GiB
  if (outgoing_mail_.Put(writing_)) return true;
  outgoing_mail_.NoteSent();
  written_bytes_ = 0;
  if (SendRest()) return true;
  Watch();
  return false;
}

bool LocalChannel::SendRest() {
  // An error also means that the client is gone, which the reading thread or epoll notices.
  blocked_ = !SendMessage(socket_.get(), writing_, written_bytes_, Blocking::kNo).ok();
  // There may be many channels, so none keeps the memory of a large batch.
  if (!blocked_ && writing_.capacity() > kMaxPacketBytes) writing_ = std::string();
  return !blocked_;
}

void LocalChannel::End(const absl::Status& status, bool goodbye_sent) {
  MutexLock lock(mutex_);
  std::string last = outgoing_mail_.Retract();
  if (!status.ok() && !goodbye_sent) {
    // Unlike a gRPC stream, the socket has no final status, so a Goodbye carries it.
    v1::EventBatch batch;
    v1::Goodbye& goodbye = *batch.add_events()->mutable_goodbye();
    goodbye.set_code(static_cast<uint32_t>(status.code()));
    goodbye.set_message(EscapeNonUtf8(status.message()));
    (void)batch.AppendToString(&last);
  }
  size_t sent = 0;
  if (!blocked_ && !last.empty()) {
    (void)SendMessage(socket_.get(), last, sent, Blocking::kNo);
  }
  shutdown(socket_.get(), SHUT_RDWR);
  Watch();  // so that epoll reports the end
  ended_ = true;
}

}  // namespace acceld::rpc
