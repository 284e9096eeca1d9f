#include "server/rpc/bulk/bulk_reactors.h"

#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/memory/bytes_field.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "server/engine/sharing/requester.h"
#include "server/rpc/auth/refusal_log.h"
#include "server/rpc/decode/message_size.h"
#include "server/rpc/decode/status_codes.h"

namespace acceld::rpc {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
// How long to wait before a chunk is tried again, while earlier uploads occupy the memory.
constexpr std::chrono::milliseconds kPollInterval{2};

// Makes a slice of `bytes` that keeps their owner alive as long as gRPC holds the slice.
grpc::Slice SliceOf(absl::string_view bytes, const std::shared_ptr<const void>& owner) {
  return grpc::Slice(
      const_cast<char*>(bytes.data()), bytes.size(),
      [](void* share) { delete static_cast<std::shared_ptr<const void>*>(share); },
      new std::shared_ptr<const void>(owner));
}

}  // namespace

UploadReactor::UploadReactor(const RpcContext& rpc, Caller caller,
                             grpc::CallbackServerContext* context,
                             std::unique_ptr<const CountedCall> call)
    : UploadStream(std::move(call)),
      rpc_(rpc),
      caller_(std::move(caller)),
      context_(context),
      deadline_(rpc.timers, rpc.options.connection_idle,
                [this](const absl::Status& late) { End(late); }) {
  ReadNext();
}

void UploadReactor::ReadNext() {
  chunk_.Clear();
  deadline_.Await([this] { StartRead(&chunk_); });
}

absl::Status UploadReactor::OnChunk() {
  grpc::ProtoBufferReader stream(&chunk_);
  v1::UploadChunk header;
  std::vector<absl::string_view> pieces;
  if (!ParseExceptBytesField(stream, v1::UploadChunk::kDataFieldNumber, header, pieces)) {
    return absl::InvalidArgumentError("a message that is no UploadChunk");
  }
  ACCELD_RETURN_IF_ERROR(Begin(header));
  session_->RenewLease();
  if (pieces.empty()) return Append({});
  for (absl::string_view piece : pieces) ACCELD_RETURN_IF_ERROR(Append(piece));
  return absl::OkStatus();
}

absl::Status UploadReactor::Begin(const v1::UploadChunk& header) {
  if (session_ == nullptr) {
    ACCELD_ASSIGN_OR_RETURN(session_,
                            rpc_.sessions.Find(header.session_token(), caller_, "Upload"));
    handle_ = header.handle();
    program_id_ = header.program_id();
  } else if ((header.handle() != 0 && header.handle() != handle_) ||
             (header.program_id() != 0 && header.program_id() != program_id_)) {
    return absl::InvalidArgumentError("the chunks of an upload name different targets");
  }
  return absl::OkStatus();
}

absl::Status UploadReactor::Append(absl::string_view bytes) {
  if (program_id_ == 0) {
    ACCELD_RETURN_IF_ERROR(
        session_->engine_session().AppendUpload(handle_, received_bytes_, bytes));
  } else {
    if (program_upload_ == 0) {
      ACCELD_ASSIGN_OR_RETURN(program_upload_, session_->programs().Begin(program_id_));
    }
    ACCELD_RETURN_IF_ERROR(session_->programs().Append(program_upload_, bytes));
  }
  received_bytes_ += static_cast<int64_t>(bytes.size());
  rpc_.instruments.upload_bytes.Add(bytes.size());
  return absl::OkStatus();
}

void UploadReactor::TakeChunk() {
  const absl::Status status = OnChunk();
  if (absl::IsUnavailable(status) && !context_->IsCancelled()) {
    // Only the first bytes of an upload can find no room. Until they do nothing more is read, so
    // flow control holds the client back. The reactor lives until it is finished.
    const uint64_t timer =
        rpc_.timers.At(std::chrono::steady_clock::now() + kPollInterval, [this] { TakeChunk(); });
    if (timer != 0) return;
  }
  if (!status.ok()) return End(status);
  ReadNext();
}

void UploadReactor::OnReadDone(bool ok) {
  if (!deadline_.Stop()) return;
  const absl::Status size = CheckMessageSize(ok ? chunk_.Length() : 0,
                                             static_cast<size_t>(rpc_.options.max_message_bytes));
  if (!size.ok()) {
    NoteRefusal(rpc_.instruments, observability::Refusal::kLimit, "Upload", caller_, size);
    return End(size);
  }
  if (ok) return TakeChunk();
  if (context_->IsCancelled()) return End(absl::CancelledError("the upload was broken off"));
  if (session_ == nullptr) return End(absl::InvalidArgumentError("an upload without chunks"));
  if (program_id_ != 0) return ProvideProgram();
  End(session_->engine_session().FinishUpload(handle_));
}

void UploadReactor::ProvideProgram() {
  absl::StatusOr<ChunkedBytes> taken = session_->programs().Take(program_upload_);
  if (!taken.ok()) return End(taken.status());
  // A shared_ptr only because a submitted closure must be copyable; nothing else shares it.
  const auto program = std::make_shared<const ChunkedBytes>(*std::move(taken));
  // The reactor lives until it is finished.
  const absl::Status queued = rpc_.decoders.Submit(
      engine::RequesterOf(caller_.identity),
      [this, program] { Finish(ToGrpc(session_->ProvideProgram(program_id_, *program))); });
  if (!queued.ok()) End(queued);
}

void UploadReactor::End(const absl::Status& status) {
  // A handle or program that is unknown (NOT_FOUND), or whose bytes another Upload sends (ABORTED),
  // is not failed. Neither is the target of a broken stream in a session with a lease, because the
  // client may send it again.
  const bool failed =
      !status.ok() && session_ != nullptr && !absl::IsNotFound(status) && !absl::IsAborted(status);
  const bool over =
      !absl::IsCancelled(status) || (session_ != nullptr && session_->lease().count() == 0);
  if (failed && over && program_id_ != 0) (void)session_->RefuseProgram(program_id_, status);
  if (failed && over && program_id_ == 0) {
    session_->engine_session().AbortUpload(handle_, status);
  }
  Finish(ToGrpc(status));
}

void DownloadReactor::Send(absl::StatusOr<SharedBytes> bytes) {
  if (!bytes.ok()) {
    Finish(ToGrpc(bytes.status()));
    return;
  }
  bytes_ = *std::move(bytes);
  WriteNext();
}

void DownloadReactor::WriteNext() {
  const absl::string_view piece = bytes_.view.substr(sent_, kChunkBytes);
  if (piece.empty()) {
    Finish(grpc::Status::OK);
    return;
  }
  const grpc::Slice slices[] = {
      grpc::Slice(BytesFieldHeader(v1::DownloadChunk::kDataFieldNumber, piece.size())),
      SliceOf(piece, bytes_.owner)};
  chunk_ = grpc::ByteBuffer(slices, std::size(slices));
  sent_ += piece.size();
  instruments_.download_bytes.Add(piece.size());
  StartWrite(&chunk_);
}

void DownloadReactor::OnWriteDone(bool ok) {
  if (ok) return WriteNext();
  Finish(grpc::Status::CANCELLED);
}

}  // namespace acceld::rpc
