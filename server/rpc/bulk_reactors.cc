#include "server/rpc/bulk_reactors.h"

#include <algorithm>
#include <utility>

#include "server/rpc/status_codes.h"

namespace acceld::rpc {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;

}  // namespace

UploadReactor::UploadReactor(engine::Engine& engine, observability::RpcInstruments& instruments,
                             grpc::CallbackServerContext* context)
    : engine_(engine), instruments_(instruments), context_(context) {
  StartRead(&chunk_);
}

absl::Status UploadReactor::Append() {
  if (session_ == nullptr) {
    ACCELD_ASSIGN_OR_RETURN(session_, engine_.FindSession(chunk_.session_token()));
    handle_ = chunk_.handle();
  } else if (chunk_.handle() != 0 && chunk_.handle() != handle_) {
    return absl::InvalidArgumentError("the chunks of an upload name different handles");
  }
  instruments_.upload_bytes.Add(chunk_.data().size());
  return session_->AppendUpload(handle_, chunk_.data());
}

void UploadReactor::OnReadDone(bool ok) {
  if (ok) {
    const absl::Status status = Append();
    if (!status.ok()) return End(status);
    StartRead(&chunk_);
    return;
  }
  if (context_->IsCancelled()) return End(absl::CancelledError("the upload was broken off"));
  if (session_ == nullptr) return End(absl::InvalidArgumentError("an upload without chunks"));
  End(session_->FinishUpload(handle_));
}

void UploadReactor::End(const absl::Status& status) {
  // An unknown handle is not this upload's to fail.
  if (!status.ok() && session_ != nullptr && !absl::IsNotFound(status)) {
    session_->AbortUpload(handle_, status);
  }
  Finish(ToGrpc(status));
}

DownloadReactor::DownloadReactor(absl::StatusOr<SharedBytes> bytes,
                                 observability::RpcInstruments& instruments)
    : instruments_(instruments) {
  if (!bytes.ok()) {
    Finish(ToGrpc(bytes.status()));
    return;
  }
  bytes_ = *std::move(bytes);
  WriteNext();
}

void DownloadReactor::WriteNext() {
  const size_t size_bytes = std::min(kChunkBytes, bytes_->size() - sent_);
  if (size_bytes == 0) {
    Finish(grpc::Status::OK);
    return;
  }
  chunk_.set_data(bytes_->data() + sent_, size_bytes);
  sent_ += size_bytes;
  instruments_.download_bytes.Add(size_bytes);
  StartWrite(&chunk_);
}

void DownloadReactor::OnWriteDone(bool ok) {
  if (ok) return WriteNext();
  Finish(grpc::Status::CANCELLED);
}

}  // namespace acceld::rpc
