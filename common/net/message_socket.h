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

// Messages of any size over a pair of connected packet sockets (packet_socket.h): each is cut into
// packets whose first byte says whether more of it follow.
constexpr size_t kMaxPacketBytes = size_t{64} << 10;

// Sends `message` from byte `sent` on, and moves that along. UNAVAILABLE: the other side is gone,
// or, without blocking, there is no room now and the rest may be sent later.
absl::Status SendMessage(int socket, absl::string_view message, size_t& sent, Blocking blocking);

// Puts messages together. One thread at a time.
class MessageReceiver {
 public:
  // What has come of a message that is not whole is taken from `allowance`, if there is one.
  explicit MessageReceiver(size_t max_message_bytes, std::shared_ptr<Allowance> allowance = nullptr)
      : max_message_bytes_(max_message_bytes), taken_(std::move(allowance)) {}

  // The next message; it stays until the thread receives another one. UNAVAILABLE: nothing whole is
  // there now (without blocking; what has come is kept). CANCELLED: the other side is gone.
  // RESOURCE_EXHAUSTED: it is larger than the maximum or the allowance. INVALID_ARGUMENT: this is
  // no such message.
  absl::StatusOr<absl::string_view> Receive(int socket, Blocking blocking);

 private:
  absl::Status Append(absl::string_view payload);

  const size_t max_message_bytes_;
  std::string message_;  // What has come of one that takes several packets.
  Taken taken_;          // By its capacity.
};

}  // namespace acceld
