#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "client/transport/channel/channel_stream.h"
#include "client/transport/dial/trusted_socket.h"
#include "common/files/unique_fd.h"
#include "common/net/message_socket.h"
#include "common/threads/busy_poll.h"
#include "common/threads/mailbox.h"

namespace acceld::client {

// A ChannelStream without gRPC, for a daemon on the same host (segment_messages.h). A batch costs
// one system call and wakes one thread of the receiver; while the receiver is polling, it costs
// neither (mailbox.h).
class LocalStream final : public ChannelStream {
 public:
  // Attaches to the session with this token and replaces the stream that the session has now.
  // `endpoint` is the daemon's first unix socket, on which it serves gRPC. Blocks for the daemon's
  // answers, up to five seconds each.
  static absl::StatusOr<std::unique_ptr<LocalStream>> Open(const SocketEndpoint& endpoint,
                                                           absl::string_view session_token);

  bool Write(const v1::CommandBatch& batch) override;
  bool Read(v1::EventBatch& batch) override;
  bool PollBriefly() override;
  void Cancel() override;
  absl::Status Finish() override;

 private:
  // A read polls for up to kBusyPoll before it sleeps, so that a quick answer finds its caller
  // awake. If recent answers took longer, but at most kLongest, the read sleeps first and polls
  // around the expected time, because until then the daemon may need this core.
  static constexpr std::chrono::microseconds kBusyPoll{300}, kLongest{10'000};

  LocalStream(std::string peer, UniqueFd socket, MemorySegment boxes);

  const std::string peer_;
  const UniqueFd socket_;
  const MemorySegment boxes_;
  // Used only by the writing thread.
  MailSender outgoing_mail_;
  std::string writing_;
  // Used only by the reading thread.
  BusyPoll poll_{kBusyPoll, kLongest};
  MailReceiver mail_;
  // Unlimited, because the client's own requests determine how much a daemon sends.
  MessageReceiver receiver_{SIZE_MAX};
};

}  // namespace acceld::client
