#pragma once

#include <chrono>
#include <cstdint>

#include "server/runtime/task.h"

namespace acceld::runtime {

// Which tasks are so short that the thread that submits them may dispatch them, and run them.
// Immutable.
struct InlineLimits {
  // A task is very short if it is expected to take, and to allocate, no more than this.
  std::chrono::microseconds very_short_run{0};
  int64_t very_short_bytes = 0;
  // The same limits for a task that its client awaits.
  std::chrono::microseconds awaited_run{0};
  int64_t awaited_bytes = 0;

  // Returns whether a task, which must have its executable, is very short by the limits for awaited
  // or for other tasks.
  bool IsVeryShort(const Task& task, bool awaited) const;
  // Returns whether the submitting thread may dispatch a task, which has everything that it needs,
  // to this device if the device is idle.
  bool MayDispatchInline(const Task& task, int device) const;
};

}  // namespace acceld::runtime
