#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "common/status.h"

namespace acceld::runtime {

class MemoryAccount;
class Task;

// What a memory broker needs to know, and to have done, about the work on its device. Implemented
// by the executor. Thread-safe; a caller must not hold the broker's mutex.
class WorkInFlight {
 public:
  enum class EndResult : uint8_t {
    kNone,      // there is no such execution
    kIsEnding,  // one was told to end before, and has not ended
    kEnds,      // one is told to end now
  };

  // Returns whether anything is in flight that will free memory when it ends, apart from
  // `own_in_flight` tasks of the caller.
  virtual bool HoldsMemory(int own_in_flight) const = 0;
  // Ends, with `reason`, the execution that has had the device for longest among those that
  // `is_cause` selects by the account of their session and the size of the temporary memory that
  // they use.
  virtual EndResult EndLongest(
      absl::FunctionRef<bool(const MemoryAccount& account, int64_t arena_bytes)> is_cause,
      const absl::Status& reason) = 0;
  // Returns the reason for which a task was cancelled.
  virtual absl::Status ReasonFor(const Task& task) const = 0;
  // Lets all tasks that wait for memory be tried again.
  virtual void RetryHeld() = 0;

 protected:
  ~WorkInFlight() = default;
};

}  // namespace acceld::runtime
