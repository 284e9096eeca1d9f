#include "server/rpc/program_intake.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::rpc {

void ProgramIntake::Expect(uint64_t program_id) {
  MutexLock lock(mutex_);
  expected_ = true;
  program_id_ = program_id;
}

void ProgramIntake::Forget() {
  std::string dropped;  // Freed without the lock.
  MutexLock lock(mutex_);
  expected_ = false;
  dropped.swap(bytes_);
}

absl::StatusOr<uint64_t> ProgramIntake::Begin(uint64_t program_id) {
  std::string dropped;
  MutexLock lock(mutex_);
  if (!expected_ || program_id_ != program_id) {
    return absl::NotFoundError(absl::StrCat("program ", program_id, " is not waited for"));
  }
  dropped.swap(bytes_);
  return ++upload_;
}

absl::Status ProgramIntake::Check(uint64_t upload) const {
  if (!expected_) return absl::NotFoundError("no program is waited for any more");
  if (upload_ == upload) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat("another upload of program ", program_id_, " has begun"));
}

absl::Status ProgramIntake::Append(uint64_t upload, absl::string_view bytes) {
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(Check(upload));
  if (static_cast<int64_t>(bytes_.size() + bytes.size()) > max_bytes_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("program ", program_id_, " has more than ", max_bytes_, " bytes"));
  }
  bytes_.append(bytes.data(), bytes.size());
  return absl::OkStatus();
}

absl::StatusOr<std::string> ProgramIntake::Take(uint64_t upload) {
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(Check(upload));
  return std::exchange(bytes_, {});
}

}  // namespace acceld::rpc
