#include "client/transport/bulk/bulk.h"

#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include "acceld/v1/acceld.pb.h"
#include "client/transport/bulk/zero_copy_slices.h"
#include "client/transport/channel/transport_thread.h"
#include "common/memory/bytes_field.h"
#include "grpcpp/support/proto_buffer_reader.h"

namespace acceld::client {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;
constexpr size_t kThreads = 2;
constexpr size_t kMaxQueued = size_t{1} << 20;
constexpr std::chrono::milliseconds kRetryPause{50};

bool IsBroken(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsCancelled(status) || absl::IsInternal(status) ||
         absl::IsUnknown(status);
}

// The jobs below move `done` into a local variable. It may own the connection, which must be
// released while the thread is marked as a TransportThread, and not later when the pool destroys
// the job.

}  // namespace

// A stream that is registered with BulkTransfers, so that Cancel reaches it, while this object
// exists.
class BulkTransfers::CallScope {
 public:
  CallScope(BulkTransfers& owner, std::shared_ptr<RpcChannel> line, const char* method)
      : stream(std::move(line), owner.dialer_->peer(), method,
               owner.patience_.count() > 0 ? BulkStream::WhenDown::kWait
                                           : BulkStream::WhenDown::kFail),
        owner_(owner) {
    {
      MutexLock lock(owner_.mutex_);
      owner_.active_.insert(&stream);
      if (owner_.cancelled_) stream.Cancel();
    }
    stream.Start();
  }
  ~CallScope() {
    MutexLock lock(owner_.mutex_);
    owner_.active_.erase(&stream);
  }
  BulkStream stream;

 private:
  BulkTransfers& owner_;
};

BulkTransfers::BulkTransfers(std::unique_ptr<Dialer> dialer, std::string session_token,
                             SocketEndpoint segments, std::chrono::milliseconds patience)
    : session_token_(session_token),
      patience_(patience),
      dialer_(std::move(dialer)),
      segments_(std::move(segments), std::move(session_token)),
      program_uploads_("program upload", 1, kMaxQueued),
      array_uploads_("upload", kThreads, kMaxQueued),
      downloads_("download", kThreads, kMaxQueued) {
  if (patience.count() > 0) segments_.Watch();
}

BulkTransfers::~BulkTransfers() { Cancel(); }

void BulkTransfers::Join() {
  program_uploads_.Stop();
  array_uploads_.Stop();
  downloads_.Stop();
}

void BulkTransfers::Cancel() {
  segments_.Cancel();
  MutexLock lock(mutex_);
  cancelled_ = true;
  for (BulkStream* stream : active_) stream->Cancel();
}

void BulkTransfers::Upload(Target target, std::function<absl::StatusOr<UploadSource>()> source,
                           std::function<void(absl::Status)> done) {
  ThreadPool& pool = target.program_id != 0 ? program_uploads_ : array_uploads_;
  absl::Status submitted = pool.Submit([this, target, source = std::move(source), done]() mutable {
    TransportThread scope;
    const auto finish = std::move(done);
    const absl::StatusOr<UploadSource> ready = source();
    finish(ready.ok() ? RunUpload(target, *ready) : ready.status());
  });
  if (!submitted.ok()) done(submitted);
}

void BulkTransfers::Download(uint64_t transfer_id, std::shared_ptr<ByteSink> sink,
                             std::function<void(absl::Status)> done) {
  absl::Status submitted =
      downloads_.Submit([this, transfer_id, sink = std::move(sink), done]() mutable {
        TransportThread scope;
        const auto finish = std::move(done);
        finish(RunDownload(transfer_id, *sink));
      });
  if (!submitted.ok()) done(submitted);
}

bool BulkTransfers::cancelled() {
  MutexLock lock(mutex_);
  return cancelled_;
}

absl::Status BulkTransfers::RunUpload(Target target, const UploadSource& source) {
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  absl::Status status = absl::UnavailableError("not tried yet");
  if (target.program_id == 0) status = segments_.Upload(target.handle, source);
  if (absl::IsUnavailable(status)) status = TryUpload(target, source.bytes);
  while (IsBroken(status) && !cancelled() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kRetryPause);
    status = TryUpload(target, source.bytes);
    // The previous stream had delivered everything, but its answer was lost.
    if (absl::IsNotFound(status)) return absl::OkStatus();
  }
  return status;
}

absl::Status BulkTransfers::TryUpload(Target target, absl::string_view bytes) {
  ZeroCopySlices loan;  // Must outlive the stream.
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<RpcChannel> line, dialer_->Get());
  CallScope call(*this, std::move(line), "Upload");
  v1::UploadChunk header;
  header.set_session_token(session_token_);
  header.set_handle(target.handle);
  header.set_program_id(target.program_id);
  std::string before = header.SerializeAsString();
  for (size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    const absl::string_view piece = bytes.substr(at, kChunkBytes);
    const grpc::Slice slices[] = {
        grpc::Slice(before + BytesFieldHeader(v1::UploadChunk::kDataFieldNumber, piece.size())),
        loan.PassMemory(piece)};
    // Finish returns the reason.
    if (!call.stream.Write(grpc::ByteBuffer(slices, std::size(slices)))) break;
    before.clear();
  }
  grpc::ByteBuffer reply;
  if (call.stream.WritesDone()) (void)call.stream.Read(reply);
  return call.stream.Finish();
}

absl::Status BulkTransfers::RunDownload(uint64_t transfer_id, ByteSink& sink) {
  const absl::Status shared = segments_.Download(transfer_id, sink);
  return absl::IsUnavailable(shared) ? TryDownload(transfer_id, sink) : shared;
}

absl::Status BulkTransfers::TryDownload(uint64_t transfer_id, ByteSink& sink) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<RpcChannel> line, dialer_->Get());
  CallScope call(*this, std::move(line), "Download");
  sink.Restart();
  v1::DownloadRequest request;
  request.set_session_token(session_token_);
  request.set_transfer_id(transfer_id);
  const grpc::Slice question(request.SerializeAsString());
  if (call.stream.Write(grpc::ByteBuffer(&question, 1))) call.stream.WritesDone();
  grpc::ByteBuffer message;
  std::vector<absl::string_view> pieces;
  while (call.stream.Read(message)) {
    grpc::ProtoBufferReader stream(&message);
    v1::DownloadChunk rest;
    pieces.clear();
    if (!ParseExceptBytesField(stream, v1::DownloadChunk::kDataFieldNumber, rest, pieces)) {
      return absl::InternalError("the daemon sends a message that is no DownloadChunk");
    }
    for (absl::string_view piece : pieces) ACCELD_RETURN_IF_ERROR(sink.Append(piece));
  }
  ACCELD_RETURN_IF_ERROR(call.stream.Finish());
  return sink.Finish();
}

}  // namespace acceld::client
