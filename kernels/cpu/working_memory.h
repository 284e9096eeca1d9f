#pragma once

#include <cstdint>
#include <memory>

#include "common/status.h"

namespace acceld::kernels::cpu {

// Where the run-time support takes memory from that it needs for the time of a call and that is
// too much for a thread to keep. Thread-safe.
class WorkingMemory {
 public:
  virtual ~WorkingMemory() = default;
  // Aligned to kBufferAlignment, contents undefined; given back with the pointer's last copy.
  // RESOURCE_EXHAUSTED when memory is short.
  virtual absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t size_bytes) const = 0;
};

}  // namespace acceld::kernels::cpu
