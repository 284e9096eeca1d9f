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

// An upload between BeginUpload and its end: bytes are gathered in staging memory. Thread-safe, so
// that a session's table lock is not held while bytes are copied. The array is settled once, by
// Fail or by the task that Finish makes possible.
struct SessionImpl::UploadState {
 public:
  // `task` is to be submitted with the bytes when all are there.
  UploadState(std::shared_ptr<runtime::Task> task, std::shared_ptr<runtime::Meter> account,
              std::shared_ptr<std::atomic<int64_t>> draining, runtime::DeviceExecutor& executor)
      : array_(task->outputs[0]),
        task_(std::move(task)),
        account_(std::move(account)),
        draining_(std::move(draining)),
        executor_(executor) {}

  // Any error but OUT_OF_RANGE (a gap) and UNAVAILABLE (no room yet) has failed the array too.
  absl::Status Append(int64_t offset_bytes, size_t size_bytes, PieceReader read);
  // What the bytes are expected to be; what has come so far is taken into account.
  absl::Status Expect(const Digest& digest);
  ContentTable::Key KeyFor(const Digest& digest) const {
    return {digest, *array_->type(), static_cast<uint32_t>(array_->device())};
  }
  // The bytes, when all are there and as expected.
  absl::StatusOr<runtime::Upload> Finish();
  // Ends it for somebody who has the bytes from elsewhere.
  absl::Status Settle();
  // After Finish: the content, when it was announced.
  absl::optional<ContentTable::Key> content() const;
  // Nothing happens when the array is settled already.
  void Fail(const absl::Status& reason);

  const std::shared_ptr<runtime::Task>& task() const { return task_; }

 private:
  absl::Status AppendLocked(size_t begin, size_t size_bytes, PieceReader read)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckWhole(const ir::TensorType& type) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<runtime::Array> array_;
  const std::shared_ptr<runtime::Task> task_;
  const std::shared_ptr<runtime::Meter> account_;  // For staging memory.
  // Uploads that are complete but still hold such memory. Shared with these.
  const std::shared_ptr<std::atomic<int64_t>> draining_;
  runtime::DeviceExecutor& executor_;

  mutable Mutex mutex_;
  bool settled_ ABSL_GUARDED_BY(mutex_) = false;
  Staging staging_ ABSL_GUARDED_BY(mutex_);  // Empty until the first Append.
  int64_t filled_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::optional<Digest> expected_ ABSL_GUARDED_BY(mutex_);
  absl::optional<Hasher> hasher_ ABSL_GUARDED_BY(mutex_);  // Of an expected content, until Finish.
};

}  // namespace acceld::engine
