#pragma once

#include <chrono>

namespace acceld::hal::cpu {

// Tells a background thread whether the other threads of the process leave a core idle, judged by
// the processor time that they use. Not thread-safe: all calls must come from the same thread.
class IdleCoreDetector {
 public:
  // Returns whether the other threads left a core idle most of the time since the previous call.
  bool HasIdleCore();

 private:
  std::chrono::nanoseconds last_check_{0};  // time of the previous call, CLOCK_MONOTONIC
  std::chrono::nanoseconds used_{0};        // processor time of the other threads until then
};

}  // namespace acceld::hal::cpu
