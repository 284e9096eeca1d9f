#pragma once

#include <chrono>
#include <functional>

#include "absl/types/optional.h"

namespace acceld::hal::cpu {

// Tells a background thread whether it has a core for itself: whether the other threads of the
// process leave one, judged by the processor time that they use, and so do other processes, judged
// by how long the machine's cores are idle. Not thread-safe: all calls must come from the same
// thread.
class IdleCoreDetector {
 public:
  // Clocks of the system, all since some moment in the past.
  struct Times {
    std::chrono::nanoseconds now;      // of a clock that goes on steadily
    std::chrono::nanoseconds process;  // processor time of the process
    std::chrono::nanoseconds thread;   // and of the calling thread
    // How long cores of the machine were idle, in total. Counted in ticks of 10 ms; nothing if the
    // system does not tell.
    absl::optional<std::chrono::nanoseconds> idle;
  };

  // Of this machine.
  IdleCoreDetector();
  // Of a machine that is described: the process may use `num_cores` cores, and `read` returns the
  // times.
  IdleCoreDetector(int num_cores, std::function<Times()> read);

  // Returns whether a core was idle, or used by the calling thread, most of the time: not used by
  // the process since the previous call, nor by others in the last full period.
  bool HasIdleCore();

 private:
  // Over which other processes are judged: many ticks.
  static constexpr std::chrono::milliseconds kPeriod{200};

  const int num_cores_;
  const std::function<Times()> read_;
  Times last_call_;
  Times period_start_;
  bool others_leave_a_core_ = true;  // in the last full period
};

}  // namespace acceld::hal::cpu
