#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "common/mutex.h"
#include "common/status.h"

namespace acceld::rpc {

// The bytes of the one program that a session waits for. However many uploads a client opens, they
// share this buffer: the last one that began fills it, from its first byte on. Thread-safe.
class ProgramIntake {
 public:
  explicit ProgramIntake(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // From now on this program is waited for.
  void Expect(uint64_t program_id);
  // None is; what came is forgotten.
  void Forget();

  // An upload of the program begins; its number. NOT_FOUND when the program is not waited for.
  absl::StatusOr<uint64_t> Begin(uint64_t program_id);
  // ABORTED when another upload has begun since, NOT_FOUND when nothing is waited for any more,
  // RESOURCE_EXHAUSTED when the program gets too large.
  absl::Status Append(uint64_t upload, absl::string_view bytes);
  // All that came. The same errors.
  absl::StatusOr<std::string> Take(uint64_t upload);

 private:
  absl::Status Check(uint64_t upload) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t max_bytes_;
  Mutex mutex_;
  bool expected_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t program_id_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t upload_ ABSL_GUARDED_BY(mutex_) = 0;  // the last one that began
  std::string bytes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::rpc
