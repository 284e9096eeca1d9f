#pragma once

#include <cstdint>

#include "common/threads/mutex.h"

namespace acceld::pjrt {

// How much of a device's memory the arrays of this process occupy. Counted here, so that no request
// to the daemon is needed. Thread-safe.
class MemoryUse {
 public:
  // Bytes now and at most at any time; and counts of allocations.
  struct Totals {
    int64_t bytes = 0, peak_bytes = 0;
    int64_t allocations = 0, largest_allocation_bytes = 0;  // Since the start.
  };

  // Record that an array of this size was created or released.
  void Add(int64_t bytes);
  void Remove(int64_t bytes);
  Totals totals() const;

 private:
  mutable Mutex mutex_;
  Totals totals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::pjrt
