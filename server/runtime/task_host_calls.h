#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "server/hal/host_calls.h"
#include "server/runtime/host_asker.h"
#include "server/runtime/task.h"

namespace acceld::runtime {

class DeviceExecutor;

// The host calls of a task's launch. While a call waits for its answer, the run does not occupy the
// device. The executor must outlive this object.
class TaskHostCalls final : public hal::HostCalls {
 public:
  TaskHostCalls(DeviceExecutor& executor, std::shared_ptr<Task> task,
                std::shared_ptr<HostAsker> asker)
      : executor_(executor), task_(std::move(task)), asker_(std::move(asker)) {}

  absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t size_bytes) override {
    return asker_->Allocate(size_bytes);
  }
  // Blocks until the answer has arrived and the run has the device again. See hal::HostCalls.
  absl::StatusOr<std::vector<hal::HostValue>> Call(const kernels::HostCall& call,
                                                   std::vector<SharedBytes> operands) override;

 private:
  DeviceExecutor& executor_;
  const std::shared_ptr<Task> task_;        // shared with the launch, of which this is a part
  const std::shared_ptr<HostAsker> asker_;  // shared with the task
};

}  // namespace acceld::runtime
