#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>

#include "server/runtime/schedule/run_ahead.h"

namespace acceld::hal {
class Stream;
}  // namespace acceld::hal

namespace acceld::runtime {

class Task;
class TaskQueue;
class DeviceShare;

// What the scheduler knows of a stream on which executions run: the tasks that were given to it,
// and whether it has the device. The first task runs, unless the stream is paused. The dispatcher
// derives its streams of the device from this class.
//
// Guarded by the executor's mutex.
class ComputeStream {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  ComputeStream(size_t max_in_flight, std::chrono::nanoseconds run_ahead)
      : run_ahead(max_in_flight, run_ahead) {}
  virtual ~ComputeStream() = default;
  ComputeStream(const ComputeStream&) = delete;
  ComputeStream& operator=(const ComputeStream&) = delete;

  // Lets the stream's work yield the host's processors to other work, or ends that. Returns whether
  // the device can do it.
  virtual bool SetLowPriority(bool low_priority) = 0;
  // Returns whether `writer`, of an Array::View, is this stream.
  virtual bool Is(const hal::Stream* writer) const = 0;

  // Returns how long the first task has had the device so far.
  std::chrono::nanoseconds TimeOnDevice(TimePoint now) const {
    return ran_before + (is_paused ? std::chrono::nanoseconds(0) : now - slice_began);
  }

  std::deque<Task*> tasks;  // in flight, in the order in which they run
  RunAhead run_ahead;       // the estimated times of `tasks`
  // If not nullptr: a task in flight may take long, so only tasks of this queue may be added.
  const TaskQueue* exclusive = nullptr;
  // If not nullptr: the tasks in flight may have to be suspended together if one takes longer than
  // expected, so only tasks of this user may be added.
  const DeviceShare* exclusive_share = nullptr;

  // When the current time slice began: when the first task began or was resumed, or when its slice
  // was extended.
  TimePoint slice_began;
  // The time that the first task spent on the device before `slice_began`.
  std::chrono::nanoseconds ran_before{0};
  // The tasks have been asked to pause.
  bool is_pausing = false;
  // The first task has paused.
  bool is_paused = false;
  // The first task, the only one, waits for its client's answer to a host call.
  bool awaits_host = false;
  // The answer has arrived, and the stream is in the `returning` list of its lane.
  bool is_returning = false;
  // The last task may have to wait for its client, so no task may be added.
  bool is_closed = false;
  TimePoint pausing_since;
  // The stream counts as being on the device (BusyTime): it has tasks, and the first has not
  // paused.
  bool is_on_device = false;
  // Whether SetLowPriority is in effect.
  bool low_priority = false;
  // The queue for which the stream is suspended; nullptr: it is not suspended. It is resumed when
  // the schedule selects that queue.
  std::shared_ptr<TaskQueue> suspended_for;
};

}  // namespace acceld::runtime
