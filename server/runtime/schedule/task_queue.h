#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <utility>

#include "common/status.h"
#include "common/threads/fair_schedule.h"
#include "server/runtime/memory/memory_account.h"
#include "server/runtime/schedule/compute_stream.h"
#include "server/runtime/schedule/device_share.h"
#include "server/runtime/task.h"

namespace acceld::runtime {

// The tasks of one session with one priority on one device. The executor shares the device fairly
// between queues, according to their priorities. Guarded by the executor's mutex, except the
// constants and queued().
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

  // Returns the number of tasks that are waiting, runnable or in flight.
  int64_t queued() const { return queued_.load(std::memory_order_relaxed); }

 private:
  friend class DeviceExecutor;
  friend class MemoryBroker;
  friend class Scheduler;

  // The runnable tasks of one kind (executions or uploads); active in the schedule of that kind
  // while there are any.
  struct Lane : FairSchedule::Flow {
    using Flow::Flow;
    std::list<std::shared_ptr<Task>> tasks;
    // Of executions: the stream whose tasks were suspended. They continue before other tasks of the
    // lane begin.
    ComputeStream* suspended = nullptr;
    // Streams whose host calls have been answered. One at a time becomes `suspended`, when nothing
    // of this queue has the device.
    std::deque<ComputeStream*> returning;
    // Whether the lane is out of the schedule although it has tasks, as none of them may begin: see
    // Scheduler::HoldBack and PutBack.
    bool is_held = false;
  };

  Lane& LaneOf(const Task& task) { return task.is_upload() ? uploads_ : executions_; }

  const std::shared_ptr<MemoryAccount> account_;  // The session's.
  const std::shared_ptr<DeviceShare> share_;      // Shared with its user's other queues.
  const Priority priority_;
  std::atomic<int64_t> queued_{0};

  std::list<std::shared_ptr<Task>> waiting_;
  Lane executions_, uploads_;
  std::list<std::shared_ptr<Task>> taken_;  // tasks being dispatched or in flight
  absl::Status closed_;                     // if not OK: new tasks fail with it
};

}  // namespace acceld::runtime
