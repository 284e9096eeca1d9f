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

// A Channel with a client on this host. Batches are sent over a pair of connected unix sockets, as
// packets (common/net/message_socket.h). A small batch goes through a mailbox in shared memory
// instead while its receiver polls that (common/threads/mailbox.h). A batch that goes through the
// socket costs a system call and wakes a thread on either side.
//
// The socket is non-blocking. A thread of LocalChannels calls OnEvents when the socket can be read
// or written again and when the client is gone. One thread may read while another one writes, but
// two threads never do the same at the same time.
class LocalChannel final : public Channel {
 public:
  // Makes a channel for `session`, which replaces the session's present stream, and returns the
  // client's end of the socket pair. UNAVAILABLE when the session is busy with a command: the
  // caller should try again soon. Other errors are the system's and those of
  // ClientSession::Replace.
  static absl::StatusOr<UniqueFd> Open(const RpcContext& rpc,
                                       const std::shared_ptr<ClientSession>& session,
                                       LocalChannels& channels);
  LocalChannel(const RpcContext& rpc, const std::shared_ptr<ClientSession>& session,
               LocalChannels& channels, UniqueFd socket, MemorySegment boxes);

  int socket() const { return socket_.get(); }
  // Handles events that epoll(7) reports for the socket. False: the channel has ended, and no
  // further events need to be reported.
  bool OnEvents(uint32_t events);

 private:
  void Read() override;
  void OnReadPaused() override;
  bool Write(const v1::EventBatch& batch) override;
  void End(const absl::Status& status, bool goodbye_sent) override;

  // Receives and handles batches as long as the next one is there or comes while it is polled for.
  void Serve();
  // Receives and handles one batch, if one is there.
  void Receive();
  // Returns the next serialized batch, which stays valid until the next call. UNAVAILABLE: there is
  // none. CANCELLED: the client is gone.
  absl::StatusOr<absl::string_view> NextMessage();
  // Whether the thread is to receive another batch; may poll for one for a while. False: epoll will
  // report the next one.
  bool PollForMore();
  // Sends more of writing_. True: all of it has been sent.
  bool SendRest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Tells LocalChannels which events the channel waits for; the end is reported in any case.
  void Watch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  LocalChannels& channels_;
  const UniqueFd socket_;
  const MemorySegment boxes_;  // the mailboxes of both directions; empty: there are none

  // Used only by the one thread that reads; but any thread may call mail_.HasMail().
  MailReceiver mail_;
  MessageReceiver receiver_;
  BusyPoll poll_;
  CoreMover mover_;
  BusyPoll::Clock::time_point wait_began_at_;  // when the last wait for a batch began

  Mutex mutex_;
  MailSender outgoing_mail_ ABSL_GUARDED_BY(mutex_);
  std::string writing_ ABSL_GUARDED_BY(mutex_);  // the batch that is being sent, serialized
  size_t written_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool wants_read_ ABSL_GUARDED_BY(mutex_) = true;  // a batch is wanted, and no thread reads
  bool serving_ ABSL_GUARDED_BY(mutex_) = false;    // a thread reads and will look for more
  bool blocked_ ABSL_GUARDED_BY(mutex_) = false;    // the socket has no room for more of writing_
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::rpc
