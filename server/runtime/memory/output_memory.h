#pragma once

#include <cstdint>
#include <memory>

#include "absl/container/inlined_vector.h"
#include "server/hal/device.h"

namespace acceld::runtime {

class Array;

// The memory of one output of a task that is being dispatched.
struct OutputMemory {
  std::shared_ptr<hal::Buffer> buffer;
  int64_t size_bytes = 0;
  int64_t charged_bytes = 0;
  // The donated input whose memory is reused; nullptr: new memory.
  Array* donor = nullptr;
};
using OutputMemories = absl::InlinedVector<OutputMemory, 2>;

}  // namespace acceld::runtime
