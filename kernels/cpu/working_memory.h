#pragma once

#include <cstdint>
#include <memory>

#include "common/status.h"

namespace acceld::kernels::cpu {

// Allocates temporary memory for the run-time support: blocks that a library call needs only while
// it runs, and that are too large for a thread to keep from call to call. Implemented by whoever
// calls CpuModule::Run. Thread-safe.
class WorkingMemory {
 public:
  virtual ~WorkingMemory() = default;
  // Allocates `size_bytes` of uninitialized memory, aligned to kBufferAlignment. The memory is
  // freed with the last copy of the pointer. RESOURCE_EXHAUSTED when memory runs out.
  virtual absl::StatusOr<std::shared_ptr<void>> Allocate(int64_t size_bytes) const = 0;
};

}  // namespace acceld::kernels::cpu
