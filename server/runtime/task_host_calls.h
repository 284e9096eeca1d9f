#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "server/hal/host_calls.h"
#include "server/runtime/host_call_sender.h"
#include "server/runtime/task.h"

namespace acceld::runtime {

class DeviceExecutor;

// The host calls of a task's launch. While a call waits for its answer, the run does not occupy the
// device. The executor must outlive this object.
class TaskHostCalls final : public hal::HostCalls {
 public:
  TaskHostCalls(DeviceExecutor& executor, std::shared_ptr<Task> task,
                std::shared_ptr<HostCallSender> requester)
      : executor_(executor), task_(std::move(task)), host_call_sender_(std::move(requester)) {}

  absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t size_bytes) override {
    return host_call_sender_->Allocate(size_bytes);
  }
  // Blocks until the answer has arrived and the run has the device again. See hal::HostCalls.
  absl::StatusOr<std::vector<hal::HostValue>> Call(const kernels::HostCall& call,
                                                   std::vector<SharedBytes> operands) override;

 private:
  DeviceExecutor& executor_;
  const std::shared_ptr<Task> task_;  // shared with the launch, of which this is a part
  const std::shared_ptr<HostCallSender> host_call_sender_;  // shared with the task
};

}  // namespace acceld::runtime
