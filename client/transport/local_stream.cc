#include "client/transport/local_stream.h"

#include <sys/socket.h>

#include <utility>

#include "client/transport/segment_channel.h"

namespace acceld::client {
namespace {

constexpr std::chrono::seconds kPatience{5};

}  // namespace

absl::StatusOr<std::unique_ptr<LocalStream>> LocalStream::Open(const std::string& socket_path,
                                                               absl::string_view session_token) {
  ACCELD_ASSIGN_OR_RETURN(const std::unique_ptr<SegmentChannel> connection,
                          SegmentChannel::Open(socket_path, session_token, kPatience));
  ACCELD_ASSIGN_OR_RETURN(UniqueFd socket, connection->OpenChannel());
  return std::unique_ptr<LocalStream>(new LocalStream(std::move(socket)));
}

bool LocalStream::Write(const v1::CommandBatch& batch) {
  writing_.clear();
  size_t sent = 0;
  return batch.AppendToString(&writing_) &&
         SendMessage(socket_.get(), writing_, sent, Blocking::kYes).ok();
}

bool LocalStream::Read(v1::EventBatch& batch) {
  const auto begin = BusyPoll::Clock::now();
  if (poll_.is_worthwhile())
    (void)PollFor(poll_.window(), [&] { return HasPacket(socket_.get()); });
  const absl::StatusOr<absl::string_view> message =
      receiver_.Receive(socket_.get(), Blocking::kYes);
  poll_.Learn(BusyPoll::Clock::now() - begin);
  return message.ok() && batch.ParseFromArray(message->data(), static_cast<int>(message->size()));
}

void LocalStream::Cancel() { shutdown(socket_.get(), SHUT_RDWR); }

absl::Status LocalStream::Finish() {
  return absl::UnavailableError("the daemon has closed the connection");
}

}  // namespace acceld::client
