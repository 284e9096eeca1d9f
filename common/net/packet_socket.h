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
// file descriptor. Further descriptors that the other side sends are closed.

// Returns a non-blocking socket that listens at `path`, where no file may exist. Its file gets the
// mode `mode`.
absl::StatusOr<UniqueFd> ListenPacketSocket(const std::string& path, mode_t mode);
// Connects to a listening socket. NOT_FOUND, UNAVAILABLE (no process listens), PERMISSION_DENIED,
// or another error of the system. Blocks for at most two seconds, while the listener's backlog is
// full.
absl::StatusOr<UniqueFd> ConnectPacketSocket(const std::string& path);

// Two sockets that are connected with each other.
struct SocketPair {
  UniqueFd one, other;
};
// Creates two connected packet sockets.
absl::StatusOr<SocketPair> CreatePacketSocketPair();

// Whether a call waits (kYes), or returns UNAVAILABLE where it would have to wait (kNo).
enum class Blocking { kNo, kYes };

// Sends `message`, with a copy of the descriptor `passed` unless it is -1. UNAVAILABLE when the
// other side is gone or, without blocking, when the socket's buffer is full.
absl::Status SendPacket(int socket, absl::string_view message, int passed = -1,
                        Blocking blocking = Blocking::kNo);
// As above, for one message whose bytes are in two parts.
absl::Status SendPacket(int socket, absl::string_view head, absl::string_view body,
                        Blocking blocking);

// Whether a message, or the end of the connection, can be received without blocking. Waits for up
// to `patience` until that is the case.
bool HasPacket(int socket, std::chrono::nanoseconds patience = {});

// A received message, apart from its bytes.
struct Packet {
  size_t size_bytes = 0;  // 0: the other side has closed the connection
  UniqueFd passed;
  // A descriptor came with the message but was lost, because this process has as many open as it
  // may.
  bool lost_descriptor = false;
};
// Receives the next message into `buffer`. UNAVAILABLE when there is none, without blocking.
// INVALID_ARGUMENT when the message is empty or larger than `buffer`, or came with more than one
// descriptor or with further ancillary data that did not fit. The message and its descriptors are
// then lost, and the connection should be ended.
absl::StatusOr<Packet> ReceivePacket(int socket, absl::Span<char> buffer, Blocking blocking);

}  // namespace acceld
