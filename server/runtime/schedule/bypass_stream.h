#pragma once

namespace acceld::runtime {

// What the scheduler knows of a stream for very short tasks that overtake the work of the device
// ("express stream"). There are several, because a thread that runs such a task may lose its
// processor in the middle. Guarded by the executor's mutex.
struct BypassStream {
  int index = 0;      // among the device's express streams
  int in_flight = 0;  // the number of tasks in flight
};

}  // namespace acceld::runtime
