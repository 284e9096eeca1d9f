#include "server/runtime/busy_time.h"

#include <utility>

#include "server/runtime/device_executor.h"

// Where executions begin and cease to have the device. All of it happens under the executor's lock,
// at moments whose time is read already: Charge, the end of a run, pauses and resumptions.
namespace acceld::runtime {

void DeviceExecutor::EnterDevice(ComputeStream& stream, TimePoint now) {
  if (!std::exchange(stream.is_on_device, true)) busy_time_.Enter(now);
}

void DeviceExecutor::LeaveDevice(ComputeStream& stream, TimePoint now) {
  if (!std::exchange(stream.is_on_device, false)) return;
  busy_time_.CountUntil(now);
  busy_time_.Leave();
}

void DeviceExecutor::CountRun(const Task& task, TimePoint now) {
  // A run that is cancelled while it is suspended ends without coming back to the device.
  if (task.stream_ != nullptr && !task.stream_->is_on_device) return;
  const bool was_suspended = task.control_.paused_time().count() != 0;
  busy_time_.EndRun(now, std::chrono::nanoseconds(
                             was_suspended ? 0 : task.device_ns_.load(std::memory_order_relaxed)));
}

}  // namespace acceld::runtime
