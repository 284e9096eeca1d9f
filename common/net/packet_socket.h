#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld {

// Unix sockets that carry small messages (SOCK_SEQPACKET): whole, in order, each with at most one
// file descriptor. What the other side sends against these rules leaves no descriptor open here.

// A socket that listens at `path`, where none must be; its file has this mode.
absl::StatusOr<UniqueFd> ListenForPackets(const std::string& path, mode_t mode);
// NOT_FOUND, UNAVAILABLE (nobody listens), PERMISSION_DENIED, or what the system says. Blocks for a
// short time at most.
absl::StatusOr<UniqueFd> ConnectForPackets(const std::string& path);

// Two that are connected with each other.
struct SocketPair {
  UniqueFd one, other;
};
absl::StatusOr<SocketPair> ConnectedPackets();

enum class Blocking { kNo, kYes };

// Sends `message`, with the descriptor `passed` unless it is -1. UNAVAILABLE when the other side is
// gone or, without blocking, does not read.
absl::Status SendPacket(int socket, absl::string_view message, int passed = -1,
                        Blocking blocking = Blocking::kNo);
// The same for a message in two parts.
absl::Status SendPacket(int socket, absl::string_view head, absl::string_view body,
                        Blocking blocking);

// Whether a message, or the end, can be received without waiting; blocks for up to `patience` until
// one can.
bool HasPacket(int socket, std::chrono::nanoseconds patience = {});

struct Packet {
  size_t size_bytes = 0;  // 0: the other side is gone
  UniqueFd passed;
  // A descriptor came for which this process had no room: it has as many open as it may.
  bool lost_descriptor = false;
};
// The next message. UNAVAILABLE when there is none, without blocking. INVALID_ARGUMENT when it is
// larger than `buffer`, or came with more than one descriptor or with what does not fit beside it:
// all of it is gone then, and the connection should be ended.
absl::StatusOr<Packet> ReceivePacket(int socket, absl::Span<char> buffer, Blocking blocking);

}  // namespace acceld
