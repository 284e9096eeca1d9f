#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/engine_impl.h"
#include "server/engine/session/session_impl.h"
#include "server/engine/session/upload_state.h"
#include "server/engine/staging.h"

// Arrays that the client sends: whole (Put) or in pieces.
namespace acceld::engine {
namespace {

absl::Status CheckArrayType(const ir::TensorType& type, int64_t limit_bytes) {
  ACCELD_RETURN_IF_ERROR(ir::ValidateType(type));
  if (!type.IsStatic()) {
    return absl::InvalidArgumentError(
        absl::StrCat("an array needs a static type, not ", type.ToString()));
  }
  if (type.size_bytes() > limit_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(type.ToString(), " has ", type.size_bytes(),
                                                     " bytes, the session's limit is ",
                                                     limit_bytes));
  }
  return absl::OkStatus();
}

runtime::Upload ToUpload(Staging staging, int64_t size_bytes) {
  return {staging.bytes, size_bytes, std::move(staging.owner), std::move(staging.buffer)};
}

}  // namespace

absl::Status SessionImpl::UploadState::Append(int64_t offset_bytes, size_t size_bytes,
                                              PieceReader read) {
  absl::Status status;
  {
    MutexLock lock(mutex_);
    if (settled_) return absl::FailedPreconditionError("upload: it has ended");
    if (offset_bytes < 0 || offset_bytes > filled_) {
      return absl::OutOfRangeError(absl::StrCat("upload of ", array_->type()->ToString(), ": ",
                                                "bytes from ", offset_bytes, " on, but it has got ",
                                                filled_));
    }
    // These bytes were received before; the client sends them again after an interruption.
    const size_t begin = std::min(size_bytes, static_cast<size_t>(filled_ - offset_bytes));
    status = AppendLocked(begin, size_bytes - begin, read);
  }
  if (!status.ok() && !absl::IsUnavailable(status)) Fail(status);
  return status;
}

absl::Status SessionImpl::UploadState::AppendLocked(size_t begin, size_t size_bytes,
                                                    PieceReader read) {
  const ir::TensorType& type = *array_->type();
  const auto size = static_cast<int64_t>(size_bytes);
  if (size > type.size_bytes() - filled_) {
    return absl::InvalidArgumentError(absl::StrCat("upload of ", type.ToString(), ": ",
                                                   filled_ + size, " bytes, but its size is ",
                                                   type.size_bytes()));
  }
  if (staging_.bytes == nullptr) {
    absl::StatusOr<Staging> staging = AllocateStaging(type.size_bytes(), account_, executor_);
    if (!staging.ok() && draining_->load() > 0) {
      return absl::UnavailableError(staging.status().message());
    }
    ACCELD_ASSIGN_OR_RETURN(staging_, std::move(staging));
  }
  const absl::Span<char> copy(staging_.bytes + filled_, size_bytes);
  ACCELD_RETURN_IF_ERROR(read(begin, copy));
  // Checks the copy, as the client may still change the memory that it shares with the daemon.
  ACCELD_RETURN_IF_ERROR(CheckElements(type.dtype, {copy.data(), size_bytes}));
  filled_ += size;
  if (hasher_.has_value()) hasher_->AddRaw({copy.data(), size_bytes});
  return absl::OkStatus();
}

absl::Status SessionImpl::UploadState::Expect(const Digest& digest) {
  MutexLock lock(mutex_);
  if (settled_) return absl::FailedPreconditionError("upload: it has ended");
  expected_ = digest;
  hasher_.emplace();
  if (filled_ > 0) hasher_->AddRaw({staging_.bytes, static_cast<size_t>(filled_)});
  return absl::OkStatus();
}

absl::Status SessionImpl::UploadState::Settle() {
  MutexLock lock(mutex_);
  if (std::exchange(settled_, true)) {
    return absl::FailedPreconditionError("upload: it has ended");
  }
  staging_ = {};
  return absl::OkStatus();
}

absl::optional<ContentTable::Key> SessionImpl::UploadState::content() const {
  MutexLock lock(mutex_);
  if (!expected_.has_value()) return absl::nullopt;
  return KeyFor(*expected_);
}

absl::Status SessionImpl::UploadState::CheckWhole(const ir::TensorType& type) {
  if (filled_ != type.size_bytes()) {
    return absl::InvalidArgumentError(absl::StrCat("upload of ", type.ToString(), ": it ends at ",
                                                   filled_, " of ", type.size_bytes(), " bytes"));
  }
  if (!hasher_.has_value()) return absl::OkStatus();
  const Digest digest = hasher_->Finish();
  hasher_.reset();
  if (digest == *expected_) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("upload of ", type.ToString(), ": the digest ", expected_->ToHex(),
                   " was announced, the bytes have ", digest.ToHex()));
}

absl::StatusOr<runtime::Upload> SessionImpl::UploadState::Finish() {
  const ir::TensorType& type = *array_->type();
  absl::Status status;
  {
    MutexLock lock(mutex_);
    if (settled_) return absl::FailedPreconditionError("upload: it has ended");
    status = CheckWhole(type);
    if (status.ok()) {
      settled_ = true;
      // From here on the staging memory waits only for the device, not for the client.
      draining_->fetch_add(1);
      staging_.owner = std::shared_ptr<const void>(
          staging_.bytes, [draining = draining_, owner = std::move(staging_.owner)](auto*) mutable {
            owner.reset();
            draining->fetch_sub(1);
          });
      return ToUpload(std::exchange(staging_, {}), filled_);
    }
  }
  Fail(status);
  return status;
}

void SessionImpl::UploadState::Fail(const absl::Status& reason) {
  {
    MutexLock lock(mutex_);
    if (settled_) return;
    settled_ = true;
    staging_ = {};
  }
  array_->Fail(reason);
}

absl::StatusOr<std::shared_ptr<runtime::Task>> SessionImpl::DefineArray(Handle handle,
                                                                        const ir::TensorType& type,
                                                                        uint32_t device) {
  absl::Status error = CheckDevice(device);
  if (error.ok()) error = CheckArrayType(type, staging_->limit());
  std::shared_ptr<runtime::Array> array =
      error.ok() ? std::make_shared<runtime::Array>(type, static_cast<int>(device), account_)
                 : Poisoned(error, 0);
  std::shared_ptr<runtime::Task> task;
  if (error.ok()) {
    task = runtime::Task::Create(runtime::Upload{});
    ACCELD_ASSIGN_OR_RETURN(task->charge, identity_->Take(QuotaId::kQueued, 1));
    task->outputs.push_back(array);
  } else {
    engine_.CountRefusal(error);
  }
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(CheckOpen());
  ACCELD_ASSIGN_OR_RETURN(runtime::Charge charge, CheckNew({handle}));
  handles_charge_.Merge(std::move(charge));
  handles_.emplace(handle, Named{runtime::Array::ForReaders(std::move(array)), nullptr, task});
  return task;
}

void SessionImpl::SubmitUpload(std::shared_ptr<runtime::Task> task, runtime::Upload upload) {
  const uint32_t device = static_cast<uint32_t>(task->outputs[0]->device());
  task->work() = std::move(upload);
  task->session = id_;
  engine_.executor(device).Submit(QueueOf(device, priority_), std::move(task),
                                  /*executable_ready=*/true);
}

absl::Status SessionImpl::Put(Handle handle, ir::Literal value, uint32_t device) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Task> task,
                          DefineArray(handle, value.type(), device));
  if (task == nullptr) return absl::OkStatus();
  const int64_t size_bytes = value.type().size_bytes();
  const absl::string_view bytes = value.bytes();
  if (size_bytes == static_cast<int64_t>(bytes.size())) {
    auto kept = std::make_shared<const ir::Literal>(std::move(value));
    SubmitUpload(std::move(task), {kept->bytes().data(), size_bytes, kept, nullptr});
    return absl::OkStatus();
  }
  // A splat (one repeated element) is sent as one element and expanded here.
  absl::StatusOr<Staging> spread = AllocateStaging(size_bytes, staging_, engine_.executor(device));
  if (!spread.ok()) {
    task->outputs[0]->Fail(spread.status());
    return absl::OkStatus();
  }
  for (int64_t at = 0; at < size_bytes; at += static_cast<int64_t>(bytes.size())) {
    std::memcpy(spread->bytes + at, bytes.data(), bytes.size());
  }
  SubmitUpload(std::move(task), ToUpload(*std::move(spread), size_bytes));
  return absl::OkStatus();
}

absl::Status SessionImpl::BeginUpload(Handle handle, ir::TensorType type, uint32_t device) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Task> task, DefineArray(handle, type, device));
  if (task == nullptr) return absl::OkStatus();
  auto upload = std::make_shared<UploadState>(std::move(task), staging_, draining_uploads_,
                                              engine_.executor(device));
  absl::Status refusal;
  {
    MutexLock lock(mutex_);
    refusal = closed_;
    // A handle may be released and defined again while its upload continues.
    if (refusal.ok() && !uploads_.emplace(handle, upload).second) {
      refusal = absl::FailedPreconditionError(
          absl::StrCat("upload: an earlier one to handle ", handle, " has not ended"));
    }
  }
  if (!refusal.ok()) upload->Fail(std::move(refusal));
  return absl::OkStatus();
}

std::shared_ptr<SessionImpl::UploadState> SessionImpl::FindUpload(Handle handle) const {
  MutexLock lock(mutex_);
  const auto it = uploads_.find(handle);
  return it == uploads_.end() ? nullptr : it->second;
}

std::shared_ptr<SessionImpl::UploadState> SessionImpl::TakeUpload(Handle handle) {
  MutexLock lock(mutex_);
  const auto it = uploads_.find(handle);
  if (it == uploads_.end()) return nullptr;
  std::shared_ptr<UploadState> upload = std::move(it->second);
  uploads_.erase(it);
  return upload;
}

absl::Status SessionImpl::AppendUpload(Handle handle, int64_t offset_bytes, size_t size_bytes,
                                       PieceReader read) {
  const std::shared_ptr<UploadState> upload = FindUpload(handle);
  if (upload == nullptr) {
    return absl::NotFoundError(absl::StrCat("no upload to handle ", handle, " is going on"));
  }
  return upload->Append(offset_bytes, size_bytes, read);
}

absl::Status SessionImpl::FinishUpload(Handle handle) {
  const std::shared_ptr<UploadState> upload = TakeUpload(handle);
  if (upload == nullptr) {
    return absl::NotFoundError(absl::StrCat("no upload to handle ", handle, " is going on"));
  }
  ACCELD_ASSIGN_OR_RETURN(runtime::Upload bytes, upload->Finish());
  ShareContent(*upload, bytes);
  SubmitUpload(upload->task(), std::move(bytes));
  return absl::OkStatus();
}

void SessionImpl::AbortUpload(Handle handle, absl::Status reason) {
  const std::shared_ptr<UploadState> upload = TakeUpload(handle);
  if (upload == nullptr) return;
  upload->Fail(reason.ok() ? absl::CancelledError("the upload was aborted") : reason);
}

}  // namespace acceld::engine
