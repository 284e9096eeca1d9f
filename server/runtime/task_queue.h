#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <utility>

#include "common/status.h"
#include "common/threads/fair_schedule.h"
#include "server/runtime/compute_stream.h"
#include "server/runtime/device_share.h"
#include "server/runtime/memory/memory_account.h"
#include "server/runtime/task.h"

namespace acceld::runtime {

// One session's tasks on one device. Queues share the device fairly, as their priority says.
// Everything but the constants and queued() is the executor's, under its mutex.
class TaskQueue {
 public:
  // `share` is its user's; nullptr: it is of a user of its own.
  TaskQueue(std::shared_ptr<MemoryAccount> account, Priority priority,
            std::shared_ptr<DeviceShare> share)
      : account_(std::move(account)),
        share_(share != nullptr ? std::move(share) : std::make_shared<DeviceShare>("")),
        priority_(priority),
        executions_(priority, &share_->executions_),
        uploads_(priority, &share_->uploads_) {}

  // Tasks that are waiting, runnable or in flight.
  int64_t queued() const { return queued_.load(std::memory_order_relaxed); }

 private:
  friend class DeviceExecutor;

  // Runnable tasks for one of the device's streams; active in its schedule while it has any.
  struct Lane : FairSchedule::Flow {
    using Flow::Flow;
    std::list<std::shared_ptr<Task>> tasks;
    // Of executions: the stream with those that had to give way. They go on before others begin.
    ComputeStream* suspended = nullptr;
    // Streams that were parked and are to be suspended next, one at a time: when nothing of this
    // queue has the device.
    std::deque<ComputeStream*> returning;
    // It has tasks, but none may begin now: see DeviceExecutor::HoldBack.
    bool is_held = false;
  };

  Lane& LaneOf(const Task& task) { return task.is_upload() ? uploads_ : executions_; }

  const std::shared_ptr<MemoryAccount> account_;  // The session's.
  const std::shared_ptr<DeviceShare> share_;      // Shared with its user's other queues.
  const Priority priority_;
  std::atomic<int64_t> queued_{0};

  std::list<std::shared_ptr<Task>> waiting_;
  Lane executions_, uploads_;
  std::list<std::shared_ptr<Task>> taken_;  // being dispatched or in flight
  absl::Status closed_;                     // not OK: new tasks fail with it
};

}  // namespace acceld::runtime
