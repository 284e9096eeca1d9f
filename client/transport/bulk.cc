#include "client/transport/bulk.h"

#include <algorithm>
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

BulkTransfers::BulkTransfers(std::shared_ptr<grpc::Channel> channel, std::string session_token)
    : session_token_(std::move(session_token)),
      stub_(v1::Acceld::NewStub(std::move(channel))),
      uploads_("upload", kThreads, kMaxQueued),
      downloads_("download", kThreads, kMaxQueued) {}

BulkTransfers::~BulkTransfers() { Cancel(); }

void BulkTransfers::Cancel() {
  MutexLock lock(mutex_);
  cancelled_ = true;
  for (grpc::ClientContext* context : active_) context->TryCancel();
}

void BulkTransfers::Upload(uint64_t handle, absl::string_view bytes,
                           std::function<absl::Status()> ready,
                           std::function<void(absl::Status)> done) {
  absl::Status submitted =
      uploads_.Submit([this, handle, bytes, ready = std::move(ready), done]() mutable {
        TransportThread scope;
        const auto finish = std::move(done);
        absl::Status status = ready();
        if (status.ok()) status = RunUpload(handle, bytes);
        finish(status);
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

absl::Status BulkTransfers::RunUpload(uint64_t handle, absl::string_view bytes) {
  CallScope call(*this);
  v1::UploadReply reply;
  auto stream = stub_->Upload(&call.context, &reply);
  v1::UploadChunk chunk;
  chunk.set_session_token(session_token_);
  chunk.set_handle(handle);
  for (size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    const absl::string_view piece = bytes.substr(at, kChunkBytes);
    chunk.set_data(piece.data(), piece.size());
    if (!stream->Write(chunk)) break;  // Finish says why.
    chunk.clear_session_token();
    chunk.clear_handle();
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
