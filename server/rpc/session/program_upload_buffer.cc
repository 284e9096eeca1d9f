#include "server/rpc/session/program_upload_buffer.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::rpc {

void ProgramUploadBuffer::Expect(uint64_t program_id) {
  MutexLock lock(mutex_);
  expected_ = true;
  program_id_ = program_id;
}

void ProgramUploadBuffer::Forget() {
  ChunkedBytes dropped;  // Freed without the lock.
  MutexLock lock(mutex_);
  expected_ = false;
  dropped = std::exchange(bytes_, ChunkedBytes(memory_));
}

absl::StatusOr<uint64_t> ProgramUploadBuffer::Begin(uint64_t program_id) {
  ChunkedBytes dropped;
  MutexLock lock(mutex_);
  if (!expected_ || program_id_ != program_id) {
    return absl::NotFoundError(absl::StrCat("program ", program_id, " is not waited for"));
  }
  dropped = std::exchange(bytes_, ChunkedBytes(memory_));
  return ++upload_;
}

absl::Status ProgramUploadBuffer::Check(uint64_t upload) const {
  if (!expected_) return absl::NotFoundError("no program is waited for any more");
  if (upload_ == upload) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat("another upload of program ", program_id_, " has begun"));
}

absl::Status ProgramUploadBuffer::Append(uint64_t upload, absl::string_view bytes) {
  ChunkedBytes dropped;
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(Check(upload));
  absl::Status status;
  if (bytes_.size_bytes() + static_cast<int64_t>(bytes.size()) > max_bytes_) {
    status = absl::ResourceExhaustedError(
        absl::StrCat("program ", program_id_, " has more than ", max_bytes_, " bytes"));
  } else {
    status = Annotate(bytes_.Append(bytes), absl::StrCat("program ", program_id_));
  }
  if (!status.ok()) {
    ++upload_;
    dropped = std::exchange(bytes_, ChunkedBytes(memory_));
  }
  return status;
}

absl::StatusOr<ChunkedBytes> ProgramUploadBuffer::Take(uint64_t upload) {
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(Check(upload));
  return std::exchange(bytes_, ChunkedBytes(memory_));
}

}  // namespace acceld::rpc
