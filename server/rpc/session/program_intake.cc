#include "server/rpc/session/program_intake.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::rpc {

void ProgramIntake::Expect(uint64_t program_id) {
  MutexLock lock(mutex_);
  expected_ = true;
  program_id_ = program_id;
}

void ProgramIntake::Forget() {
  GatheredBytes dropped;  // Freed without the lock.
  MutexLock lock(mutex_);
  expected_ = false;
  dropped = std::exchange(bytes_, GatheredBytes(memory_));
}

absl::StatusOr<uint64_t> ProgramIntake::Begin(uint64_t program_id) {
  GatheredBytes dropped;
  MutexLock lock(mutex_);
  if (!expected_ || program_id_ != program_id) {
    return absl::NotFoundError(absl::StrCat("program ", program_id, " is not waited for"));
  }
  dropped = std::exchange(bytes_, GatheredBytes(memory_));
  return ++upload_;
}

absl::Status ProgramIntake::Check(uint64_t upload) const {
  if (!expected_) return absl::NotFoundError("no program is waited for any more");
  if (upload_ == upload) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat("another upload of program ", program_id_, " has begun"));
}

absl::Status ProgramIntake::Append(uint64_t upload, absl::string_view bytes) {
  GatheredBytes dropped;
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
    dropped = std::exchange(bytes_, GatheredBytes(memory_));
  }
  return status;
}

absl::StatusOr<GatheredBytes> ProgramIntake::Take(uint64_t upload) {
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(Check(upload));
  return std::exchange(bytes_, GatheredBytes(memory_));
}

}  // namespace acceld::rpc
