#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/memory/allowance.h"
#include "common/net/packet_socket.h"
#include "common/status.h"

namespace acceld {

// Messages of any size over a pair of connected packet sockets (packet_socket.h). Each message is
// split into packets of at most this size, whose first byte says whether more packets of the
// message follow.
constexpr size_t kMaxPacketBytes = size_t{64} << 10;

// Sends `message` from byte `sent` on and advances `sent` by what has been sent. UNAVAILABLE: the
// other side is gone or, without blocking, the socket's buffer is full, and the rest may be sent
// later.
absl::Status SendMessage(int socket, absl::string_view message, size_t& sent, Blocking blocking);

// Assembles messages from packets. Not thread-safe.
class MessageReceiver {
 public:
  // The memory of an incomplete message is taken from `allowance`, if there is one.
  explicit MessageReceiver(size_t max_message_bytes, std::shared_ptr<Allowance> allowance = nullptr)
      : max_message_bytes_(max_message_bytes), taken_(std::move(allowance)) {}

  // Returns the next message. The view is valid until this thread receives another message from any
  // receiver. UNAVAILABLE: no complete message has arrived (without blocking; packets that have
  // arrived are kept). CANCELLED: the other side is gone. RESOURCE_EXHAUSTED: the message is larger
  // than the maximum or the allowance. INVALID_ARGUMENT: the packet is not part of a message.
  absl::StatusOr<absl::string_view> Receive(int socket, Blocking blocking);

 private:
  absl::Status Append(absl::string_view payload);

  const size_t max_message_bytes_;
  std::string message_;  // What has arrived of an incomplete message.
  Taken taken_;          // The charge for message_, by its capacity.
};

}  // namespace acceld
