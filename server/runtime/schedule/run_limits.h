#pragma once

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "common/status.h"
#include "server/runtime/schedule/compute_streams.h"

namespace acceld::runtime {

// Finds executions that have had the device for too long: longer than their Task::max_run, or,
// where runs of several streams overlap and none can be made to pause, so long that short
// executions of others do not end ("stall"). Guarded by the executor's mutex.
class RunLimits {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // Tasks to cancel, with the reason.
  using Ended = std::vector<std::pair<std::shared_ptr<Task>, absl::Status>>;

  // `streams` must outlive this object. A stall is ended when a short task has been delayed for
  // `stall_timeout`; zero: never.
  RunLimits(const ComputeStreams& streams, std::chrono::milliseconds stall_timeout)
      : streams_(streams), stall_timeout_(stall_timeout) {}

  // Returns when the next execution will exceed its longest time on the device.
  TimePoint NextMaxRun() const;
  // Adds to `ended` the executions that have exceeded it, each once.
  void EndPastMaxRun(TimePoint now, Ended& ended);
  // Returns when a short execution will have been delayed for the stall timeout.
  TimePoint NextStall() const;
  // Adds to `ended` the execution that has had the device for longest, if that is longer than the
  // stall timeout.
  void EndStall(TimePoint now, Ended& ended);

 private:
  const ComputeStreams& streams_;
  const std::chrono::milliseconds stall_timeout_;
  TimePoint last_stall_;  // when a stall was last ended
};

}  // namespace acceld::runtime
