#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "common/mutex.h"
#include "common/status.h"
#include "server/engine/session_impl.h"
#include "server/engine/staging.h"

namespace acceld::engine {

// An upload between BeginUpload and its end: bytes are gathered in staging memory. Thread-safe, so
// that a session's table lock is not held while bytes are copied. The array is settled once, by
// Fail or by the task that Finish makes possible.
struct SessionImpl::UploadState {
 public:
  // `task` is to be submitted with the bytes when all are there.
  UploadState(std::shared_ptr<runtime::Task> task, std::shared_ptr<runtime::Meter> account,
              runtime::DeviceExecutor& executor)
      : array_(task->outputs[0]),
        task_(std::move(task)),
        account_(std::move(account)),
        executor_(executor) {}

  // Any error but OUT_OF_RANGE (a gap) has failed the array too.
  absl::Status Append(int64_t offset_bytes, absl::string_view bytes);
  // The bytes, when all are there.
  absl::StatusOr<runtime::Upload> Finish();
  // Nothing happens when the array is settled already.
  void Fail(const absl::Status& reason);

  const std::shared_ptr<runtime::Task>& task() const { return task_; }

 private:
  absl::Status AppendLocked(absl::string_view bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<runtime::Array> array_;
  const std::shared_ptr<runtime::Task> task_;
  const std::shared_ptr<runtime::Meter> account_;  // For staging memory.
  runtime::DeviceExecutor& executor_;

  Mutex mutex_;
  bool settled_ ABSL_GUARDED_BY(mutex_) = false;
  Staging staging_ ABSL_GUARDED_BY(mutex_);  // Empty until the first Append.
  int64_t filled_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace acceld::engine
