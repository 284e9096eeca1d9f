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

// A Channel without gRPC, for a daemon on this host (segment_messages.h): a batch costs a system
// call and wakes one thread of the other side, or neither, while that looks out for it (mailbox.h).
class LocalStream final : public ChannelStream {
 public:
  // Goes on with the session that has this token, in place of the stream that it has now. `place`
  // is that of the daemon's first socket. Blocks for an answer, up to seconds.
  static absl::StatusOr<std::unique_ptr<LocalStream>> Open(const SocketPlace& place,
                                                           absl::string_view session_token);

  bool Write(const v1::CommandBatch& batch) override;
  bool Read(v1::EventBatch& batch) override;
  bool PollBriefly() override;
  void Cancel() override;
  absl::Status Finish() override;

 private:
  // Calls that are answered so soon find their caller awake, and so do those of up to kLongest that
  // take about as long as the last ones: for most of the time the daemon may need its core.
  static constexpr std::chrono::microseconds kBusyPoll{300}, kLongest{10'000};

  LocalStream(std::string peer, UniqueFd socket, MemorySegment boxes);

  const std::string peer_;
  const UniqueFd socket_;
  const MemorySegment boxes_;
  // Of the one that writes.
  MailSender outgoing_mail_;
  std::string writing_;
  // Of the one that reads.
  BusyPoll poll_{kBusyPoll, kLongest};
  MailReceiver mail_;
  MessageReceiver receiver_{SIZE_MAX};  // What a daemon sends is bounded by what was asked for.
};

}  // namespace acceld::client
