#include "server/rpc/bulk_reactors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/rpc/status_codes.h"

namespace acceld::rpc {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;

}  // namespace

UploadReactor::UploadReactor(const RpcContext& rpc, grpc::CallbackServerContext* context)
    : rpc_(rpc), context_(context) {
  StartRead(&chunk_);
}

absl::Status UploadReactor::Append() {
  if (session_ == nullptr) {
    ACCELD_ASSIGN_OR_RETURN(session_, rpc_.sessions.Find(chunk_.session_token()));
    handle_ = chunk_.handle();
    program_id_ = chunk_.program_id();
  } else if ((chunk_.handle() != 0 && chunk_.handle() != handle_) ||
             (chunk_.program_id() != 0 && chunk_.program_id() != program_id_)) {
    return absl::InvalidArgumentError("the chunks of an upload name different targets");
  }
  session_->RenewLease();
  rpc_.instruments.upload_bytes.Add(chunk_.data().size());
  const int64_t offset_bytes = received_bytes_;
  received_bytes_ += static_cast<int64_t>(chunk_.data().size());
  if (program_id_ == 0) {
    return session_->engine_session().AppendUpload(handle_, offset_bytes, chunk_.data());
  }
  if (offset_bytes == 0 && program_upload_ == 0) {
    ACCELD_ASSIGN_OR_RETURN(program_upload_, session_->programs().Begin(program_id_));
  }
  return session_->programs().Append(program_upload_, chunk_.data());
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
  if (program_id_ != 0) return ProvideProgram();
  End(session_->engine_session().FinishUpload(handle_));
}

void UploadReactor::ProvideProgram() {
  absl::StatusOr<std::string> program = session_->programs().Take(program_upload_);
  if (!program.ok()) return End(program.status());
  // The reactor lives until it is finished.
  const absl::Status queued = rpc_.decoders.Submit([this, program = *std::move(program)] {
    Finish(ToGrpc(session_->ProvideProgram(program_id_, program)));
  });
  if (!queued.ok()) End(queued);
}

void UploadReactor::End(const absl::Status& status) {
  // An unknown handle is not this upload's to fail, and in a session with a lease a broken stream
  // may be followed by another.
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
