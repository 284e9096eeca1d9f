#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "server/runtime/schedule/device_share.h"

namespace acceld::runtime {

// Bounds the runs of each user that wait for their client's answer to a host call: beyond the
// limit, executions with host calls do not begin until one of the waiting runs has continued. But
// waiting runs may depend on each other (a callback may execute such programs), so if none
// continues for a while, one more execution may begin.
//
// Guarded by the executor's mutex.
class HostCallLimits {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Returns the number of runs, of all users, that wait for their client.
  int num_waiting() const { return num_waiting_; }
  // Notes that a run of the user waits for its client, or does not any more.
  void BeginWait(DeviceShare& share);
  void EndWait(DeviceShare& share);

  // Returns whether the task, which may make host calls, may begin now.
  static bool MayBegin(const Task& task, const DeviceShare& share);
  // Holds back a task that may not begin.
  void HoldBack(const std::shared_ptr<Task>& task, const std::shared_ptr<DeviceShare>& share);
  // Takes the first of the user's tasks that are held back; nullptr: there is none.
  std::shared_ptr<Task> Admit(DeviceShare& share);
  // The same, but nullptr also if too many runs of the user wait for their client.
  std::shared_ptr<Task> AdmitIfThereIsRoom(DeviceShare& share);
  // Returns when one more execution may begin although none of the runs that wait has continued.
  TimePoint NextAdmission() const;
  // Takes the tasks that may begin because of that.
  std::vector<std::shared_ptr<Task>> AdmitOverdue(TimePoint now);

 private:
  int num_waiting_ = 0;
  // The users that have tasks held back.
  std::vector<std::shared_ptr<DeviceShare>> shares_;
};

}  // namespace acceld::runtime
