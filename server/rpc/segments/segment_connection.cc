#include "server/rpc/segments/segment_connection.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/memory/streaming_copy.h"
#include "common/net/packet_socket.h"
#include "server/engine/sharing/requester.h"
#include "server/rpc/auth/refusal_log.h"

namespace acceld::rpc {
namespace {

// The descriptors that a connection may keep open: its socket, the socket of a channel, and the
// client's shared memory. The descriptor of the segment is closed once it has been sent.
constexpr int64_t kDescriptors = 3;

}  // namespace

using segment::Reply;
using segment::Request;
using segment::RequestKind;

SegmentConnection::~SegmentConnection() {
  if (uploading_ == 0 || session_->lease().count() > 0) return;
  session_->engine_session().AbortUpload(uploading_,
                                         absl::CancelledError("the upload was broken off"));
}

SegmentConnection::Next SegmentConnection::Serve(int limit) {
  for (int i = 0; i < limit; ++i) {
    if (!unanswered_.has_value()) {
      const absl::Status received = Receive();
      if (absl::IsUnavailable(received)) return Next::kRead;
      if (!received.ok()) return Next::kClose;
    }
    const absl::Status status = Perform(*unanswered_);
    if (absl::IsUnavailable(status)) return Next::kRetry;
    const bool maps = status.ok() && unanswered_->kind == RequestKind::kMap;
    // Sending fails when the client does not read its answers: it has sent more requests than are
    // allowed.
    if (!Answer(status, maps ? segment_.fd() : reply_fd_.get()).ok()) return Next::kClose;
    if (maps) segment_.CloseFile();
    reply_fd_ = UniqueFd();
    passed_ = UniqueFd();
    unanswered_.reset();
  }
  return Next::kRead;
}

absl::Status SegmentConnection::Receive() {
  Request request;
  ACCELD_ASSIGN_OR_RETURN(
      Packet packet,
      ReceivePacket(socket_.get(), {reinterpret_cast<char*>(&request), sizeof(request)},
                    Blocking::kNo));
  if (packet.size_bytes == 0) {
    OnClientGone();
    return absl::CancelledError("the client has closed it");
  }
  if (packet.size_bytes != sizeof(request)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a request of ", packet.size_bytes, " bytes; it has ", sizeof(request)));
  }
  const bool brings_descriptor = packet.passed.valid() || packet.lost_descriptor;
  if (brings_descriptor && request.kind != RequestKind::kShareClientMemory) {
    return absl::InvalidArgumentError(absl::StrCat("a request of kind ",
                                                   static_cast<uint32_t>(request.kind),
                                                   " with a descriptor; only Lend has one"));
  }
  if (session_ != nullptr) session_->RenewLease();
  unanswered_ = request;
  passed_ = std::move(packet.passed);
  lost_descriptor_ = packet.lost_descriptor;
  return absl::OkStatus();
}

absl::Status SegmentConnection::Answer(const absl::Status& status, int descriptor) {
  Reply reply{.code = static_cast<uint32_t>(status.code()),
              .segment_size_bytes = segment_.size_bytes()};
  reply.message_size =
      static_cast<uint32_t>(std::min(status.message().size(), sizeof(reply.message)));
  if (reply.message_size > 0) {
    std::memcpy(reply.message, status.message().data(), reply.message_size);
  }
  return SendPacket(socket_.get(), {reinterpret_cast<const char*>(&reply), sizeof(reply)},
                    descriptor);
}

absl::Status SegmentConnection::Perform(const Request& request) {
  if (request.version != segment::kVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat("version ", request.version, "; this daemon has ", segment::kVersion));
  }
  if (request.kind == RequestKind::kAttach) return Attach(request);
  if (session_ == nullptr) return absl::FailedPreconditionError("the first request is not Attach");
  switch (request.kind) {
    case RequestKind::kAttach:
      break;
    case RequestKind::kMap:
      return Map();
    case RequestKind::kUpload:
      return Upload(request);
    case RequestKind::kShareClientMemory:
      return ShareClientMemory();
    case RequestKind::kUploadFromClientMemory:
      return UploadFromClientMemory(request);
    case RequestKind::kDownload:
      return Download(request);
    case RequestKind::kShare:
      return Share(request);
    case RequestKind::kDetach:
      leaves_ = true;
      return absl::OkStatus();
    case RequestKind::kChannel:
      return OpenChannel();
  }
  return absl::InvalidArgumentError("a request that this daemon does not know");
}

absl::Status SegmentConnection::Attach(const Request& request) {
  if (session_ != nullptr) return absl::FailedPreconditionError("a second Attach");
  ACCELD_ASSIGN_OR_RETURN(
      std::shared_ptr<ClientSession> session,
      rpc_.sessions.FindForUser(absl::string_view(request.token, sizeof(request.token)), peer_));
  const absl::Status counted = CountFor(session->owner().identity);
  if (!counted.ok()) {
    NoteRefusal(rpc_.instruments, observability::Refusal::kConnections, "segments",
                session->owner(), counted);
    return counted;
  }
  session_ = std::move(session);
  on_attached_(*this);
  return absl::OkStatus();
}

absl::Status SegmentConnection::CountFor(const engine::Identity& identity) {
  ACCELD_ASSIGN_OR_RETURN(counted_, shares_.Take(identity, 1));
  return TakeUnlessAdmin(rpc_.engine, identity, kDescriptors, descriptors_);
}

absl::Status SegmentConnection::CheckReserve(int fd) const {
  return rpc_.connections.CheckReserve(fd, session_->owner().identity.role == Role::kAdmin);
}

absl::Status SegmentConnection::Map() {
  if (segment_.data() != nullptr) return absl::FailedPreconditionError("a second Map");
  ACCELD_ASSIGN_OR_RETURN(MemorySegment segment, MemorySegment::Create(rpc_.options.segment_bytes));
  ACCELD_RETURN_IF_ERROR(CheckReserve(segment.fd()));
  segment_ = std::move(segment);
  return absl::OkStatus();
}

absl::StatusOr<char*> SegmentConnection::Part(const Request& request) const {
  if (request.segment_offset > segment_.size_bytes() ||
      request.size_bytes > segment_.size_bytes() - request.segment_offset) {
    return absl::InvalidArgumentError(
        absl::StrCat(request.size_bytes, " bytes at ", request.segment_offset,
                     " of a segment that has ", segment_.size_bytes()));
  }
  return segment_.data() + request.segment_offset;
}

absl::Status SegmentConnection::ShareClientMemory() {
  if (lost_descriptor_) {
    return absl::ResourceExhaustedError("the daemon has no file descriptor left for lent memory");
  }
  if (passed_.valid()) ACCELD_RETURN_IF_ERROR(CheckReserve(passed_.get()));
  ACCELD_ASSIGN_OR_RETURN(client_memory_, ClientMemory::Accept(std::move(passed_)));
  return absl::OkStatus();
}

absl::Status SegmentConnection::Upload(const Request& request) {
  ACCELD_ASSIGN_OR_RETURN(const char* const part, Part(request));
  return Append(request, [part](size_t begin, absl::Span<char> to) {
    StreamingCopy(to.data(), part + begin, to.size());
    return absl::OkStatus();
  });
}

absl::Status SegmentConnection::UploadFromClientMemory(const Request& request) {
  if (request.size_bytes > segment::kMaxClientMemoryUploadBytes) {
    return absl::InvalidArgumentError(absl::StrCat(request.size_bytes, " bytes of lent memory; ",
                                                   segment::kMaxClientMemoryUploadBytes,
                                                   " go at a time"));
  }
  return Append(request, [&](size_t begin, absl::Span<char> to) {
    return client_memory_.Read(
        request.segment_offset + begin, to, [this](std::function<void()> work) {
          (void)rpc_.decoders.Submit(engine::RequesterOf(session_->owner().identity),
                                     std::move(work));
        });
  });
}

absl::Status SegmentConnection::Append(const Request& request, engine::PieceReader read) {
  if (request.array_offset > uint64_t{1} << 62) {
    return absl::OutOfRangeError(absl::StrCat("an array offset of ", request.array_offset));
  }
  engine::Session& session = session_->engine_session();
  uploading_ = request.target;
  absl::Status status = session.AppendUpload(
      request.target, static_cast<int64_t>(request.array_offset), request.size_bytes, read);
  if (absl::IsUnavailable(status)) return status;
  rpc_.instruments.segment_in_bytes.Add(request.size_bytes);
  if (status.ok() && request.last != 0) status = session.FinishUpload(request.target);
  if (!status.ok() || request.last != 0) uploading_ = 0;
  return status;
}

absl::Status SegmentConnection::TakeTransfer(uint64_t transfer_id) {
  if (downloading_ == transfer_id && bytes_.owner != nullptr) return absl::OkStatus();
  draft_ = {};
  ACCELD_ASSIGN_OR_RETURN(bytes_, session_->transfers().Take(transfer_id));
  downloading_ = transfer_id;
  return absl::OkStatus();
}

absl::Status SegmentConnection::Share(const Request& request) {
  ACCELD_RETURN_IF_ERROR(TakeTransfer(request.target));
  absl::StatusOr<UniqueFd> shared =
      shared_arrays_.Share(bytes_, session_->owner().identity, draft_);
  if (!shared.ok()) {
    draft_ = {};
    return shared.status();
  }
  reply_fd_ = *std::move(shared);
  if (reply_fd_.valid()) {
    rpc_.instruments.shared_out_bytes.Add(bytes_.view.size());
    bytes_ = {};
  }
  return absl::OkStatus();
}

absl::Status SegmentConnection::Download(const Request& request) {
  ACCELD_ASSIGN_OR_RETURN(char* const part, Part(request));
  ACCELD_RETURN_IF_ERROR(TakeTransfer(request.target));
  if (request.array_offset > bytes_.view.size() ||
      request.size_bytes > bytes_.view.size() - request.array_offset) {
    return absl::OutOfRangeError(absl::StrCat(request.size_bytes, " bytes from ",
                                              request.array_offset, " on of an array that has ",
                                              bytes_.view.size()));
  }
  rpc_.instruments.segment_out_bytes.Add(request.size_bytes);
  if (request.size_bytes > 0) {
    std::memcpy(part, bytes_.view.data() + request.array_offset, request.size_bytes);
  }
  if (request.last != 0) bytes_ = {};
  return absl::OkStatus();
}

absl::Status SegmentConnection::OpenChannel() {
  ACCELD_ASSIGN_OR_RETURN(reply_fd_, LocalChannel::Open(rpc_, session_, channels_));
  return absl::OkStatus();
}

void SegmentConnection::OnClientGone() {
  if (session_ == nullptr || leaves_) return;
  rpc_.sessions.End(session_, absl::CancelledError("its client's process is gone"));
}

}  // namespace acceld::rpc
