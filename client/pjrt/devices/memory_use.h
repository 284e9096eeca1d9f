#pragma once

#include <cstdint>

#include "common/threads/mutex.h"

namespace acceld::pjrt {

// What this process holds of a device's memory, counted here so that nobody has to ask the daemon.
// Thread-safe.
class MemoryUse {
 public:
  struct Totals {
    int64_t bytes = 0, peak_bytes = 0;
    int64_t allocations = 0, largest_allocation_bytes = 0;  // since the start
  };

  void Add(int64_t bytes);
  void Remove(int64_t bytes);
  Totals totals() const;

 private:
  mutable Mutex mutex_;
  Totals totals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::pjrt
