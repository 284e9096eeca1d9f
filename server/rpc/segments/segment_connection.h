#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/types/optional.h"
#include "common/files/unique_fd.h"
#include "common/memory/allowance.h"
#include "common/memory/memory_segment.h"
#include "common/memory/segment_messages.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "server/rpc/auth/peer_credentials.h"
#include "server/rpc/channel/local_channels.h"
#include "server/rpc/rpc_context.h"
#include "server/rpc/segments/lent_memory.h"
#include "server/rpc/segments/shared_arrays.h"
#include "server/rpc/session/client_session.h"
#include "server/rpc/session/share_table.h"

namespace acceld::rpc {

// One client's connection for bulk bytes in shared memory. What a request names is checked against
// the segment, whose size nobody can change; what lies in it, or in memory that the client lends,
// is copied before it is looked at.
//
// One thread at a time calls.
class SegmentConnection {
 public:
  // `peer` is who is at its other end; `shares` count whose connections there are. `on_attached` is
  // called when it is known whose this one is, before its client hears so.
  SegmentConnection(const RpcContext& rpc, LocalChannels& channels, SharedArrays& shared_arrays,
                    ShareTable& shares, UniqueFd socket, PeerCredentials peer,
                    std::function<void(SegmentConnection&)> on_attached)
      : rpc_(rpc),
        channels_(channels),
        shared_arrays_(shared_arrays),
        shares_(shares),
        socket_(std::move(socket)),
        peer_(std::move(peer)),
        on_attached_(std::move(on_attached)) {}
  // Breaks off an upload that is under way, when nobody can send it again.
  ~SegmentConnection();

  int socket() const { return socket_.get(); }
  // Whether it is known whose it is.
  bool is_attached() const { return session_ != nullptr; }
  enum class Next {
    kRead,   // to be called when there is something to read
    kRetry,  // to be called in a moment: a request cannot be answered yet
    kClose,  // the connection is over
  };
  // Answers up to `limit` requests that are there. Does not wait.
  Next Serve(int limit);

 private:
  // UNAVAILABLE: there is nothing to read now.
  absl::Status Receive();
  absl::Status Perform(const segment::Request& request);
  // A descriptor of -1 is none.
  absl::Status Answer(const absl::Status& status, int descriptor);
  absl::Status Attach(const segment::Request& request);
  absl::Status Map();
  absl::Status Lend();
  absl::Status Upload(const segment::Request& request);
  absl::Status UploadLent(const segment::Request& request);
  absl::Status Append(const segment::Request& request, engine::PieceReader read);
  absl::Status Download(const segment::Request& request);
  absl::Status Share(const segment::Request& request);
  // Makes `bytes_` those of a transfer.
  absl::Status TakeTransfer(uint64_t transfer_id);
  absl::Status OpenChannel();
  // The part of the segment that a request names.
  absl::StatusOr<char*> Part(const segment::Request& request) const;
  // Counts the connection, and the descriptors that it may take, as the identity's.
  absl::Status CountFor(const engine::Identity& identity);
  // Whether a descriptor that was just opened for the client may stay open.
  absl::Status CheckReserve(int fd) const;
  // The client's end of the connection is closed.
  void OnGone();

  const RpcContext& rpc_;
  LocalChannels& channels_;
  SharedArrays& shared_arrays_;
  ShareTable& shares_;
  const UniqueFd socket_;
  const PeerCredentials peer_;
  const std::function<void(SegmentConnection&)> on_attached_;
  std::shared_ptr<ClientSession> session_;  // Shared with the table; null before kAttach.
  std::shared_ptr<const void> counted_;     // Of its identity's share of the connections.
  Taken descriptors_;
  MemorySegment segment_;
  UniqueFd passed_;               // Came with the request to be performed.
  bool lost_descriptor_ = false;  // One came with it that there was no room for.
  LentMemory lent_;
  UniqueFd reply_fd_;         // To go with the next answer.
  uint64_t uploading_ = 0;    // The handle of an upload that is not complete; 0: none.
  uint64_t downloading_ = 0;  // The transfer that `bytes_` are of.
  SharedBytes bytes_;
  SharedArrays::Draft draft_;                    // Of `bytes_`.
  absl::optional<segment::Request> unanswered_;  // Received, to be performed.
  bool leaves_ = false;
};

}  // namespace acceld::rpc
