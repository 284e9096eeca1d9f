#include "common/net/message_socket.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace acceld {
namespace {

constexpr char kLast = 0, kMoreFollow = 1;
constexpr size_t kMaxPayloadBytes = kMaxPacketBytes - 1;
// The most packets that one non-blocking call receives, so that other connections get their time.
constexpr int kMaxPackets = 16;

}  // namespace

absl::Status SendMessage(int socket, absl::string_view message, size_t& sent, Blocking blocking) {
  do {
    const absl::string_view part = message.substr(sent, kMaxPayloadBytes);
    const char& kind = sent + part.size() < message.size() ? kMoreFollow : kLast;
    ACCELD_RETURN_IF_ERROR(SendPacket(socket, {&kind, 1}, part, blocking));
    sent += part.size();
  } while (sent < message.size());
  return absl::OkStatus();
}

absl::Status MessageReceiver::Append(absl::string_view payload) {
  const size_t size = message_.size() + payload.size();
  if (const size_t capacity = message_.capacity(); size > capacity || taken_.amount() == 0) {
    // Grows as std::string does. While the bytes are copied, both the old and the new capacity
    // exist.
    const size_t wanted = std::max(size, 2 * capacity);
    const int64_t before = taken_.amount();
    ACCELD_RETURN_IF_ERROR(taken_.Add(static_cast<int64_t>(wanted)));
    message_.reserve(wanted);
    taken_.Reduce(before);
  }
  message_.append(payload.data(), payload.size());
  return absl::OkStatus();
}

absl::StatusOr<absl::string_view> MessageReceiver::Receive(int socket, Blocking blocking) {
  // One buffer for each thread instead of one for each of many connections, which so hold nothing
  // between two messages. It is on the heap because a shared object that is loaded late has little
  // room for thread-local variables.
  thread_local std::vector<char> buffer(kMaxPacketBytes);
  thread_local std::string whole;
  for (int i = 0; blocking == Blocking::kYes || i < kMaxPackets; ++i) {
    ACCELD_ASSIGN_OR_RETURN(const Packet packet,
                            ReceivePacket(socket, absl::MakeSpan(buffer), blocking));
    if (packet.size_bytes == 0) return absl::CancelledError("the other side has closed the socket");
    if (packet.passed.valid() || packet.lost_descriptor) {
      return absl::InvalidArgumentError("a packet with a descriptor; messages have none");
    }
    const absl::string_view payload(buffer.data() + 1, packet.size_bytes - 1);
    if (buffer[0] != kLast && buffer[0] != kMoreFollow) {
      return absl::InvalidArgumentError(absl::StrCat("a packet of kind ", int{buffer[0]}));
    }
    if (message_.size() + payload.size() > max_message_bytes_) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "a message of more than ", max_message_bytes_, " bytes, which is the limit"));
    }
    const bool is_whole = buffer[0] == kLast;
    if (is_whole && message_.empty()) return payload;
    ACCELD_RETURN_IF_ERROR(Append(payload));
    if (!is_whole) continue;
    whole = std::exchange(message_, std::string());
    taken_.Release();
    return absl::string_view(whole);
  }
  return absl::UnavailableError("more is to come");
}

}  // namespace acceld
