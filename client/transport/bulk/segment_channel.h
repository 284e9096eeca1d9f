#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "client/transport/bulk/byte_sink.h"
#include "client/transport/bulk/upload_source.h"
#include "client/transport/dial/trusted_socket.h"
#include "common/files/unique_fd.h"
#include "common/memory/memory_segment.h"
#include "common/memory/segment_messages.h"
#include "common/status.h"

namespace acceld::client {

// A connection to a daemon on the same host that transfers bulk bytes through shared memory
// (common/memory/segment_messages.h). One thread at a time makes transfers, which block; Interrupt
// may be called by any thread.
//
// UNAVAILABLE means that the connection cannot be used any more and that the transfer may be made
// in another way. Other errors come from the daemon and concern only this transfer.
class SegmentChannel {
 public:
  // Connects for the session with this token. `endpoint` is the daemon's first unix socket, on
  // which it serves gRPC. `patience` limits the wait for each answer of the daemon; 0: no limit.
  // Errors include those of ConnectTrusted.
  static absl::StatusOr<std::unique_ptr<SegmentChannel>> Open(
      const SocketEndpoint& endpoint, absl::string_view session_token,
      std::chrono::milliseconds patience = std::chrono::milliseconds(0));
  // Tells the daemon that the session does not end with this connection.
  ~SegmentChannel();
  SegmentChannel(const SegmentChannel&) = delete;
  SegmentChannel& operator=(const SegmentChannel&) = delete;

  // Sends the bytes of the array `handle`, or receives those of a transfer. Block until done.
  absl::Status Upload(uint64_t handle, const UploadSource& source);
  absl::Status Download(uint64_t transfer_id, ByteSink& sink);

  // Returns a socket that carries the session's Channel from now on (RequestKind::kChannel).
  absl::StatusOr<UniqueFd> OpenChannel();

  // Makes the running and all later transfers fail with UNAVAILABLE.
  void Interrupt();
  bool usable() const { return usable_; }

 private:
  explicit SegmentChannel(UniqueFd socket) : socket_(std::move(socket)) {}

  // Maps the shared segment, unless that was done before.
  absl::Status Map();
  // Passes the daemon the descriptor of memory from which it will copy uploads itself.
  absl::Status PassMemory(int memory);
  // Receives a transfer as memory that the daemon shares among all readers of the array.
  absl::Status Share(uint64_t transfer_id, ByteSink& sink);
  // Sends a request, with the descriptor `passed` unless it is -1.
  absl::Status Send(const segment::Request& request, int passed = -1);
  // Waits for the next answer. Returns its error, or what went wrong with the connection.
  absl::Status Receive(segment::Reply& reply, UniqueFd* passed);
  // Waits for the answer to one part of a transfer. Sets `outcome` to its error, unless `outcome`
  // is an earlier error and the connection still works.
  void ReceiveInto(absl::Status& outcome);
  // The size of the parts in which an array is transferred, and how many may be unanswered at a
  // time.
  struct PartWindow;
  PartWindow part_window() const;

  const UniqueFd socket_;
  MemorySegment segment_;
  bool usable_ = true;
};

}  // namespace acceld::client
