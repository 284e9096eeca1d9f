#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/crypto/digest.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/engine/session/session_impl.h"
#include "server/engine/sharing/content_table.h"
#include "server/engine/staging.h"

namespace acceld::engine {

// An upload between BeginUpload and its end, whose bytes are gathered in staging memory.
// Thread-safe with a mutex of its own, so that the session's mutex is not held while bytes are
// copied. The array is settled exactly once: by Fail, or by the task that is submitted after
// Finish.
struct SessionImpl::UploadState {
 public:
  // `task` will be submitted with the bytes when the upload is complete.
  UploadState(std::shared_ptr<runtime::Task> task, std::shared_ptr<runtime::Meter> account,
              std::shared_ptr<std::atomic<int64_t>> draining, runtime::DeviceExecutor& executor)
      : array_(task->outputs[0]),
        task_(std::move(task)),
        account_(std::move(account)),
        draining_(std::move(draining)),
        executor_(executor) {}

  // Appends a piece: see Session::AppendUpload. Every error except OUT_OF_RANGE (a gap before the
  // piece) and UNAVAILABLE (no memory yet) also fails the array.
  absl::Status Append(int64_t offset_bytes, size_t size_bytes, PieceReader read);
  // Sets the digest that the bytes must have, including those received before.
  absl::Status Expect(const Digest& digest);
  // Returns the key of the upload's content if that has this digest.
  ContentTable::Key KeyFor(const Digest& digest) const {
    return {digest, *array_->type(), static_cast<uint32_t>(array_->device())};
  }
  // Returns the bytes if the upload is complete and matches the expected digest; otherwise fails
  // the array.
  absl::StatusOr<runtime::Upload> Finish();
  // Ends the upload without its bytes, for a caller that has the content from elsewhere.
  absl::Status Settle();
  // Returns the content's key if a digest was announced. To be called after Finish.
  absl::optional<ContentTable::Key> content() const;
  // Fails the array. Without effect when the upload has ended already.
  void Fail(const absl::Status& reason);

  const std::shared_ptr<runtime::Task>& task() const { return task_; }

 private:
  absl::Status AppendLocked(size_t begin, size_t size_bytes, PieceReader read)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckWhole(const ir::TensorType& type) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<runtime::Array> array_;
  const std::shared_ptr<runtime::Task> task_;
  const std::shared_ptr<runtime::Meter> account_;  // for staging memory
  // The number of complete uploads that still hold staging memory. Shared by all uploads of the
  // session.
  const std::shared_ptr<std::atomic<int64_t>> draining_;
  runtime::DeviceExecutor& executor_;

  mutable Mutex mutex_;
  bool settled_ ABSL_GUARDED_BY(mutex_) = false;
  Staging staging_ ABSL_GUARDED_BY(mutex_);  // empty until the first Append
  int64_t filled_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::optional<Digest> expected_ ABSL_GUARDED_BY(mutex_);
  // Hashes the bytes of an expected content, until Finish.
  absl::optional<Hasher> hasher_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::engine
