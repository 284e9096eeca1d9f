#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "common/fair_schedule.h"

namespace acceld::runtime {

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
  int num_suspended_ = 0;  // runs that are set aside
};

}  // namespace acceld::runtime
