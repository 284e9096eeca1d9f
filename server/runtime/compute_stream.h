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

// A stream on which executions run, and what it was given. The executor's, under its mutex unless
// noted. Its first task runs; while the stream pauses, none does.
struct ComputeStream {
  using TimePoint = std::chrono::steady_clock::time_point;

  ComputeStream(std::unique_ptr<hal::Stream> stream, size_t max_in_flight,
                std::chrono::nanoseconds run_ahead)
      : stream(std::move(stream)), run_ahead(max_in_flight, run_ahead) {}

  const std::unique_ptr<hal::Stream> stream;
  std::deque<Task*> tasks;  // in flight, in the order in which they run
  RunAhead run_ahead;       // the times of `tasks`
  // Not nullptr: something in flight may take long, so only tasks of this queue go behind it.
  const TaskQueue* exclusive = nullptr;
  // Not nullptr: something in flight may, if it takes longer than expected, be set aside with all
  // that is behind it, so only tasks of this user go behind it.
  const DeviceShare* exclusive_share = nullptr;

  TimePoint slice_began;                   // when the first task began, was resumed, or was left
                                           // the device for one more slice
  std::chrono::nanoseconds ran_before{0};  // the first task's time on the device until then
  bool is_pausing = false;                 // The tasks are asked to pause,
  bool is_paused = false;                  // and the first has done so.
  bool is_parked = false;                  // The first, its only one, waits for its client;
  bool is_returning = false;               // or did, and is in its lane's list of these.
  bool is_closed = false;                  // The last may be parked, so nothing goes behind it.
  TimePoint pausing_since;
  bool gives_way = false;                    // see hal::Stream::SetGivesWay
  std::shared_ptr<TaskQueue> suspended_for;  // in whose turns it goes on; nullptr: not suspended

  // Launches of one stream share an arena while it is large enough: they never overlap. Only for
  // the thread that gives the stream work.
  std::weak_ptr<hal::Buffer> arena;
};

}  // namespace acceld::runtime
