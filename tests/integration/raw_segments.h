#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "common/memory/memory_segment.h"
#include "common/memory/segment_messages.h"
#include "common/net/packet_socket.h"

namespace acceld::testing {

// A connection that sends what it is told to.
class RawSegments {
 public:
  explicit RawSegments(const std::string& socket_path)
      : socket_(*ConnectPacketSocket(socket_path + segment::kSocketSuffix)) {}

  // The code of the answer to a request, which goes with a descriptor unless it is -1; CANCELLED
  // when the daemon has closed the connection.
  absl::StatusCode Ask(const segment::Request& request, int passed = -1) {
    segment::Reply reply;
    if (!SendPacket(socket_.get(), {reinterpret_cast<const char*>(&request), sizeof(request)},
                    passed)
             .ok()) {
      return absl::StatusCode::kCancelled;
    }
    absl::StatusOr<Packet> packet = ReceivePacket(
        socket_.get(), {reinterpret_cast<char*>(&reply), sizeof(reply)}, Blocking::kYes);
    if (!packet.ok() || packet->size_bytes == 0) return absl::StatusCode::kCancelled;
    passed_ = std::move(packet->passed);
    if (request.kind == segment::RequestKind::kMap && passed_.valid()) {
      segment_ = *MemorySegment::Map(std::move(passed_));
    }
    return static_cast<absl::StatusCode>(reply.code);
  }
  absl::StatusCode Attach(const std::string& token) {
    segment::Request attach{.kind = segment::RequestKind::kAttach};
    std::memcpy(attach.token, token.data(), std::min(token.size(), sizeof(attach.token)));
    return Ask(attach);
  }
  int fd() const { return socket_.get(); }
  MemorySegment& segment() { return segment_; }
  // The descriptor that came with the last answer, if it was no segment.
  UniqueFd TakePassed() { return std::move(passed_); }

 private:
  UniqueFd socket_, passed_;
  MemorySegment segment_;
};

}  // namespace acceld::testing
