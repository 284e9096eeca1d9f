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
#include "server/rpc/segments/client_memory.h"
#include "server/rpc/segments/shared_arrays.h"
#include "server/rpc/session/client_session.h"
#include "server/rpc/session/share_table.h"

namespace acceld::rpc {

// A connection over which one client on this host exchanges bulk bytes with the daemon, in shared
// memory (common/memory/segment_messages.h). Offsets and sizes in requests are checked against the
// segment, whose size cannot change. The client may write to the segment, and to memory that it
// shares, at any time; bytes are therefore copied before they are interpreted.
//
// Not thread-safe: one thread at a time may call.
class SegmentConnection {
 public:
  // `peer` is the process at the other end. `shares` limits the connections of an identity.
  // `on_attached` is called when the client has named its session (an Attach request), before the
  // request is answered. The references must outlive the connection.
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
  // Aborts an unfinished upload, unless the session has a lease and the client can send it again.
  ~SegmentConnection();

  int socket() const { return socket_.get(); }
  // Whether the client has named its session.
  bool is_attached() const { return session_ != nullptr; }
  // What Serve asks its caller to do next.
  enum class Next {
    kRead,   // call Serve again when the socket can be read
    kRetry,  // call Serve again in a moment: a request cannot be answered yet
    kClose,  // destroy the connection: it is over
  };
  // Answers up to `limit` requests that have arrived. Does not wait for more of them.
  Next Serve(int limit);

 private:
  // Receives the next request. UNAVAILABLE: there is nothing to read now.
  absl::Status Receive();
  // Does what a request asks for. UNAVAILABLE: it has to be tried again later.
  absl::Status Perform(const segment::Request& request);
  // Sends the answer to a request, with a descriptor unless that is -1.
  absl::Status Answer(const absl::Status& status, int descriptor);
  // The following functions perform one kind of request each (segment::RequestKind).
  absl::Status Attach(const segment::Request& request);
  absl::Status Map();
  absl::Status ShareClientMemory();
  absl::Status Upload(const segment::Request& request);
  absl::Status UploadFromClientMemory(const segment::Request& request);
  // Appends the request's bytes to the upload that the request names; `read` copies them.
  absl::Status Append(const segment::Request& request, engine::PieceReader read);
  absl::Status Download(const segment::Request& request);
  absl::Status Share(const segment::Request& request);
  // Takes the transfer from the session, unless it is the one that bytes_ belongs to already.
  absl::Status TakeTransfer(uint64_t transfer_id);
  absl::Status OpenChannel();
  // Returns the address of the part of the segment that a request names. INVALID_ARGUMENT when the
  // part exceeds the segment.
  absl::StatusOr<char*> Part(const segment::Request& request) const;
  // Charges the connection, and the descriptors that it may use, to the identity.
  absl::Status CountFor(const engine::Identity& identity);
  // RESOURCE_EXHAUSTED when a descriptor that was just opened for the client must not stay open.
  absl::Status CheckReserve(int fd) const;
  // Ends the session when the client has closed the connection without a Leave request.
  void OnClientGone();

  const RpcContext& rpc_;
  LocalChannels& channels_;
  SharedArrays& shared_arrays_;
  ShareTable& shares_;
  const UniqueFd socket_;
  const PeerCredentials peer_;
  const std::function<void(SegmentConnection&)> on_attached_;
  std::shared_ptr<ClientSession> session_;  // shared with the session table; null before kAttach
  std::shared_ptr<const void> counted_;     // the connection's charge to its identity's share
  Taken descriptors_;                       // the charge for the descriptors
  MemorySegment segment_;
  UniqueFd passed_;               // came with unanswered_
  bool lost_descriptor_ = false;  // one came with unanswered_ that the process had no room for
  ClientMemory client_memory_;
  UniqueFd reply_fd_;                            // to be sent with the next answer
  uint64_t uploading_ = 0;                       // the handle of an unfinished upload; 0: none
  uint64_t downloading_ = 0;                     // the number of the transfer of bytes_
  SharedBytes bytes_;                            // what the client is downloading
  SharedArrays::Draft draft_;                    // a copy of bytes_ in progress
  absl::optional<segment::Request> unanswered_;  // received, but not answered yet
  bool leaves_ = false;                          // the client has sent kDetach
};

}  // namespace acceld::rpc
