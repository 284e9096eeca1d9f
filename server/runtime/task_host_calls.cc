#include "server/runtime/task_host_calls.h"

#include <utility>

#include "absl/types/optional.h"
#include "common/threads/mutex.h"
#include "server/runtime/device_executor.h"

namespace acceld::runtime {

absl::StatusOr<std::vector<hal::HostValue>> TaskHostCalls::Call(const kernels::HostCall& call,
                                                                std::vector<SharedBytes> operands) {
  struct Answered {
    Mutex mutex;
    absl::optional<absl::StatusOr<std::vector<hal::HostValue>>> values ABSL_GUARDED_BY(mutex);
  };
  const auto answered = std::make_shared<Answered>();  // shared with an answer that comes late
  const auto asked_at = std::chrono::steady_clock::now();
  executor_.SuspendForHostCall(*task_);
  ACCELD_ASSIGN_OR_RETURN(
      const uint64_t id,
      host_call_sender_->Ask(
          call, std::move(operands),
          [answered, control = std::shared_ptr<hal::RunControl>(task_, &task_->control_)](
              absl::StatusOr<std::vector<hal::HostValue>> values) {
            {
              const MutexLock lock(answered->mutex);
              answered->values = std::move(values);
            }
            control->Answer();
          }));
  const bool is_answered = task_->control_.AwaitAnswer();
  executor_.instruments_.host_call_time.Observe(std::chrono::steady_clock::now() - asked_at);
  if (!is_answered) {
    host_call_sender_->Withdraw(id);
    return absl::CancelledError("the run was told to end while it waited for its host");
  }
  executor_.ResumeAfterHostCall(*task_);
  if (!task_->control_.WaitWhilePaused()) return absl::CancelledError("launch: cancelled");
  const MutexLock lock(answered->mutex);
  return *std::move(answered->values);
}

}  // namespace acceld::runtime
