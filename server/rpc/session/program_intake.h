#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/memory/allowance.h"
#include "common/memory/gathered_bytes.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::rpc {

// The bytes of the one program that a session waits for. However many uploads a client opens, they
// share this buffer: the last one that began fills it, from its first byte on. Its memory is taken
// from an allowance as the bytes come. Thread-safe.
class ProgramIntake {
 public:
  ProgramIntake(int64_t max_bytes, std::shared_ptr<Allowance> memory)
      : max_bytes_(max_bytes), memory_(std::move(memory)) {}

  // From now on this program is waited for.
  void Expect(uint64_t program_id);
  // None is; what came is forgotten.
  void Forget();

  // An upload of the program begins; its number. NOT_FOUND when the program is not waited for.
  absl::StatusOr<uint64_t> Begin(uint64_t program_id);
  // ABORTED when another upload has begun since, NOT_FOUND when nothing is waited for any more,
  // RESOURCE_EXHAUSTED when the program gets too large, by itself or for the allowance: then what
  // came is gone, and the upload is over.
  absl::Status Append(uint64_t upload, absl::string_view bytes);
  // All that came, with what it has taken. The same errors.
  absl::StatusOr<GatheredBytes> Take(uint64_t upload);

 private:
  absl::Status Check(uint64_t upload) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t max_bytes_;
  const std::shared_ptr<Allowance> memory_;  // Shared with all that is charged to it.
  Mutex mutex_;
  bool expected_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t program_id_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t upload_ ABSL_GUARDED_BY(mutex_) = 0;  // the last one that began
  GatheredBytes bytes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::rpc
