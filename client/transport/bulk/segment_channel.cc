#include "client/transport/bulk/segment_channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/transport/status_codes.h"
#include "common/ceil_divide.h"
#include "common/net/packet_socket.h"

namespace acceld::client {
namespace {

using segment::Reply;
using segment::Request;
using segment::RequestKind;

// Large enough that waking the other process costs little in comparison, and small enough that the
// parts in flight stay in the processor's cache.
constexpr uint64_t kPartBytes = uint64_t{1} << 20;

}  // namespace

struct SegmentChannel::PartWindow {
  uint64_t part_bytes, slots;

  // Returns the request for part number `index` of an array of `size_bytes`.
  Request Part(RequestKind kind, uint64_t target, uint64_t index, uint64_t size_bytes) const {
    const uint64_t begin = index * part_bytes;
    const uint64_t end = std::min(begin + part_bytes, size_bytes);
    return {.kind = kind,
            .target = target,
            .array_offset = begin,
            .segment_offset = index % slots * part_bytes,
            .size_bytes = end - begin,
            .last = end == size_bytes};
  }
};

absl::StatusOr<std::unique_ptr<SegmentChannel>> SegmentChannel::Open(
    const SocketEndpoint& endpoint, absl::string_view session_token,
    std::chrono::milliseconds patience) {
  ACCELD_ASSIGN_OR_RETURN(UniqueFd socket, ConnectTrustedForPackets(endpoint));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(patience);
  const timeval timeout = {
      .tv_sec = seconds.count(),
      .tv_usec = std::chrono::microseconds(patience - seconds).count(),
  };
  if (setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) != 0) {
    return absl::ErrnoToStatus(errno, "a socket's timeout");
  }
  std::unique_ptr<SegmentChannel> channel(new SegmentChannel(std::move(socket)));
  Request attach{.kind = RequestKind::kAttach};
  if (session_token.size() != sizeof(attach.token)) {
    return absl::InternalError("the daemon's session tokens are of another kind");
  }
  std::memcpy(attach.token, session_token.data(), sizeof(attach.token));
  ACCELD_RETURN_IF_ERROR(channel->Send(attach));
  Reply reply;
  ACCELD_RETURN_IF_ERROR(channel->Receive(reply, nullptr));
  return channel;
}

SegmentChannel::~SegmentChannel() {
  // Sent even if the connection is not usable any more, because the daemon may only be slow.
  (void)Send({.kind = RequestKind::kDetach});
}

void SegmentChannel::Interrupt() { shutdown(socket_.get(), SHUT_RDWR); }

absl::Status SegmentChannel::Send(const Request& request, int passed) {
  const absl::Status sent =
      SendPacket(socket_.get(), {reinterpret_cast<const char*>(&request), sizeof(request)}, passed);
  if (sent.ok()) return sent;
  usable_ = false;
  return absl::UnavailableError(absl::StrCat("shared memory: ", sent.message()));
}

absl::Status SegmentChannel::Receive(Reply& reply, UniqueFd* passed) {
  absl::StatusOr<Packet> packet = ReceivePacket(
      socket_.get(), {reinterpret_cast<char*>(&reply), sizeof(reply)}, Blocking::kYes);
  if (!packet.ok() || packet->size_bytes != sizeof(reply)) {
    usable_ = false;
    return absl::UnavailableError(
        "shared memory: the daemon has closed the connection, or does not answer");
  }
  if (passed != nullptr) *passed = std::move(packet->passed);
  return StatusFromWire(
      reply.code, {reply.message, std::min<size_t>(reply.message_size, sizeof(reply.message))});
}

void SegmentChannel::ReceiveInto(absl::Status& outcome) {
  Reply reply;
  const absl::Status status = Receive(reply, nullptr);
  if (outcome.ok() || !usable_) outcome = status;
}

absl::Status SegmentChannel::Map() {
  if (segment_.data() != nullptr) return absl::OkStatus();
  ACCELD_RETURN_IF_ERROR(Send({.kind = RequestKind::kMap}));
  Reply reply;
  UniqueFd fd;
  ACCELD_RETURN_IF_ERROR(Receive(reply, &fd));
  ACCELD_ASSIGN_OR_RETURN(segment_, MemorySegment::Map(std::move(fd)));
  return absl::OkStatus();
}

absl::StatusOr<UniqueFd> SegmentChannel::OpenChannel() {
  ACCELD_RETURN_IF_ERROR(Send({.kind = RequestKind::kChannel}));
  Reply reply;
  UniqueFd socket;
  ACCELD_RETURN_IF_ERROR(Receive(reply, &socket));
  if (!socket.valid()) return absl::InternalError("the daemon has sent no socket");
  return socket;
}

SegmentChannel::PartWindow SegmentChannel::part_window() const {
  const uint64_t part_bytes = std::min<uint64_t>(kPartBytes, segment_.size_bytes());
  return {part_bytes,
          std::min<uint64_t>(segment_.size_bytes() / part_bytes, segment::kMaxOutstanding)};
}

absl::Status SegmentChannel::PassMemory(int memory) {
  ACCELD_RETURN_IF_ERROR(Send({.kind = RequestKind::kShareClientMemory}, memory));
  Reply reply;
  return Receive(reply, nullptr);
}

absl::Status SegmentChannel::Upload(uint64_t handle, const UploadSource& source) {
  const absl::string_view bytes = source.bytes;
  bool reads_directly = source.segment != nullptr;
  if (reads_directly) {
    const absl::Status passed = PassMemory(source.segment->fd());
    if (!usable_) return passed;
    // For example, the daemon may have no file descriptors left. The bytes are then sent through
    // its segment.
    reads_directly = passed.ok();
  }
  if (!reads_directly) ACCELD_RETURN_IF_ERROR(Map());
  const PartWindow part_window =
      reads_directly ? PartWindow{segment::kMaxClientMemoryUploadBytes, segment::kMaxOutstanding}
                     : this->part_window();
  absl::Status outcome;
  uint64_t sent = 0, answered = 0;
  for (bool last = false; !last && outcome.ok();) {
    if (sent - answered == part_window.slots) {
      ReceiveInto(outcome);
      ++answered;
      continue;
    }
    Request part = part_window.Part(RequestKind::kUpload, handle, sent, bytes.size());
    last = part.last != 0;
    if (reads_directly) {
      part.kind = RequestKind::kUploadFromClientMemory;
      part.segment_offset = source.segment_offset() + part.array_offset;
    } else {
      std::memcpy(segment_.data() + part.segment_offset, bytes.data() + part.array_offset,
                  part.size_bytes);
    }
    if (absl::Status status = Send(part); !status.ok()) return status;
    ++sent;
  }
  for (; usable_ && answered < sent; ++answered) ReceiveInto(outcome);
  return outcome;
}

absl::Status SegmentChannel::Share(uint64_t transfer_id, ByteSink& sink) {
  UniqueFd memory;
  while (!memory.valid()) {
    ACCELD_RETURN_IF_ERROR(Send({.kind = RequestKind::kShare, .target = transfer_id}));
    Reply reply;
    ACCELD_RETURN_IF_ERROR(Receive(reply, &memory));
  }
  ACCELD_ASSIGN_OR_RETURN(SharedBytes bytes, MapImmutable(memory));
  return sink.Share(std::move(bytes));
}

absl::Status SegmentChannel::Download(uint64_t transfer_id, ByteSink& sink) {
  if (sink.may_share()) {
    const absl::Status shared = Share(transfer_id, sink);
    if (shared.ok() || !usable_) return shared;
    // For example, the daemon may have no room left. It then copies the bytes for this client
    // alone.
  }
  ACCELD_RETURN_IF_ERROR(Map());
  sink.Restart();
  const PartWindow part_window = this->part_window();
  const uint64_t parts =
      std::max<uint64_t>(CeilDivide(sink.size_bytes(), part_window.part_bytes), 1);
  absl::Status outcome;
  uint64_t sent = 0, answered = 0;
  while (answered < parts && (outcome.ok() || answered < sent)) {
    if (outcome.ok() && sent < parts && sent - answered < part_window.slots) {
      ACCELD_RETURN_IF_ERROR(
          Send(part_window.Part(RequestKind::kDownload, transfer_id, sent, sink.size_bytes())));
      ++sent;
      continue;
    }
    ReceiveInto(outcome);
    if (!usable_) return outcome;
    const Request part =
        part_window.Part(RequestKind::kDownload, transfer_id, answered, sink.size_bytes());
    if (outcome.ok()) {
      outcome = sink.Append({segment_.data() + part.segment_offset, part.size_bytes});
    }
    ++answered;
  }
  ACCELD_RETURN_IF_ERROR(outcome);
  return sink.Finish();
}

}  // namespace acceld::client
