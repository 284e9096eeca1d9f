#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "client/transport/bulk/byte_sink.h"
#include "client/transport/dial/trusted_socket.h"
#include "common/files/unique_fd.h"
#include "common/memory/memory_segment.h"
#include "common/memory/segment_messages.h"
#include "common/status.h"

namespace acceld::client {

// A connection to a daemon on this host whose bulk bytes go through shared memory
// (common/memory/segment_messages.h). One thread at a time transfers, and blocks; Interrupt may be
// called by any.
//
// UNAVAILABLE means that the connection cannot be used any more and the transfer may be tried
// another way; other errors are the daemon's, about this transfer.
class SegmentChannel {
 public:
  // `place` is that of the daemon's first socket. An answer is waited for so long; 0: forever. The
  // errors of ConnectTrusted, too.
  static absl::StatusOr<std::unique_ptr<SegmentChannel>> Open(
      const SocketPlace& place, absl::string_view session_token,
      std::chrono::milliseconds patience = std::chrono::milliseconds(0));
  // Says that the session goes on without this connection.
  ~SegmentChannel();
  SegmentChannel(const SegmentChannel&) = delete;
  SegmentChannel& operator=(const SegmentChannel&) = delete;

  absl::Status Upload(uint64_t handle, absl::string_view bytes);
  absl::Status Download(uint64_t transfer_id, ByteSink& sink);

  // The session's Channel from now on (RequestKind::kChannel).
  absl::StatusOr<UniqueFd> OpenChannel();

  // Makes the transfer under way, and all later ones, fail with UNAVAILABLE.
  void Interrupt();
  bool usable() const { return usable_; }

 private:
  explicit SegmentChannel(UniqueFd socket) : socket_(std::move(socket)) {}

  // The segment, at the first transfer.
  absl::Status Map();
  absl::Status Lend(int memory);
  absl::Status Share(uint64_t transfer_id, ByteSink& sink);
  absl::Status Send(const segment::Request& request, int passed = -1);
  // Waits for the next answer: its error, or what went wrong with the connection.
  absl::Status Receive(segment::Reply& reply, UniqueFd* passed);
  // The same for a transfer, of which the first error counts.
  void ReceiveInto(absl::Status& outcome);
  // How much of an array goes at a time, and how often before the first has to be answered.
  struct Pace;
  Pace pace() const;

  const UniqueFd socket_;
  MemorySegment segment_;
  bool usable_ = true;
};

}  // namespace acceld::client
