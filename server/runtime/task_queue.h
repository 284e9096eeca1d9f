#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <utility>

#include "common/status.h"
#include "server/runtime/fair_schedule.h"
#include "server/runtime/memory_account.h"
#include "server/runtime/task.h"

namespace acceld::runtime {

// One session's tasks on one device. Queues share the device fairly, as their priority says.
// Everything but the constants and queued() is the executor's, under its mutex.
class TaskQueue {
 public:
  TaskQueue(std::shared_ptr<MemoryAccount> account, PriorityClass priority)
      : account_(std::move(account)),
        priority_(priority),
        executions_(priority),
        uploads_(priority) {}

  // Tasks that are waiting, runnable or in flight.
  int64_t queued() const { return queued_.load(std::memory_order_relaxed); }

 private:
  friend class DeviceExecutor;

  // Runnable tasks for one of the device's streams; active in its schedule while it has any.
  struct Lane : FairSchedule::Flow {
    using Flow::Flow;
    std::list<std::shared_ptr<Task>> tasks;
  };

  Lane& LaneOf(const Task& task) { return task.is_upload() ? uploads_ : executions_; }

  const std::shared_ptr<MemoryAccount> account_;  // The session's.
  const PriorityClass priority_;
  std::atomic<int64_t> queued_{0};

  std::list<std::shared_ptr<Task>> waiting_;
  Lane executions_, uploads_;
  std::list<std::shared_ptr<Task>> taken_;  // being dispatched or in flight
  absl::Status closed_;                     // not OK: new tasks fail with it
};

}  // namespace acceld::runtime
