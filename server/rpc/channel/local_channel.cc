#include "server/rpc/channel/local_channel.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <utility>

#include "common/utf8.h"
#include "server/rpc/channel/local_channels.h"
#include "server/rpc/client_session.h"

namespace acceld::rpc {

absl::StatusOr<UniqueFd> LocalChannel::Open(const RpcContext& rpc,
                                            const std::shared_ptr<ClientSession>& session,
                                            LocalChannels& channels) {
  ACCELD_ASSIGN_OR_RETURN(SocketPair pair, ConnectedPackets());
  auto channel = std::make_shared<LocalChannel>(rpc, session, channels, std::move(pair.one));
  ACCELD_RETURN_IF_ERROR(channels.Add(channel));
  const absl::Status replaced = session->Replace(channel);
  if (!replaced.ok()) {
    channel->Finish(replaced);
    return replaced;
  }
  channel->Rest();
  return std::move(pair.other);
}

LocalChannel::LocalChannel(const RpcContext& rpc, const std::shared_ptr<ClientSession>& session,
                           LocalChannels& channels, UniqueFd socket)
    : Channel(rpc, session->owner(), session),
      channels_(channels),
      socket_(std::move(socket)),
      receiver_(static_cast<size_t>(rpc.options.max_message_bytes)),
      poll_(std::chrono::microseconds(rpc.options.channel_poll_us)) {}

void LocalChannel::Watch() {
  if (ended_) return;
  channels_.Watch(*this, (wants_read_ ? EPOLLIN | EPOLLRDHUP : 0u) | (blocked_ ? EPOLLOUT : 0u));
}

void LocalChannel::Read() {
  MutexLock lock(mutex_);
  wants_read_ = true;
  if (!serving_) Watch();
}

void LocalChannel::Rest() {
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
    if (is_gone || (events & (EPOLLIN | EPOLLRDHUP)) != 0)
      reads = serving_ = std::exchange(wants_read_, false);
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
  poll_.Learn(BusyPoll::Clock::now() - waits_since_);
  do {
    Receive();
  } while (MoreComes());
}

bool LocalChannel::MoreComes() {
  {
    MutexLock lock(mutex_);
    // Otherwise whoever wants it later watches.
    serving_ = std::exchange(wants_read_, false);
    if (!serving_) return false;
  }
  waits_since_ = BusyPoll::Clock::now();
  if (!channels_.OthersWait()) {
    if (HasPacket(socket_.get())) return true;
    if (poll_.is_worthwhile() && IsAtRest() && channels_.BeginPoll()) {
      const bool has_come = PollFor(poll_.window(), [this] { return HasPacket(socket_.get()); });
      channels_.EndPoll();
      if (has_come) return true;
    }
  }
  MutexLock lock(mutex_);
  serving_ = false;
  wants_read_ = true;
  Watch();
  return false;
}

void LocalChannel::Receive() {
  const absl::StatusOr<absl::string_view> message = receiver_.Receive(socket_.get(), Blocking::kNo);
  if (absl::IsUnavailable(message.status())) return Read();
  if (absl::IsCancelled(message.status())) return NothingMore();
  if (!message.ok()) return Refuse(message.status());
  v1::CommandBatch batch;
  if (!batch.ParseFromArray(message->data(), static_cast<int>(message->size()))) {
    return Refuse(absl::InvalidArgumentError("a message that is no CommandBatch"));
  }
  TakeIn(batch, message->size());
}

bool LocalChannel::Write(const v1::EventBatch& batch) {
  MutexLock lock(mutex_);
  writing_.clear();
  (void)batch.AppendToString(&writing_);  // Fails above 2 GiB only.
  written_bytes_ = 0;
  if (SendRest()) return true;
  Watch();
  return false;
}

bool LocalChannel::SendRest() {
  // When the client is gone, who reads or watches finds out.
  blocked_ = !SendMessage(socket_.get(), writing_, written_bytes_, Blocking::kNo).ok();
  // Of many channels none keeps what a large answer took.
  if (!blocked_ && writing_.capacity() > kMaxPacketBytes) writing_ = std::string();
  return !blocked_;
}

void LocalChannel::End(const absl::Status& status, bool said_goodbye) {
  MutexLock lock(mutex_);
  if (!status.ok() && !said_goodbye && !blocked_) {
    // No status comes behind the last message, as it does in gRPC.
    v1::EventBatch last;
    v1::Goodbye& goodbye = *last.add_events()->mutable_goodbye();
    goodbye.set_code(static_cast<uint32_t>(status.code()));
    goodbye.set_message(EscapeNonUtf8(status.message()));
    size_t sent = 0;
    (void)SendMessage(socket_.get(), last.SerializeAsString(), sent, Blocking::kNo);
  }
  shutdown(socket_.get(), SHUT_RDWR);
  Watch();  // It will say that this is the end.
  ended_ = true;
}

}  // namespace acceld::rpc
