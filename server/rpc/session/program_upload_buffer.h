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

// The receive buffer for the one program that a session waits for. A session has one buffer,
// however many uploads its client opens: the upload that began last fills it, from the first byte
// on. Its memory is charged to an allowance as bytes come. Thread-safe; nothing blocks.
class ProgramUploadBuffer {
 public:
  ProgramUploadBuffer(int64_t max_bytes, std::shared_ptr<Allowance> memory)
      : max_bytes_(max_bytes), memory_(std::move(memory)) {}

  // Begins to wait for this program.
  void Expect(uint64_t program_id);
  // Ends the wait and drops the bytes that have come.
  void Forget();

  // Begins an upload of the program and returns the upload's number. NOT_FOUND when the session
  // does not wait for the program.
  absl::StatusOr<uint64_t> Begin(uint64_t program_id);
  // Appends bytes to the upload. ABORTED when another upload has begun since; NOT_FOUND when the
  // session no longer waits for a program; RESOURCE_EXHAUSTED when the program exceeds max_bytes or
  // the allowance, which ends the upload and drops its bytes.
  absl::Status Append(uint64_t upload, absl::string_view bytes);
  // Takes the bytes of the upload, together with the charge for them, out of the buffer. ABORTED
  // and NOT_FOUND as for Append.
  absl::StatusOr<ChunkedBytes> Take(uint64_t upload);

 private:
  // Whether the upload is the last one that began, and a program is waited for.
  absl::Status Check(uint64_t upload) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t max_bytes_;
  const std::shared_ptr<Allowance> memory_;  // shared with all that is charged to it
  Mutex mutex_;
  bool expected_ ABSL_GUARDED_BY(mutex_) = false;    // a program is waited for
  uint64_t program_id_ ABSL_GUARDED_BY(mutex_) = 0;  // which one, if expected_
  uint64_t upload_ ABSL_GUARDED_BY(mutex_) = 0;      // the number of the last upload that began
  ChunkedBytes bytes_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::rpc
