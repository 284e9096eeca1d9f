#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/files/unique_fd.h"
#include "common/net/message_socket.h"
#include "common/status.h"
#include "common/threads/busy_poll.h"
#include "common/threads/core_mover.h"
#include "common/threads/mailbox.h"
#include "common/threads/mutex.h"
#include "server/rpc/channel/channel.h"

namespace acceld::rpc {

class LocalChannels;

// A Channel of a client on this host: batches go through a pair of connected unix sockets, as
// common/net/message_socket.h cuts them, and small ones past it while the other side looks out for
// them (common/threads/mailbox.h). A batch that goes through the socket costs one system call and
// wakes one thread on either side.
//
// Its socket does not wait. The threads of LocalChannels are told when there is something to read,
// when there is room again to write, and when the client is gone; two of them may be here at once,
// never two for the same of these.
class LocalChannel final : public Channel {
 public:
  // One for `session`, for which it speaks from now on instead of the stream before. The client's
  // end of it. UNAVAILABLE: to be tried again in a moment.
  static absl::StatusOr<UniqueFd> Open(const RpcContext& rpc,
                                       const std::shared_ptr<ClientSession>& session,
                                       LocalChannels& channels);
  LocalChannel(const RpcContext& rpc, const std::shared_ptr<ClientSession>& session,
               LocalChannels& channels, UniqueFd socket, MemorySegment boxes);

  int socket() const { return socket_.get(); }
  // What epoll(7) says of the socket. Whether there may be more to say.
  bool OnEvents(uint32_t events);

 private:
  void Read() override;
  void Rest() override;
  bool Write(const v1::EventBatch& batch) override;
  void End(const absl::Status& status, bool said_goodbye) override;

  // Takes in what comes, for as long as it comes at once or soon.
  void Serve();
  void Receive();
  absl::StatusOr<absl::string_view> NextMessage();
  // Whether there is another batch to be received, after looking out for one for a while.
  bool MoreComes();
  // Goes on with what is to be written. Whether nothing is left of it.
  bool SendRest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Asks to be told of what is wanted now, and of the end.
  void Watch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  LocalChannels& channels_;
  const UniqueFd socket_;
  const MemorySegment boxes_;

  // Of the one thread that reads.
  MailReceiver mail_;
  MessageReceiver receiver_;
  BusyPoll poll_;
  CoreMover mover_;
  BusyPoll::Clock::time_point waits_since_;

  Mutex mutex_;
  MailSender outgoing_mail_ ABSL_GUARDED_BY(mutex_);
  std::string writing_ ABSL_GUARDED_BY(mutex_);
  size_t written_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool wants_read_ ABSL_GUARDED_BY(mutex_) = true;  // And nobody reads.
  bool serving_ ABSL_GUARDED_BY(mutex_) = false;    // The thread that does looks for more.
  bool blocked_ ABSL_GUARDED_BY(mutex_) = false;    // There is no room for more of writing_.
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::rpc
