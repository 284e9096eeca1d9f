#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "server/hal/device.h"
#include "server/runtime/run_ahead.h"

namespace acceld::runtime {

class Task;
class TaskQueue;
class DeviceShare;

// A stream on which executions run, and the tasks that were given to it. Owned by the executor and
// guarded by its mutex, unless noted otherwise. The first task runs, unless the stream is paused.
struct ComputeStream {
  using TimePoint = std::chrono::steady_clock::time_point;

  ComputeStream(std::unique_ptr<hal::Stream> stream, size_t max_in_flight,
                std::chrono::nanoseconds run_ahead)
      : stream(std::move(stream)), run_ahead(max_in_flight, run_ahead) {}

  const std::unique_ptr<hal::Stream> stream;
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
  // Whether the stream's work yields the host's processors to others: see
  // hal::Stream::SetLowPriority.
  bool low_priority = false;
  // The queue for which the stream is suspended; nullptr: it is not suspended. It is resumed when
  // the schedule selects that queue.
  std::shared_ptr<TaskQueue> suspended_for;

  // The temporary memory that launches on this stream share while it is large enough, as they never
  // overlap. Used only by the thread that gives work to the stream.
  std::weak_ptr<hal::Buffer> arena;
};

}  // namespace acceld::runtime
