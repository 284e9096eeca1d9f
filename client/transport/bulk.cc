#include "client/transport/bulk.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "client/transport/status_codes.h"
#include "client/transport/transport_thread.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"

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

// The jobs below take `done` out of themselves: it may own the connection, which must be let go of
// while the thread is marked, and not when the pool drops the job.

}  // namespace

// One stream's context, known to Cancel while it lives.
class BulkTransfers::CallScope {
 public:
  explicit CallScope(BulkTransfers& owner) : owner_(owner) {
    MutexLock lock(owner_.mutex_);
    owner_.active_.insert(&context);
    if (owner_.cancelled_) context.TryCancel();
  }
  ~CallScope() {
    MutexLock lock(owner_.mutex_);
    owner_.active_.erase(&context);
  }
  grpc::ClientContext context;

 private:
  BulkTransfers& owner_;
};

BulkTransfers::BulkTransfers(std::shared_ptr<grpc::Channel> channel, std::string session_token,
                             std::chrono::milliseconds patience)
    : session_token_(std::move(session_token)),
      patience_(patience),
      stub_(v1::Acceld::NewStub(std::move(channel))),
      uploads_("upload", kThreads, kMaxQueued),
      downloads_("download", kThreads, kMaxQueued) {}

BulkTransfers::~BulkTransfers() { Cancel(); }

void BulkTransfers::Cancel() {
  MutexLock lock(mutex_);
  cancelled_ = true;
  for (grpc::ClientContext* context : active_) context->TryCancel();
}

void BulkTransfers::Upload(Target target, std::function<absl::StatusOr<absl::string_view>()> bytes,
                           std::function<void(absl::Status)> done) {
  absl::Status submitted =
      uploads_.Submit([this, target, bytes = std::move(bytes), done]() mutable {
        TransportThread scope;
        const auto finish = std::move(done);
        const absl::StatusOr<absl::string_view> ready = bytes();
        finish(ready.ok() ? RunUpload(target, *ready) : ready.status());
      });
  if (!submitted.ok()) done(submitted);
}

void BulkTransfers::Download(uint64_t transfer_id,
                             std::function<void(absl::StatusOr<std::string>)> done) {
  absl::Status submitted = downloads_.Submit([this, transfer_id, done]() mutable {
    TransportThread scope;
    const auto finish = std::move(done);
    finish(RunDownload(transfer_id));
  });
  if (!submitted.ok()) done(submitted);
}

bool BulkTransfers::cancelled() {
  MutexLock lock(mutex_);
  return cancelled_;
}

absl::Status BulkTransfers::RunUpload(Target target, absl::string_view bytes) {
  absl::Status status = TryUpload(target, bytes);
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  while (IsBroken(status) && !cancelled() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kRetryPause);
    status = TryUpload(target, bytes);
    // The stream before had brought everything, but its answer was lost.
    if (absl::IsNotFound(status)) return absl::OkStatus();
  }
  return status;
}

absl::Status BulkTransfers::TryUpload(Target target, absl::string_view bytes) {
  CallScope call(*this);
  v1::UploadReply reply;
  auto stream = stub_->Upload(&call.context, &reply);
  v1::UploadChunk chunk;
  chunk.set_session_token(session_token_);
  chunk.set_handle(target.handle);
  chunk.set_program_id(target.program_id);
  for (size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    const absl::string_view piece = bytes.substr(at, kChunkBytes);
    chunk.set_data(piece.data(), piece.size());
    if (!stream->Write(chunk)) break;  // Finish says why.
    chunk.clear_session_token();
    chunk.clear_handle();
    chunk.clear_program_id();
  }
  stream->WritesDone();
  return StatusFromGrpc(stream->Finish());
}

absl::StatusOr<std::string> BulkTransfers::RunDownload(uint64_t transfer_id) {
  CallScope call(*this);
  v1::DownloadRequest request;
  request.set_session_token(session_token_);
  request.set_transfer_id(transfer_id);
  auto stream = stub_->Download(&call.context, request);
  std::string bytes;
  v1::DownloadChunk chunk;
  while (stream->Read(&chunk)) bytes.append(chunk.data());
  ACCELD_RETURN_IF_ERROR(StatusFromGrpc(stream->Finish()));
  return bytes;
}

}  // namespace acceld::client
