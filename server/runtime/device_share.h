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

// What the sessions of one user have of a device together, however many they are. Shared by their
// queues.
class DeviceShare {
 public:
  // `name` says whose it is, for people.
  explicit DeviceShare(std::string name) : name_(std::move(name)) {}
  DeviceShare(const DeviceShare&) = delete;
  DeviceShare& operator=(const DeviceShare&) = delete;

  // How much of the device's time it gets while others want it, too; theirs is 1 unless they have
  // another one. Any thread; holds from the next execution on.
  void SetWeight(double weight) { weight_.store(weight, std::memory_order_relaxed); }

 private:
  friend class DeviceExecutor;
  friend class TaskQueue;

  const std::string name_;
  std::atomic<double> weight_{1};
  // The executor's, under its mutex.
  FairSchedule::Group executions_, uploads_;
  int num_suspended_ = 0;                                // runs that are set aside
  int num_parked_ = 0;                                   // runs that wait for their client
  std::chrono::steady_clock::time_point last_unparked_;  // when one of them last went on
  // Executions that do not begin because so many are parked, in the order in which they came.
  std::deque<std::shared_ptr<Task>> kept_from_parking_;
};

}  // namespace acceld::runtime
