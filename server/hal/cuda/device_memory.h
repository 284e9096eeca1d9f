#pragma once

#include <cstdint>
#include <memory>

#include "server/hal/cuda/driver/context.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// A pool of the device's memory, from a memory pool of the driver if there is one. See
// MemoryPool::Create. Blocks are usable on all streams of the device at once, and
// must be idle when they are freed. Those of `devices`, the driver's handles, that can reach the
// memory may copy from it.
absl::StatusOr<std::shared_ptr<MemoryPool>> CreateDeviceMemoryPool(std::shared_ptr<Context> context,
                                                                   const std::vector<int>& devices,
                                                                   int64_t limit_bytes,
                                                                   int64_t max_kept_bytes);

}  // namespace acceld::hal::cuda
