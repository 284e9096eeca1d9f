#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "common/threads/fair_schedule.h"

namespace acceld::runtime {

class Task;

// The share of a device's time that all sessions of one user have together. Shared by their queues.
class DeviceShare {
 public:
  // `name` is that of the user, informational.
  explicit DeviceShare(std::string name) : name_(std::move(name)) {}
  DeviceShare(const DeviceShare&) = delete;
  DeviceShare& operator=(const DeviceShare&) = delete;

  // Sets the weight of this share relative to those of other users, which is 1 by default, while
  // several users want the device. May be called by any thread; takes effect with the next
  // execution.
  void SetWeight(double weight) { weight_.store(weight, std::memory_order_relaxed); }

 private:
  friend class HostCallLimits;
  friend class Scheduler;
  friend class TaskQueue;

  const std::string name_;
  std::atomic<double> weight_{1};
  // The following members are guarded by the executor's mutex.
  FairSchedule::Group executions_, uploads_;
  // The number of streams suspended so that others have the device.
  int num_suspended_ = 0;
  // The number of runs that wait for their client (host calls).
  int num_awaiting_host_ = 0;
  // When the last of these continued.
  std::chrono::steady_clock::time_point last_host_answer_;
  // Executions with host calls that may not begin because too many runs wait for their client, in
  // the order of submission.
  std::deque<std::shared_ptr<Task>> held_host_callers_;
};

}  // namespace acceld::runtime
